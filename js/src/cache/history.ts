import type { Again } from "../boundary/glue.ts";
import { type Chat, type Made, type Measured, type Rest, recordsOf } from "./chat.ts";
import type { Entry } from "./entry.ts";
import type { Indexes } from "./indexes.ts";

/** A whole history, as the engine takes it. What it holds is the chat's own: another call may read more of it. */
export class History {
  readonly unreadable: number[] = NOWHERE;
  readonly guessed: boolean = false;
  /** Messages that their format does not understand. */
  readonly misread: number = 0;
  private readonly known: Indexes;

  constructor(
    private readonly chat: Chat,
    private readonly count: number,
    /** What the last call of this chat left, if the messages it saw are the first of these, unchanged. */
    readonly rest: Rest | null,
    /** What comes of adding those after it, where that is all there is to this call, and no more than numbers. */
    readonly again: Again | undefined,
  ) {
    this.known = chat.indexes;
    if (!chat.odd) return;
    this.unreadable = [];
    this.again = undefined;
    for (let i = 0; i < count; i++) {
      const entry = chat.entries[i] as Entry;
      if (entry.unreadable) this.unreadable.push(i);
      if (entry.misread) this.misread += 1;
      if (entry.guessed) this.guessed = true;
    }
    if (this.unreadable.length === 0) this.unreadable = NOWHERE;
  }

  get entries(): readonly Entry[] {
    return this.chat.entries;
  }

  /** Messages made for this chat, to be found again. */
  get made(): Made[] {
    return this.chat.made;
  }

  /** What searches keep of these messages; undefined once the chat has others in their place. */
  get indexes(): Indexes | undefined {
    return this.chat.indexes === this.known ? this.known : undefined;
  }

  /** The records of the messages from one on, one after another. */
  records(from = 0): Uint32Array {
    return recordsOf(this.chat, from, this.count);
  }

  /** Keeps what a call leaves. */
  leave(rest: Rest | null): void {
    this.chat.rest = rest;
  }

  /** What a measurement left, if the messages it saw are the first of these, unchanged. */
  get measured(): Measured | null {
    return this.chat.measured;
  }

  /** Keeps what a measurement leaves. */
  leaveMeasured(measured: Measured | null): void {
    this.chat.measured = measured;
  }
}

/** The same array each time, so that it is seen at once that there are none. */
export const NOWHERE: number[] = [];
