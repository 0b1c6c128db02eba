/** The words of the tape: text and structure on their way into the engine. */
export const Op = {
  message: 1,
  text: 2,
  reasoning: 3,
  call: 4,
  result: 5,
  media: 6,
  opaque: 7,
  tool: 8,
  approvalRequest: 9,
  approvalResponse: 10,
  compaction: 11,
  speaker: 12,
  document: 13,
  string: 16,
  chunk: 17,
  null: 18,
  false: 19,
  true: 20,
  number: 21,
  array: 22,
  object: 23,
  end: 24,
  binary: 25,
  count: 26,
  embedded: 27,
} as const;

/** Room for the longest op with its words. */
const LONGEST_OP = 8;
/** A code point is never cut: less room than this is none. */
const LONGEST_CODE_POINT = 4;
/** Up to this length a loop is quicker than the encoder. */
const SHORT = 24;

/** Writes ops and UTF-8 bytes. What happens when a buffer is full is left to {@link EngineTape} and {@link MemoryTape}. */
export abstract class Tape {
  /** Bytes written so far, over the whole tape. */
  total = 0;
  protected ops = new Uint32Array(4096);
  protected length = 0;
  protected used = 0;
  private readonly encoder = new TextEncoder();

  protected abstract bytes(): Uint8Array;
  /** Makes room for bytes. Everything on the tape is whole when it is called. */
  protected abstract makeRoom(): void;
  protected abstract makeRoomForOps(): void;

  /** An op and its words. */
  op(code: number, a?: number, b?: number, c?: number, d?: number, e?: number, more?: readonly [number, number]): void {
    this.reserve();
    this.ops[this.length++] = code;
    if (a === undefined) return;
    this.ops[this.length++] = a;
    if (b === undefined) return;
    this.ops[this.length++] = b;
    if (c === undefined) return;
    this.ops[this.length++] = c;
    this.ops[this.length++] = d as number;
    this.ops[this.length++] = e as number;
    if (more === undefined) return;
    this.ops[this.length++] = more[0];
    this.ops[this.length++] = more[1];
  }

  /** A string; lone surrogates become U+FFFD. */
  string(text: string): void {
    if (text.length <= SHORT && this.ascii(text)) return;
    for (let at = 0; ; ) {
      this.reserve();
      const bytes = this.room();
      const free = bytes.length - this.used;
      // No more than can fit is shown to the encoder, and no surrogate pair is cut in two.
      let end = Math.min(text.length, at + free);
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
      const piece = at === 0 && end === text.length ? text : text.slice(at, end);
      const { read, written } = this.encoder.encodeInto(piece, this.used === 0 ? bytes : bytes.subarray(this.used));
      at += read;
      this.wrote(at < text.length ? Op.chunk : Op.string, written);
      if (at >= text.length) return;
    }
  }

  /** A number as decimal text. */
  number(text: string): void {
    this.reserve();
    const bytes = this.room(text.length);
    for (let i = 0; i < text.length; i++) bytes[this.used + i] = text.charCodeAt(i);
    this.wrote(Op.number, text.length);
  }

  /** Bytes, each as the code point of its value. */
  binary(data: Uint8Array): void {
    this.op(Op.binary, low(data.length), high(data.length));
    for (let at = 0; ; ) {
      this.reserve();
      const bytes = this.room();
      let end = this.used;
      for (const last = bytes.length - 1; at < data.length && end < last; at++) {
        const byte = data[at] as number;
        if (byte < 0x80) bytes[end++] = byte;
        else {
          bytes[end++] = 0xc0 | (byte >> 6);
          bytes[end++] = 0x80 | (byte & 0x3f);
        }
      }
      this.wrote(at < data.length ? Op.chunk : Op.string, end - this.used);
      if (at >= data.length) return;
    }
  }

  private ascii(text: string): boolean {
    this.reserve();
    const bytes = this.room(SHORT);
    const { used } = this;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[used + i] = unit;
    }
    this.wrote(Op.string, text.length);
    return true;
  }

  private wrote(code: number, bytes: number): void {
    this.ops[this.length++] = code;
    this.ops[this.length++] = bytes;
    this.used += bytes;
    this.total += bytes;
  }

  private reserve(): void {
    if (this.length + LONGEST_OP > this.ops.length) this.makeRoomForOps();
  }

  private room(wanted = LONGEST_CODE_POINT): Uint8Array {
    if (this.bytes().length - this.used < wanted) this.makeRoom();
    return this.bytes();
  }
}

/** Where an {@link EngineTape} writes to. */
export interface Target {
  /** The engine's buffer as it is now: its memory moves when it grows. */
  bytes(): Uint8Array;
  push(ops: Uint32Array, bytes: number): void;
}

/** A tape straight into the engine's memory, handed over whenever its buffer is full. */
export class EngineTape extends Tape {
  private target: Target | undefined;

  /** Starts a new tape. */
  start(target: Target): void {
    this.target = target;
    this.total = this.length = this.used = 0;
  }

  /** Hands over what is left. */
  finish(): void {
    if (this.length > 0) this.makeRoom();
    this.target = undefined;
  }

  protected override bytes(): Uint8Array {
    return (this.target as Target).bytes();
  }

  protected override makeRoom(): void {
    const ops = this.ops.subarray(0, this.length);
    const { used } = this;
    this.length = this.used = 0;
    (this.target as Target).push(ops, used);
  }

  protected override makeRoomForOps(): void {
    this.makeRoom();
  }
}

/** A tape in memory of its own. */
export class MemoryTape extends Tape {
  private buffer = new Uint8Array(4096);

  /** Starts a new tape. What {@link finish} returned before is overwritten, as it may be by whatever is written after it. */
  start(): this {
    this.total = this.length = this.used = 0;
    return this;
  }

  /** The whole tape. */
  finish(): { ops: Uint32Array; text: Uint8Array } {
    return { ops: this.ops.subarray(0, this.length), text: this.buffer.subarray(0, this.used) };
  }

  protected override bytes(): Uint8Array {
    return this.buffer;
  }

  protected override makeRoom(): void {
    const larger = new Uint8Array(this.buffer.length * 2);
    larger.set(this.buffer.subarray(0, this.used));
    this.buffer = larger;
  }

  protected override makeRoomForOps(): void {
    const larger = new Uint32Array(this.ops.length * 2);
    larger.set(this.ops);
    this.ops = larger;
  }
}

/** The low and high words of a length. */
export const low = (length: number): number => length >>> 0;
export const high = (length: number): number => Math.floor(length / 2 ** 32);

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
