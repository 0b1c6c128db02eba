import { inflate } from "./inflate.ts";

/** The bytes of the engine from their length, a colon, and their deflated form as digits of base 91. */
export function unpack(packed: string): Uint8Array<ArrayBuffer> {
  const colon = packed.indexOf(":");
  const deflated = decode(packed, colon + 1);
  // Where Node's own modules are, they are far quicker than code that has just been read. Asked for in this way, no
  // bundler takes them for something to bundle.
  const zlib = (globalThis as Host).process?.getBuiltinModule?.("zlib");
  return zlib ? zlib.inflateRawSync(deflated) : inflate(deflated, Number(packed.slice(0, colon)));
}

/**
 * Two digits are 13 bits, the lowest first; bits that fill no byte at the end are none. The digits are what can be
 * printed of ASCII without the quotes and the backslash, so that no bundler has to escape one: base64, which has 12 bits
 * in two characters, would be an eighth longer.
 */
export function decode(text: string, start: number): Uint8Array {
  const values = new Uint8Array(128);
  for (let code = 32, value = 0; code < 127; code++) if (!NO_DIGITS.includes(code)) values[code] = value++;
  const out = new Uint8Array(((text.length - start) * 13) >> 4);
  let [written, hold, held] = [0, 0, 0];
  for (let at = start; at < text.length; at += 2) {
    const pair = (values[text.charCodeAt(at)] as number) + 91 * (values[text.charCodeAt(at + 1)] as number);
    hold |= pair << held;
    for (held += 13; held > 7; held -= 8) {
      out[written++] = hold;
      hold >>= 8;
    }
  }
  return out;
}

/** `"`, `'`, `\` and the backtick. */
export const NO_DIGITS: readonly number[] = [34, 39, 92, 96];

interface Host {
  readonly process?: {
    readonly getBuiltinModule?: (name: "zlib") => { inflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer> };
  };
}
