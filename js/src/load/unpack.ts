import { assemble } from "./assemble.ts";
import { inflate } from "./inflate.ts";

/** The bytes of the engine from the length of its parts, a colon, and their deflated form in base64. */
export function unpack(packed: string): Uint8Array<ArrayBuffer> {
  const deflated = packedBytes(packed);
  // Where Node's own modules are, they are far quicker than code that has just been read. Asked for in this way, no
  // bundler takes them for something to bundle.
  const zlib = (globalThis as Host).process?.getBuiltinModule?.("zlib");
  return assemble(zlib ? zlib.inflateRawSync(deflated) : inflate(deflated, partsLength(packed)));
}

/** How many bytes they are. */
export function partsLength(packed: string): number {
  return Number(packed.slice(0, packed.indexOf(":")));
}

/** The deflated form of its parts. */
export function packedBytes(packed: string): Uint8Array<ArrayBuffer> {
  return decode(packed.slice(packed.indexOf(":") + 1));
}

/** Bytes from base64, by the quickest way that this platform has. */
export function decode(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer, Uint8Array: Bytes } = globalThis as Host;
  if (Bytes.fromBase64) return Bytes.fromBase64(text);
  if (Buffer) return Buffer.from(text, "base64");
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

interface Host {
  readonly process?: {
    readonly getBuiltinModule?: (name: "zlib") => { inflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer> };
  };
  readonly Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
  readonly Uint8Array: { readonly fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
}
