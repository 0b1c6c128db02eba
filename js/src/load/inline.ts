import base64 from "../glue/precis_bg.wasm";

type FromBase64 = { fromBase64?(text: string): Uint8Array<ArrayBuffer> };

/** Compiles the engine out of the bundle itself: no file, no fetch, nothing to await. */
export function load(): WebAssembly.Module {
  return new WebAssembly.Module((Uint8Array as FromBase64).fromBase64?.(base64) ?? decode(base64));
}

function decode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
