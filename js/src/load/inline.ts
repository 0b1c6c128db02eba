import packed from "./precis.wasm.js";
import { packedBytes, unpack } from "./unpack.ts";
import type { Ways } from "./ways.ts";

/** The package's own JavaScript holds the engine: no file, no fetch, nothing to await. */
export const ways: Ways = { now: [() => new WebAssembly.Module(unpack(packed))], ahead: [compiled] };

/** The same in the background: what was inflated is compiled as it comes, on other threads. */
function compiled(): Promise<WebAssembly.Module> {
  const bytes = new Blob([packedBytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "content-type": "application/wasm" } }));
}
