import packed from "./precis.wasm.js";
import { unpack } from "./unpack.ts";

/** Compiles the engine out of the package's own JavaScript: no file, no fetch, nothing to await. */
export function load(): WebAssembly.Module {
  return new WebAssembly.Module(unpack(packed));
}
