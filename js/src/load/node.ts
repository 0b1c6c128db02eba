import { createRequire } from "node:module";
import { inflateRawSync } from "node:zlib";
import { assemble } from "./assemble.ts";
import { file, fileAhead } from "./file.ts";
import { packedBytes } from "./unpack.ts";
import type { Ways } from "./ways.ts";

/** Node, and bundlers for it that do not know the condition `module`: the file, or the text if there is none. */
export const ways: Ways = { now: [file, text], ahead: [fileAhead] };

/** Only read where it is needed. The build writes `require` for the name that bundlers follow. */
function text(): WebAssembly.Module {
  const { default: packed } =
    typeof bundledRequire === "function"
      ? bundledRequire("./precis.wasm.js")
      : (createRequire(import.meta.url)("./precis.wasm.js") as { readonly default: string });
  return new WebAssembly.Module(assemble(inflateRawSync(packedBytes(packed))));
}

declare const bundledRequire: ((name: string) => { readonly default: string }) | undefined;
