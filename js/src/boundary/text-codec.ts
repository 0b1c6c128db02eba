/**
 * `TextDecoder` and `TextEncoder` for the engine and its glue; the build puts them wherever these names are used.
 * Every runtime has them but one: pages that jest makes of jsdom. Internal.
 */

/** As much as is needed: whole strings, which the engine made, so their UTF-8 is sound. */
class Decoder {
  decode(bytes: Uint8Array = new Uint8Array()): string {
    let text = "";
    for (let at = 0; at < bytes.length; ) {
      const first = bytes[at++] as number;
      const more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
      let point = more === 0 ? first : first & (0x3f >> more);
      for (const end = at + more; at < end; at++) point = (point << 6) | ((bytes[at] as number) & 0x3f);
      text += String.fromCodePoint(point);
    }
    return text;
  }
}

/** `encodeInto` as every platform has it: no code point in part, lone surrogates as U+FFFD. */
class Encoder {
  encode(text: string): Uint8Array {
    const bytes = new Uint8Array(3 * text.length);
    return bytes.subarray(0, this.encodeInto(text, bytes).written);
  }

  encodeInto(text: string, bytes: Uint8Array): { read: number; written: number } {
    let read = 0;
    let written = 0;
    for (const character of text) {
      let point = character.codePointAt(0) as number;
      if (point >= 0xd800 && point < 0xe000) point = 0xfffd;
      const more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
      if (written + more >= bytes.length) break;
      bytes[written++] = more === 0 ? point : (0xff00 >> (more + 1)) | (point >> (6 * more));
      for (let shift = 6 * more - 6; shift >= 0; shift -= 6) bytes[written++] = 0x80 | ((point >> shift) & 0x3f);
      read += character.length;
    }
    return { read, written };
  }
}

const TextDecoder = globalThis.TextDecoder ?? Decoder;
const TextEncoder = globalThis.TextEncoder ?? Encoder;

export { TextDecoder, TextEncoder };
