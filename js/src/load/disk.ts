import { inflateRawSync } from "node:zlib";
import { assemble } from "./assemble.ts";
import { file, fileAhead } from "./file.ts";
import packed from "./precis.wasm.js";
import { packedBytes } from "./unpack.ts";
import type { Ways } from "./ways.ts";

/** Deno and Bun, which also make programs of one file: there is nothing beside those, so the text is part of them. */
export const ways: Ways = {
  now: [file, () => new WebAssembly.Module(assemble(inflateRawSync(packedBytes(packed))))],
  ahead: [fileAhead],
};
