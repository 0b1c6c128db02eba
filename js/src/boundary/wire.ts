/**
 * Plain data as bytes, on its way into the engine and out of it: `src/wasm/wire.rs` says how it is written. Internal.
 */

const Tag = {
  null: 0,
  false: 1,
  true: 2,
  whole: 3,
  number: 4,
  text: 5,
  list: 6,
  object: 7,
  words: 8,
  bytes: 9,
  unread: 10,
};

/** Options, states and plans are flat; what is deeper than this has a cycle in it. */
const DEEPEST = 64;
/** The longest a number can be; tags included. */
const LONGEST = 9;
/** Up to this length a loop is quicker than the encoder. */
const SHORT = 24;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);

/** Writes values into a block that begins with its length. */
export class Outgoing {
  private bytes = new Uint8Array(4096);
  private at = 0;

  /** Begins a block, with these bytes after its length. */
  start(...bytes: number[]): this {
    this.bytes.set(bytes, 4);
    this.at = 4 + bytes.length;
    return this;
  }

  /** The block, good until the next one is begun. */
  finish(): Uint8Array {
    for (let i = 0; i < 4; i++) this.bytes[i] = this.at >>> (8 * i);
    return this.bytes.subarray(0, this.at);
  }

  /** Typed arrays, or plain data; of anything else the engine only learns that it is none. */
  value(value: unknown): void {
    const start = this.at;
    try {
      if (this.write(value, 0)) return;
    } catch {
      // A getter or a proxy threw.
    }
    this.at = start;
    this.tag(Tag.unread);
  }

  private write(value: unknown, depth: number): boolean {
    if (typeof value === "string") this.text(value, Tag.text);
    else if (typeof value === "number") this.number(value);
    else if (value === undefined || value === null) this.tag(Tag.null);
    else if (typeof value === "boolean") this.tag(value ? Tag.true : Tag.false);
    else if (typeof value !== "object" || depth > DEEPEST) return false;
    else if (Array.isArray(value)) {
      this.count(Tag.list, value.length);
      for (let i = 0; i < value.length; i++) if (!this.write(value[i], depth + 1)) return false;
    } else if (value instanceof Uint32Array) {
      this.count(Tag.words, value.length);
      this.copy(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    } else if (value instanceof Uint8Array) {
      this.count(Tag.bytes, value.length);
      this.copy(value);
    } else {
      const names = Object.keys(value);
      this.count(Tag.object, names.length);
      for (const name of names) {
        this.text(name);
        if (!this.write((value as Record<string, unknown>)[name], depth + 1)) return false;
      }
    }
    return true;
  }

  private number(value: number): void {
    if (value >>> 0 === value) this.count(Tag.whole, value);
    else {
      this.tag(Tag.number);
      float[0] = value;
      this.copy(floatBytes);
    }
  }

  /** Its length and its bytes. */
  private text(text: string, tag?: number): void {
    // A unit is three bytes at most.
    this.reserve(3 * text.length + LONGEST);
    const { bytes } = this;
    if (tag !== undefined) bytes[this.at++] = tag;
    const { length } = text;
    if (length <= SHORT) {
      const start = this.at + 1;
      let i = 0;
      for (; i < length; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 127) break;
        bytes[start + i] = unit;
      }
      if (i === length) {
        bytes[this.at] = length;
        this.at = start + length;
        return;
      }
    }
    // The length goes before the bytes and is known after them.
    const from = this.at + 5;
    const { written } = encoder.encodeInto(text, bytes.subarray(from));
    this.length(written);
    bytes.copyWithin(this.at, from, from + written);
    this.at += written;
  }

  private copy(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  private tag(tag: number): void {
    this.reserve(LONGEST);
    this.bytes[this.at++] = tag;
  }

  private count(tag: number, count: number): void {
    this.tag(tag);
    this.length(count);
  }

  private length(rest: number): void {
    for (; rest > 127; rest >>>= 7) this.bytes[this.at++] = (rest & 127) | 128;
    this.bytes[this.at++] = rest;
  }

  private reserve(wanted: number): void {
    if (this.at + wanted <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at + wanted));
    larger.set(this.bytes.subarray(0, this.at));
    this.bytes = larger;
  }
}

/** Reads what the engine wrote: its structure, and all its texts decoded in one go. */
export class Incoming {
  private readonly bytes: Uint8Array;
  private at: number;
  private readonly texts: string;
  private cut = 0;

  constructor(memory: Uint8Array, block: number) {
    this.bytes = memory;
    const header = (at: number): number =>
      block +
      ((memory[at] as number) |
        ((memory[at + 1] as number) << 8) |
        ((memory[at + 2] as number) << 16) |
        ((memory[at + 3] as number) << 24));
    this.at = block + 8;
    this.texts = decoder.decode(memory.subarray(header(block + 4), header(block)));
  }

  /** The next value. Its type is what the engine is known to write here. */
  value<T>(): T;
  value(): unknown {
    switch (this.bytes[this.at++]) {
      case Tag.false:
        return false;
      case Tag.true:
        return true;
      case Tag.whole:
        return this.number();
      case Tag.number:
        floatBytes.set(this.take(8));
        return float[0];
      case Tag.text:
        return this.text();
      case Tag.list: {
        const list: unknown[] = [];
        for (let count = this.number(); count > 0; count--) list.push(this.value());
        return list;
      }
      case Tag.object: {
        const object: Record<string, unknown> = {};
        for (let count = this.number(); count > 0; count--) {
          const name = this.text();
          const value = this.value<unknown>();
          // Assigned, it would be the prototype.
          if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true });
          else object[name] = value;
        }
        return object;
      }
      case Tag.words:
        return new Uint32Array(this.take(4 * this.number()).slice().buffer);
      case Tag.bytes:
        return this.take(this.number()).slice();
      default:
        return null;
    }
  }

  private text(): string {
    const start = this.cut;
    this.cut += this.number();
    return this.texts.slice(start, this.cut);
  }

  private take(count: number): Uint8Array {
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  private number(): number {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.at++] as number;
      number |= (byte & 127) << shift;
      if (byte < 128) return number >>> 0;
    }
  }
}
