/**
 * A chat that was read before, and what its last calls left for the next one. Internal.
 */
import type { Leaves } from "../boundary/message-stamp.ts";
import type { Report, SessionState } from "../types.ts";
import { isUnchanging } from "../unchanging.ts";
import type { Entry } from "./entry.ts";
import { Indexes } from "./indexes.ts";
import { SAID } from "./plain-members.ts";
import { sizeOf } from "./recent.ts";

/** A chat that was read before: its messages, and their records in one piece. */
export interface Chat {
  readonly messages: object[];
  readonly entries: Entry[];
  /** What each message said itself; null where that of its entry was said by an equal one. */
  readonly said: (Leaves | null)[];
  /** Of messages that hold a role and a content and nothing else, which is most of them in many shapes. */
  readonly roles: unknown[];
  /** The same; {@link UNCHANGING} where the message cannot have changed as long as it is the same object. */
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
  /** What the provider must be sent for a summary of its own, which the engine knows of the whole history alone. */
  readonly provider: Report["provider"];
  /** The report of the next call, but for what is different each time. */
  readonly template: Report | undefined;
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
}

export function newChat(): Chat {
  return {
    ...{ messages: [], entries: [], said: [], roles: [], contents: [], ends: [] },
    ...{ words: NONE, size: 0, made: [], indexes: new Indexes(), rest: null, measured: null, odd: false },
  };
}

/** The first messages of a chat are these from now on, whose entries are the same. Returns how many they are. */
export function adopted(chat: Chat, messages: readonly unknown[], known: number): number {
  let isOther = false;
  for (let at = 0; at < known; at++) {
    if (chat.messages[at] === messages[at]) continue;
    chat.messages[at] = messages[at] as object;
    chat.said[at] = null;
    if (chat.contents[at] === UNCHANGING) note(chat, at, chat.entries[at] as Entry);
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

/** Adds messages behind those that a chat has. `areOwn`: the entries are of these messages, and not of equal ones. */
export function append(
  chat: Chat,
  messages: readonly unknown[],
  from: number,
  added: readonly Entry[],
  areOwn = true,
): void {
  let end = from === 0 ? 0 : (chat.ends[from - 1] as number);
  const wanted = added.reduce((sum, entry) => sum + entry.length, end);
  if (wanted > chat.words.length) grow(chat, end, wanted);
  for (const [at, entry] of added.entries()) {
    entry.moveTo(chat.words, end);
    end += entry.length;
    chat.messages.push(messages[from + at] as object);
    chat.entries.push(entry);
    chat.said.push(areOwn ? entry.leaves : null);
    note(chat, from + at, entry);
    if (entry.misread || entry.guessed) chat.odd = true;
    chat.ends.push(end);
    chat.size += sizeOf(entry.leaves);
  }
}

/** Notes how a message is compared when it comes again. */
function note({ messages, roles, contents }: Chat, at: number, { members, leaves }: Entry): void {
  const simple = typeof members === "string";
  roles[at] = simple ? members : OTHER;
  contents[at] = isUnchanging(messages[at] as object) ? UNCHANGING : simple ? leaves[SAID] : OTHER;
}

/** The records of messages of a chat. */
export function recordsOf({ words, ends }: Chat, from: number, to: number): Uint32Array {
  return from < to ? words.subarray(ends[from - 1] ?? 0, ends[to - 1]) : NONE;
}

/** Makes room for `wanted` words: no more than that at first, because most chats are read as a whole. */
function grow(chat: Chat, used: number, wanted: number): void {
  const before = chat.words;
  chat.words = new Uint32Array(Math.max(wanted, used === 0 ? 0 : Math.ceil(used * 1.25), 256));
  chat.words.set(before.subarray(0, used));
  for (const entry of chat.entries) entry.follow(before, chat.words);
}

/** Stands where a message is none of those. */
const OTHER = {};

/** Stands for the content of a message that nobody changes. */
export const UNCHANGING = {};

/** No records. */
export const NONE = new Uint32Array(0);
