import { inflate } from "./inflate.ts";

/** The bytes of the engine from their length, a colon, and their deflated form as base64. */
export function unpack(packed: string): Uint8Array<ArrayBuffer> {
  const colon = packed.indexOf(":");
  const base64 = packed.slice(colon + 1);
  // Where Node's own modules are, they are far quicker than code that has just been read. Asked for in this way, no
  // bundler takes them for something to bundle.
  const node = (globalThis as Host).process?.getBuiltinModule;
  if (node) return node("zlib").inflateRawSync(node("buffer").Buffer.from(base64, "base64"));

  return inflate((Uint8Array as FromBase64).fromBase64?.(base64) ?? decode(base64), Number(packed.slice(0, colon)));
}

function decode(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

type FromBase64 = { fromBase64?(text: string): Uint8Array };

interface Host {
  readonly process?: { readonly getBuiltinModule?: GetBuiltinModule };
}

interface GetBuiltinModule {
  (name: "zlib"): { inflateRawSync(deflated: Uint8Array): Uint8Array<ArrayBuffer> };
  (name: "buffer"): { readonly Buffer: { from(text: string, encoding: "base64"): Uint8Array } };
}
