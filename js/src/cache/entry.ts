import type { Leaves } from "../boundary/message-stamp.ts";

/**
 * A message that was read: what its format said, and the engine's record of it. There are as many as messages, so each takes
 * as little as it can: the record stands among those of its chat.
 */
export class Entry {
  constructor(
    readonly leaves: Leaves,
    private words: Uint32Array,
    private at: number,
    private readonly marks: number,
    /**
     * Names and values of its members, if it holds nothing but plain values and the format said nothing else; of a message
     * that is a role and a text, the role alone.
     */
    readonly members: readonly unknown[] | string | null,
  ) {}

  /** Its format did not say who speaks, or threw. */
  get unreadable(): boolean {
    return (this.marks & UNREADABLE) !== 0;
  }

  /** It is unreadable, or made for another format. */
  get misread(): boolean {
    return (this.marks & MISREAD) !== 0;
  }

  /** The host's counter failed on it. */
  get guessed(): boolean {
    return (this.marks & GUESSED) !== 0;
  }

  /** Another message of the same leaves has the same record. */
  get isShared(): boolean {
    return (this.marks & (UNREADABLE | MISREAD | GUESSED | PARTLY)) === 0;
  }

  get record(): Uint32Array {
    return this.words.subarray(this.at, this.at + this.length);
  }

  /** Words of the record. */
  get length(): number {
    return this.words[this.at] ?? 0;
  }

  /** Writes the record, which stands there from now on: whoever writes something else there lets it {@link part} first. */
  moveTo(words: Uint32Array, at: number): void {
    if (this.words !== words || this.at !== at) words.set(this.record, at);
    this.words = words;
    this.at = at;
  }

  /** Takes the record out of these words. */
  part(from: Uint32Array): void {
    if (this.words === from) this.moveTo(new Uint32Array(this.length), 0);
  }

  /** The words were copied. */
  follow(from: Uint32Array, to: Uint32Array): void {
    if (this.words === from) this.words = to;
  }
}

/** How a message was read, as the bits of {@link Entry}. */
export function marksOf(read: {
  readonly unreadable: boolean;
  readonly misread: boolean;
  readonly guessed: boolean;
  /** Its format did not know some of it. */
  readonly partly: boolean;
}): number {
  return (
    (read.unreadable ? UNREADABLE : 0) |
    (read.misread ? MISREAD : 0) |
    (read.guessed ? GUESSED : 0) |
    (read.partly ? PARTLY : 0)
  );
}

const UNREADABLE = 1;
const MISREAD = 2;
const GUESSED = 4;
const PARTLY = 8;
