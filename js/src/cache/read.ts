import { type Ahead, digest } from "../boundary/digest.ts";
import { enter } from "../boundary/engine.ts";
import type { Again } from "../boundary/glue.ts";
import { Collector, Comparer, Leaf, type Leaves, NO_ROLE } from "../boundary/message-stamp.ts";
import { isOutOfStack, PrecisError } from "../errors.ts";
import type { ReadableFormat } from "../format.ts";
import { checkHistory, messageAt } from "../messages.ts";
import { holdsUnread, isForeign } from "../shapes.ts";
import type { Report, SessionState } from "../types.ts";
import { Indexes } from "./indexes.ts";
import { Recent, sizeOf } from "./recent.ts";

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

const UNREADABLE = 1;
const MISREAD = 2;
const GUESSED = 4;
/** Its format did not know some of it. */
const PARTLY = 8;

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

/** What a measurement leaves for the next one: as if nothing had been decided. */
export interface Measured {
  /** Messages it saw. */
  readonly count: number;
  /** For the engine. */
  readonly standing: Uint8Array;
  /** What else the next measurement has to be given to be the same. */
  readonly given: readonly unknown[];
}

/** What a call that had nothing to do leaves for the next one. */
export interface Rest extends Measured {
  /** The policies of the tools that it named, where a function says what they are. */
  readonly toolPolicy: unknown;
  /** The state that this one answered, which is among what the next call has to be given, and its members as they were. */
  readonly state: SessionState;
  readonly stamp: readonly unknown[];
  readonly changed: boolean;
  readonly keepFrom: number;
  readonly thinking: Report["thinking"];
  readonly provider: Report["provider"];
  /** What was sent; nobody else holds this array. */
  readonly view: unknown[];
  /** Which messages these are, as triples ({@link Outcome.view}): of the first `placed`; after them come all others. */
  readonly places: Uint32Array;
  readonly placed: number;
}

/** A message made by `Format.summary`. */
export interface Made {
  readonly id: string;
  readonly covers: number;
  readonly text: string;
  readonly message: object;
  /** The hash of the provider's own summary that it carries. */
  readonly block?: string | undefined;
}

/** A message made by `Format.replace`: the copy, and what was replaced in it. */
export interface Replaced {
  readonly key: string;
  readonly message: object;
}

/** A chat that was read before: its messages, and their records in one piece. */
interface Chat {
  readonly messages: object[];
  readonly entries: Entry[];
  /** Of messages that hold a role and a content and nothing else, which is most of them in many shapes. */
  readonly roles: unknown[];
  readonly contents: unknown[];
  /** Where each message's record ends in `words`. */
  readonly ends: number[];
  words: Uint32Array;
  readonly made: Made[];
  /** Another object once messages were replaced. */
  indexes: Indexes;
  rest: Rest | null;
  measured: Measured | null;
  /** An entry is or was misread or guessed. */
  odd: boolean;
  /** Characters of what its entries hold. */
  size: number;
}

/**
 * Reads messages and remembers them, for one compactor.
 *
 * A message is read again when anything its format says of it has changed by `===`; so a text replaced in place is
 * noticed, a member changed deep inside a call's input is not. Where a message holds nothing but plain values, and the
 * format said nothing else, its format is not asked again: they are compared. Another message, of which its format says
 * the same, is not read either: a chat may be loaded again for each request ({@link Recent}).
 */
export class Memory<Base> {
  private readonly entries = new WeakMap<object, Entry>();
  private readonly chats = new WeakMap<object, Chat>();
  private readonly copies = new WeakMap<object, Replaced>();
  private readonly collector = new Collector();
  private readonly recent = new Recent<Chat>();
  private comparer: Comparer | null = new Comparer();

  constructor(
    private readonly format: ReadableFormat<Base>,
    private readonly estimator: string,
    private readonly counter: ((text: string) => number) | null,
  ) {}

  /**
   * Reads a history. When it only grew since it was last seen, that costs a few comparisons per message and the
   * reading of what is new; if besides `isSame` says that the call is the one before, it is decided in the same go.
   *
   * @throws PrecisError `messages-not-array`, `message-hole`, or what reading a message's values throws.
   */
  history(messages: unknown, isSame?: (rest: Rest) => boolean): History {
    checkHistory(messages);
    const { length } = messages;
    if (length === 0) return new History(newChat(), 0, null, undefined);
    const { chat, known } = this.place(messages);
    const rest = chat.rest && chat.rest.count <= known ? chat.rest : null;
    const ahead: Ahead | null =
      rest && !chat.odd && isSame?.(rest) ? { known: NONE, standing: rest.standing, again: null } : null;
    if (known < length) {
      if (ahead) ahead.known = recordsOf(chat, rest?.count ?? 0, known);
      this.extend(chat, messages, known, ahead);
    }
    if (ahead && ahead.again === null) {
      const added = recordsOf(chat, rest?.count ?? 0, length);
      ahead.again = enter((glue) => glue.digest(this.estimator, NONE, NO_TEXT, added, ahead.standing)).again;
    }
    const [first, second] = chat.entries;
    if (first && second) this.recent.keep(chat, first.leaves, second.leaves);
    return new History(chat, length, rest, ahead?.again ?? undefined);
  }

  /** How many of these messages were never read, from which one on. */
  unread(messages: readonly unknown[]): { readonly from: number; readonly count: number } {
    const { known } = this.place(messages);
    return { from: known, count: messages.length - known };
  }

  /** Reads some messages ahead of the call that needs them, from an index on. Returns where to go on. */
  readAhead(messages: readonly unknown[], from: number): number {
    const missing: { message: object; path: string }[] = [];
    let at = from;
    for (; at < messages.length && missing.length < AHEAD; at++) {
      const message = messageAt(messages, at);
      if (!this.entries.has(message)) missing.push({ message, path: `messages[${at}]` });
    }
    this.read(missing);
    return at;
  }

  /** One message on its own. */
  entry(message: object, path: string): Entry {
    const entry = this.entries.get(message);
    if (entry && this.isSame(message as Base, entry)) return entry;
    return this.read([{ message, path }])[0] as Entry;
  }

  /** The newest copy of a message with parts replaced. */
  replaced(message: object): Replaced | undefined {
    return this.copies.get(message);
  }

  /** Keeps a copy to be found again. */
  remember(message: object, copy: Replaced): void {
    this.copies.set(message, copy);
  }

  /**
   * The chat these messages belong to, and how many from the start are those of the chat, unchanged. Its first message may
   * be a constant of the program: the second tells chats apart.
   */
  private place(messages: readonly unknown[]): { readonly chat: Chat; readonly known: number } {
    const first = messageAt(messages, 0);
    const second = messages.length > 1 ? messageAt(messages, 1) : undefined;
    const key = second ?? first;
    const own = this.chats.get(key);
    const like = own ? { chat: own, known: this.known(own, messages) } : second && this.like(messages, first, second);
    if (like) {
      const { chat, known } = like;
      const goesOn = known === Math.min(chat.messages.length, messages.length);
      if (goesOn || chat.messages[second ? 1 : 0] === key) {
        if (!own) this.chats.set(key, chat);
        return { chat, known: adopted(chat, messages, known) };
      }
    }
    // One that began as another did, at most.
    const chat = newChat();
    this.chats.set(key, chat);
    if (like) append(chat, messages, 0, like.chat.entries.slice(0, like.known));
    return { chat, known: like?.known ?? 0 };
  }

  /** The chat among those read last that has the most of these messages in front, and how many. */
  private like(messages: readonly unknown[], first: object, second: object): { chat: Chat; known: number } | undefined {
    if (this.recent.isEmpty) return undefined;
    let best: { chat: Chat; known: number } | undefined;
    for (const chat of this.recent.like(this.listen(first as Base), this.listen(second as Base))) {
      const known = this.known(chat, messages);
      if (known > (best?.known ?? 0)) best = { chat, known };
      if (known === messages.length) break;
    }
    return best;
  }

  /** How many messages from the start are those of the chat, or the same again. */
  private known(chat: Chat, messages: readonly unknown[]): number {
    const { messages: seen, entries, roles, contents } = chat;
    const most = Math.min(seen.length, messages.length);
    let count = 0;
    for (; count < most; count++) {
      const message = messages[count] as Simple | null | undefined;
      if (typeof message !== "object" || message === null) break;
      if (saysSimply(message, roles[count], contents[count])) continue;
      const isOther = message !== seen[count];
      if (!this.isSame(message as Base, entries[count] as Entry, isOther)) break;
    }
    return count;
  }

  /** Replaces what the chat holds from `from` on. */
  private extend(chat: Chat, messages: readonly unknown[], from: number, ahead: Ahead | null): void {
    const entries: (Entry | undefined)[] = [];
    const missing: { message: object; path: string }[] = [];
    for (let i = from; i < messages.length; i++) {
      const next = messageAt(messages, i);
      const entry = this.entries.get(next);
      const usable = entry !== undefined && this.isSame(next as Base, entry);
      entries.push(usable ? entry : undefined);
      if (!usable) missing.push({ message: next, path: `messages[${i}]` });
    }
    const read = this.read(missing, missing.length === entries.length ? ahead : null)[Symbol.iterator]();
    // Nothing throws from here on: a chat is never left half changed.
    if (chat.rest && from < chat.rest.count) chat.rest = null;
    if (chat.measured && from < chat.measured.count) chat.measured = null;
    if (from < chat.entries.length) chat.indexes = chat.indexes.upTo(from);
    for (let i = from; i < chat.entries.length; i++) {
      const entry = chat.entries[i] as Entry;
      entry.part(chat.words);
      chat.size -= sizeOf(entry.leaves);
    }
    if (chat.messages.length > from)
      for (const list of [chat.messages, chat.entries, chat.roles, chat.contents, chat.ends]) list.length = from;
    const added = entries.map((entry) => entry ?? (read.next().value as Entry));
    append(chat, messages, from, added);
  }

  private read(
    missing: readonly { readonly message: object; readonly path: string }[],
    ahead: Ahead | null = null,
  ): Entry[] {
    if (missing.length === 0) return [];
    const sources = missing.map(({ message, path }) => ({ path, leaves: this.listen(message as Base) }));
    return digest(sources, this.estimator, this.counter, ahead).map(({ words, at, guessed }, index) => {
      const { leaves } = sources[index] as { leaves: Leaves };
      const { message } = missing[index] as { message: object };
      const members = plainMembers(message, leaves);
      const unreadable = leaves[0] === NO_ROLE;
      const partly = leaves.includes(Leaf.opaque);
      const misread = unreadable || isForeign(message, this.format.name, partly);
      const marks =
        (unreadable ? UNREADABLE : 0) | (misread ? MISREAD : 0) | (guessed ? GUESSED : 0) | (partly ? PARTLY : 0);
      const entry = new Entry(leaves, words, at, marks, members);
      this.entries.set(message, entry);
      // A copy of what it was before.
      this.copies.delete(message);
      return entry;
    });
  }

  /** What the format says of a message; if it throws, says no role or would lose something, the message itself and nothing else. */
  private listen(message: Base): Leaves {
    this.collector.start();
    try {
      this.format.read(message, this.collector);
      const leaves = this.collector.finish();
      if (leaves[0] !== NO_ROLE && !holdsUnread(message as object, this.format.name)) return leaves;
    } catch (error) {
      if (error instanceof PrecisError || isOutOfStack(error)) throw error;
    }
    return [NO_ROLE, Leaf.opaque, message];
  }

  /** `isOther`: whether it is another message than the entry is of. */
  private isSame(message: Base, entry: Entry, isOther = false): boolean {
    const { leaves, members } = entry;
    if (isOther && !entry.isShared) return false;
    if (typeof members === "string") {
      if (saysSimply(message as Simple, members, leaves[SAID])) return true;
    } else if (members && holds(message as object, members)) return true;
    // A format may call the compactor: then it finds none to share.
    const comparer = this.comparer ?? new Comparer();
    this.comparer = null;
    comparer.start(leaves, isOther);
    try {
      this.format.read(message, comparer);
      const { roleless } = comparer;
      const same = comparer.finish();
      if (isOther) return same && !holdsUnread(message as object, this.format.name);
      return same || (leaves[0] === NO_ROLE && (roleless || holdsUnread(message as object, this.format.name)));
    } catch {
      comparer.finish();
      return leaves[0] === NO_ROLE;
    } finally {
      this.comparer = comparer;
    }
  }
}

/** Messages that are read ahead at a time. */
const AHEAD = 32;

const NONE = new Uint32Array(0);
const NO_TEXT = new Uint8Array(0);

function newChat(): Chat {
  return {
    ...{ messages: [], entries: [], roles: [], contents: [], ends: [] },
    ...{ words: NONE, size: 0, made: [], indexes: new Indexes(), rest: null, measured: null, odd: false },
  };
}

/** The first messages of a chat are these from now on, whose entries are the same. Returns how many they are. */
function adopted(chat: Chat, messages: readonly unknown[], known: number): number {
  let isOther = false;
  for (let at = 0; at < known; at++) {
    if (chat.messages[at] === messages[at]) continue;
    chat.messages[at] = messages[at] as object;
    isOther = true;
  }
  if (isOther && chat.rest)
    chat.rest = chat.rest.count <= known ? { ...chat.rest, view: viewOf(chat.rest, messages) } : null;
  return known;
}

/** What was sent, of these messages. */
function viewOf({ view, places, placed, count }: Rest, messages: readonly unknown[]): unknown[] {
  const now: unknown[] = [];
  for (let at = 0; at < places.length; at += 3) {
    const [kind, from, to] = [places[at], places[at + 1] as number, places[at + 2] as number];
    if (kind === 1) now.push(view[now.length]);
    else for (let i = from; i < to; i++) now.push(messages[i]);
  }
  for (let i = placed; i < count; i++) now.push(messages[i]);
  return now;
}

/** Adds messages behind those that a chat has. */
function append(chat: Chat, messages: readonly unknown[], from: number, added: readonly Entry[]): void {
  let end = from === 0 ? 0 : (chat.ends[from - 1] as number);
  const wanted = added.reduce((sum, entry) => sum + entry.length, end);
  if (wanted > chat.words.length) grow(chat, end, wanted);
  for (const [at, entry] of added.entries()) {
    entry.moveTo(chat.words, end);
    end += entry.length;
    chat.messages.push(messages[from + at] as object);
    chat.entries.push(entry);
    const { members, leaves } = entry;
    const simple = typeof members === "string";
    chat.roles.push(simple ? members : OTHER);
    chat.contents.push(simple ? leaves[SAID] : OTHER);
    if (entry.misread || entry.guessed) chat.odd = true;
    chat.ends.push(end);
    chat.size += sizeOf(leaves);
  }
}

/** The records of messages of a chat. */
function recordsOf({ words, ends }: Chat, from: number, to: number): Uint32Array {
  return from < to ? words.subarray(ends[from - 1] ?? 0, ends[to - 1]) : NONE;
}

/** What is compared instead of asking the format again: of a message whose own plain values are all there is to it. */
function plainMembers(message: object, leaves: Leaves): unknown[] | string | null {
  const { role, content } = message as Simple;
  // Most messages of many shapes: a role, and a text that is all the format has said.
  if (typeof role === "string" && typeof content === "string" && leaves.length === SAID + 1 && leaves[SAID] === content)
    if (hasTwo(message)) return role;
  const members: unknown[] = [];
  for (const name in message) {
    const value = (message as Record<string, unknown>)[name];
    if (!isPlain(value)) return null;
    members.push(name, value);
  }
  for (const leaf of leaves) if (!isPlain(leaf) || (typeof leaf === "string" && !members.includes(leaf))) return null;
  return members.slice();
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}

/** A message of a role and a content, in this order. */
interface Simple {
  readonly role: unknown;
  readonly content: unknown;
}

/** Stands where a message is none of those. */
const OTHER = {};

/** Where among the leaves of a message of one text that text is. */
const SAID = 2;

/** Whether a message has this role and this content and nothing else. What cannot be read does not. */
function saysSimply(message: Simple, role: unknown, content: unknown): boolean {
  try {
    return message.content === content && message.role === role && hasTwo(message);
  } catch {
    return false;
  }
}

function hasTwo(message: object): boolean {
  let count = 0;
  for (const _ in message) count++;
  return count === 2;
}

function holds(message: object, members: readonly unknown[]): boolean {
  let at = 0;
  for (const name in message) {
    if (members[at++] !== name || members[at++] !== (message as Record<string, unknown>)[name]) return false;
  }
  return at === members.length;
}

/** Makes room for `wanted` words: no more than that at first, because most chats are read as a whole. */
function grow(chat: Chat, used: number, wanted: number): void {
  const before = chat.words;
  chat.words = new Uint32Array(Math.max(wanted, used === 0 ? 0 : Math.ceil(used * 1.25), 256));
  chat.words.set(before.subarray(0, used));
  for (const entry of chat.entries) entry.follow(before, chat.words);
}
