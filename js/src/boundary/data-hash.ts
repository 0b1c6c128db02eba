/**
 * A hash of all bytes of inline data, so that pictures that differ in one pixel have different hashes. It is of what the data are
 * and not of how they are written: bytes, base64 of either alphabet and data URLs of one picture have the same.
 */
export class DataHash {
  private one = 0x9e3779b1;
  private two = 0x85ebca77;
  private word = 0;
  private bits = 0;

  /** Adds the lowest six bits of a number. */
  private sextet(value: number): void {
    this.word = (this.word << 6) | value;
    this.bits += 6;
    if (this.bits === 24) this.mix();
  }

  private mix(): void {
    this.one = Math.imul(rotated(this.one ^ this.word, 13), 0x85ebca6b);
    this.two = Math.imul(rotated(this.two, 17) + this.word, 0xc2b2ae35) ^ this.one;
    this.word = 0;
    this.bits = 0;
  }

  /** The bytes that a function returns by their index. */
  bytes(count: number, byte: (index: number) => number): this {
    let at = 0;
    for (; at + 2 < count; at += 3) {
      this.word = (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2);
      this.mix();
    }
    if (at < count) {
      // As base64 writes the rest: filled up with zeros.
      const rest = (byte(at) << 16) | (at + 1 < count ? byte(at + 1) << 8 : 0);
      for (let index = 0; index <= count - at; index++) this.sextet((rest >> (18 - 6 * index)) & 63);
    }
    return this;
  }

  /** Base64 from an index on. Line ends in it count for nothing. */
  base64(text: string, start: number, end: number): this {
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit > SPACE) this.sextet(sextet(unit));
    }
    return this;
  }

  /** Both halves of the hash. */
  get halves(): readonly [number, number] {
    if (this.bits > 0) {
      this.word |= this.bits << 24;
      this.mix();
    }
    return [finished(this.one ^ this.two), finished(this.two + Math.imul(this.one, 5))];
  }
}

const SPACE = 32;

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

function finished(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The six bits of a letter of base64. */
export function sextet(unit: number): number {
  if (unit >= 65 && unit <= 90) return unit - 65;
  if (unit >= 97 && unit <= 122) return unit - 71;
  if (unit >= 48 && unit <= 57) return unit + 4;
  return unit === 43 || unit === 45 ? 62 : 63;
}
