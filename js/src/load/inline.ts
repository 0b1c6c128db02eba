import { assemble } from "./assemble.ts";
import packed from "./precis.wasm.js";
import { packedBytes, partsLength, unpack } from "./unpack.ts";
import type { Ways } from "./ways.ts";

/** The package's own JavaScript holds the engine: no file, no fetch, nothing to await. */
export const ways: Ways = { now: [() => new WebAssembly.Module(unpack(packed))], ahead: [compiled] };

/** The same in the background: inflated and compiled on other threads. */
async function compiled(): Promise<WebAssembly.Module> {
  const stream = new Blob([packedBytes(packed)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const parts = new Uint8Array(partsLength(packed));
  const reader = stream.getReader();
  for (let at = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return WebAssembly.compile(assemble(parts));
    parts.set(value, at);
    at += value.length;
  }
}
