/**
 * What a format said of a message, flat: `[role, word, operand, operand, word, …]`. The operands are the message's own
 * strings and objects, so the same run serves twice: it is written to the tape, and it is the stamp that tells, by
 * `===` alone, whether the message has changed since.
 */
import type { MediaKind, Reader, Role } from "../format.ts";
import { isEqual } from "../plain-equal.ts";

export type Leaves = readonly unknown[];

/** The kinds of words, in their low four bits; the rest is the kind's own number. */
export const Leaf = {
  text: 2,
  reasoning: 3,
  call: 4,
  result: 5,
  media: 6,
  opaque: 7,
  tool: 8,
  asked: 9,
  approved: 10,
  compaction: 11,
  speaker: 12,
  document: 13,
} as const;

/** A role nobody said. */
export const NO_ROLE = -1;

const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies Role[];
/** The kinds of media, in the order of their numbers on the tape. */
export const KINDS: readonly unknown[] = ["image", "pdf", "audio", "video", "file"] satisfies MediaKind[];

/** A reader that also takes the definitions of tools. */
export interface Listener extends Reader {
  tool(name: string, description: string, schema: unknown): void;
}

abstract class Taking implements Listener {
  protected said: number = NO_ROLE;

  protected abstract take(leaf: unknown): void;

  role(role: Role): void {
    this.said = ROLES.indexOf(role);
  }

  speaker(name: string): void {
    if (typeof name !== "string" || name === "") return;
    this.take(Leaf.speaker);
    this.take(name);
  }

  text(part: number, text: string): void {
    if (typeof text === "string") {
      this.take(Leaf.text | (numbered(part) << 4));
      this.take(text);
    } else this.opaque(text);
  }

  reasoning(text: string, signed: boolean, part?: number): void {
    this.take(Leaf.reasoning | (signed ? 16 : 0) | (place(part) << 5));
    this.take(typeof text === "string" ? text : "");
  }

  call(id: string | null | undefined, name: string, input: unknown, part?: number, executed?: boolean): void {
    this.take(Leaf.call | (executed === true ? 16 : 0) | (place(part) << 5));
    this.take(named(id));
    this.take(named(name));
    this.take(input);
  }

  result(part: number, id: string | null | undefined, output: unknown, failed: boolean, name?: string): void {
    this.take(Leaf.result | (failed ? 16 : 0) | (numbered(part) << 5));
    this.take(named(id));
    this.take(named(name));
    this.take(output);
  }

  media(kind: MediaKind, data: unknown, mediaType: string | undefined, part?: number, name?: string): void {
    const index = KINDS.indexOf(kind);
    this.take(Leaf.media | ((index < 0 ? KINDS.length - 1 : index) << 4) | (place(part) << 8));
    this.take(data);
    this.take(mediaType);
    this.take(name);
  }

  document(part: number, text: string, name?: string): void {
    if (typeof text === "string") {
      this.take(Leaf.document | (numbered(part) << 4));
      this.take(text);
      this.take(named(name));
    } else this.opaque(text);
  }

  approvalRequest(part: number, id: string, value: unknown): void {
    this.take(Leaf.asked | (numbered(part) << 4));
    this.take(named(id));
    this.take(value);
  }

  approvalResponse(part: number, id: string, value: unknown): void {
    this.take(Leaf.approved | (numbered(part) << 4));
    this.take(named(id));
    this.take(value);
  }

  compaction(part: number, text: string | undefined, value: unknown): void {
    this.take(Leaf.compaction | (typeof text === "string" ? 16 : 0) | (numbered(part) << 5));
    this.take(typeof text === "string" ? text : "");
    this.take(value ?? null);
  }

  opaque(value: unknown): void {
    if (value === undefined || value === null) return;
    this.take(Leaf.opaque);
    this.take(value);
  }

  tool(name: string, description: string, schema: unknown): void {
    this.take(Leaf.tool);
    this.take(named(name));
    this.take(named(description));
    this.take(schema);
  }
}

const numbered = (part: number): number => part & 0xffffff;
/** A number that may be missing: one more than it is, 0 for none. */
const place = (part: number | undefined): number => (part === undefined ? 0 : (part & 0x3fffff) + 1);
const named = (name: unknown): string =>
  typeof name === "string" ? name : name === undefined || name === null ? "" : String(name);

/** Keeps the leaves of a message. */
export class Collector extends Taking {
  private leaves: unknown[] = [];

  /** From here on. */
  start(): void {
    this.leaves = [NO_ROLE];
    this.said = NO_ROLE;
  }

  /** What was said since then. */
  finish(): Leaves {
    this.leaves[0] = this.said;
    // An array that grew has room for more.
    return this.leaves.slice();
  }

  protected override take(leaf: unknown): void {
    this.leaves.push(leaf);
  }
}

/** Compares the leaves of a message with those that were kept; allocates nothing. */
export class Comparer extends Taking {
  private leaves: Leaves = [];
  private index = 0;
  private same = true;
  private isOther = false;

  /** From here on: is it the same as `leaves`? `isOther`: it is another message, whose objects may be equal to those. */
  start(leaves: Leaves, isOther = false): void {
    this.leaves = leaves;
    this.isOther = isOther;
    this.index = 1;
    this.same = true;
    this.said = NO_ROLE;
  }

  /** Whether no role was said. */
  get roleless(): boolean {
    return this.said === NO_ROLE;
  }

  /** Whether all of it was said again. */
  finish(): boolean {
    const { leaves } = this;
    this.leaves = [];
    return this.same && this.index === leaves.length && this.said === leaves[0];
  }

  protected override take(leaf: unknown): void {
    const kept = this.leaves[this.index++];
    if (kept !== leaf && !(this.isOther && this.same && isEqual(kept, leaf))) this.same = false;
  }
}
