/** Pixels of an image. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The byte at a position, or -1 behind the end. */
export type ByteAt = (index: number) => number;

const UNKNOWN: ImageSize = { width: 0, height: 0 };

/** Width and height out of the header of a PNG, GIF, WebP or JPEG; zeros when there is none. */
export function imageSize(byte: ByteAt): ImageSize {
  switch (byte(0)) {
    case 0x89:
      return starts(byte, 0, "\x89PNG\r\n\x1a\n") ? { width: big(byte, 16, 4), height: big(byte, 20, 4) } : UNKNOWN;
    case 0x47:
      return starts(byte, 0, "GIF8") ? { width: little(byte, 6, 2), height: little(byte, 8, 2) } : UNKNOWN;
    case 0x52:
      return starts(byte, 0, "RIFF") && starts(byte, 8, "WEBP") ? webp(byte) : UNKNOWN;
    case 0xff:
      return byte(1) === 0xd8 ? jpeg(byte) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

function webp(byte: ByteAt): ImageSize {
  if (starts(byte, 12, "VP8X")) return { width: little(byte, 24, 3) + 1, height: little(byte, 27, 3) + 1 };
  if (starts(byte, 12, "VP8L")) {
    const bits = little(byte, 21, 4);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (starts(byte, 12, "VP8 ") && starts(byte, 23, "\x9d\x01\x2a")) {
    return { width: little(byte, 26, 2) & 0x3fff, height: little(byte, 28, 2) & 0x3fff };
  }
  return UNKNOWN;
}

/** From segment to segment up to the frame header. */
function jpeg(byte: ByteAt): ImageSize {
  let at = 2;
  for (let segments = 0; segments < 1000 && byte(at) === 0xff; segments++) {
    const marker = byte(at + 1);
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return { width: big(byte, at + 7, 2), height: big(byte, at + 5, 2) };
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)) at += 2;
    else at += 2 + Math.max(2, big(byte, at + 2, 2));
  }
  return UNKNOWN;
}

/** SOF0 to SOF15, without the three of that range that are something else. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

export function starts(byte: ByteAt, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (byte(at + i) !== text.charCodeAt(i)) return false;
  return true;
}

function big(byte: ByteAt, at: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 256 + Math.max(0, byte(at + i));
  return value;
}

export function little(byte: ByteAt, at: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + Math.max(0, byte(at + i));
  return value;
}
