/**
 * Prompts that were read. The SDK makes new objects of the same messages for each request, so nothing can be recognized by
 * the objects themselves; but their strings are the same, and comparing those costs little beside reading them.
 */
import { input } from "precis";
import { hashOf, keyOf } from "./history-keys.ts";
import { holdsCompaction } from "./provider.ts";
import { isSame, type Message } from "./steps.ts";

/** What a request has beside its messages. */
export interface Beside {
  readonly system: readonly Message[];
  readonly tools: unknown;
  readonly schema: unknown;
}

/** A prompt as it was read. */
export interface ReadPrompt extends Beside {
  /** A key of each of its beginnings, the shortest first ({@link keyOf}); null where a message cannot be compared. */
  readonly keys: readonly string[] | null;
  /** Copies of the messages: those of an equal message in an earlier prompt are the same objects. */
  readonly own: readonly Message[];
  /** Whether one of them holds what a provider has made of those before it. */
  readonly compacts: boolean;
  /**
   * The messages of this request that a view has copies of. One that the compactor made is copied as well: a provider may
   * change in place what it is given, and a later view holds it again. For one request it is the same copy each time.
   */
  given(view: readonly Message[]): Message[];
}

/** A value as it was: its leaves, and the copy that nobody else holds. */
interface KeptValue<T> {
  readonly leaves: readonly unknown[];
  readonly own: T;
}

interface KeptMessage extends KeptValue<Message> {
  /** The hash of what its key is made of. */
  readonly hash: Uint8Array;
  /** Characters of its texts, and something for everything else it holds. */
  readonly size: number;
  /** Whether it holds what a provider has made of the messages before it. */
  readonly compacts: boolean;
}

interface Chat {
  readonly scope: string;
  readonly messages: readonly KeptMessage[];
  readonly own: readonly Message[];
  readonly keys: readonly string[];
  readonly system: KeptValue<readonly Message[]>;
  readonly tools: KeptValue<unknown>;
  readonly schema: KeptValue<unknown>;
  /** Of all its messages. */
  readonly size: number;
  readonly compacts: boolean;
}

/** The chats whose newest prompt is remembered, and the characters that all of them may have. */
const MOST_CHATS = 64;
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Messages at the end that may differ from those of a chat that is taken without looking at others. */
const NEAR = 8;

/** Recognizes prompts by what they hold. */
export class ReadPrompts {
  /** The longest unused first. */
  private chats: Chat[] = [];

  /** Reads a prompt that begins with others that were read before, as far as it does. */
  read(messages: readonly Message[], scope: string, beside: Beside): ReadPrompt {
    const { chat, front } = this.find(messages, scope);
    // What is the same is not looked at again: a chat that only grew costs what is new.
    const kept = chat ? chat.messages.slice(0, front) : [];
    const own = chat ? chat.own.slice(0, front) : [];
    const keys = chat ? chat.keys.slice(0, front) : [];
    const grew = chat !== undefined && front === chat.messages.length;
    let size = grew ? chat.size : kept.reduce((sum, one) => sum + one.size, 0);
    let compacts = grew ? chat.compacts : kept.some((one) => one.compacts);
    try {
      for (let at = front; at < messages.length; at++) {
        const message = messages[at] as Message;
        const earlier = chat?.messages[at];
        const same = earlier && matches(earlier.leaves, message) ? earlier : keep(message);
        kept.push(same);
        own.push(same.own);
        // No key looks like a scope.
        keys.push(keyOf(keys[at - 1] ?? `scope:${scope}`, same.hash));
        size += same.size;
        compacts ||= same.compacts;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const compacts = holdsCompaction(messages);
      return { ...beside, keys: null, own: messages, compacts, given: (view) => [...view] };
    }
    const now: Chat = {
      scope,
      messages: kept,
      own,
      keys,
      system: again(chat?.system, beside.system, copyOfList),
      tools: again(chat?.tools, beside.tools, copyOfList),
      schema: again(chat?.schema, beside.schema, (schema) => schema),
      size,
      compacts,
    };
    this.remember(now, chat);
    return {
      ...{ keys, own, compacts, system: now.system.own, tools: now.tools.own, schema: now.schema.own },
      given: sending(own, messages),
    };
  }

  /** The chat that has the most of these messages in front, and how many. */
  private find(messages: readonly Message[], scope: string): { chat: Chat | undefined; front: number } {
    let [best, front]: [Chat | undefined, number] = [undefined, 0];
    for (let at = this.chats.length - 1; at >= 0; at--) {
      const chat = this.chats[at] as Chat;
      if (chat.scope !== scope) continue;
      let count = 0;
      while (count < messages.length && count < chat.messages.length) {
        if (!matches((chat.messages[count] as KeptMessage).leaves, messages[count])) break;
        count += 1;
      }
      if (count > front) [best, front] = [chat, count];
      if (front > 0 && front >= messages.length - NEAR) break;
    }
    return { chat: best, front };
  }

  private remember(now: Chat, before: Chat | undefined): void {
    const chats = this.chats.filter((chat) => chat !== before);
    chats.push(now);
    let size = chats.reduce((sum, chat) => sum + chat.size, 0);
    while (chats.length > MOST_CHATS || (chats.length > 0 && size > MOST_CHARACTERS)) size -= chats.shift()?.size ?? 0;
    this.chats = chats;
  }
}

function sending(own: readonly Message[], messages: readonly Message[]): ReadPrompt["given"] {
  let places: Map<Message, Message> | undefined;
  return (view) => {
    if (isSame(view, own)) return [...messages];
    places ??= new Map(own.map((one, at) => [one, messages[at] as Message]));
    const found = places;
    return view.map((one) => {
      const known = found.get(one) ?? copyOf(one);
      found.set(one, known);
      return known;
    });
  };
}

function keep(message: Message): KeptMessage {
  const leaves = leavesOf(message);
  const own = input.unchanging(copyOf(message));
  return { leaves, own, hash: hashOf(message), size: sizeOf(leaves), compacts: holdsCompaction([message]) };
}

/** The same copy, if a value is as it was. */
function again<T>(before: KeptValue<unknown> | undefined, value: T, copy: (value: T) => T): KeptValue<T> {
  if (before && matches(before.leaves, value)) return before as KeptValue<T>;
  return { leaves: leavesOf(value), own: copy(value) };
}

/** What nobody else holds, as deep as providers change messages in place. */
function copyOf(message: Message): Message {
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.map(copyOfPart) } : { ...message };
}

const copyOfPart = (part: unknown): unknown =>
  typeof part === "object" && part !== null && Object.getPrototypeOf(part) === Object.prototype ? { ...part } : part;

function copyOfList<T>(list: T): T {
  return Array.isArray(list) ? (list.map(copyOfPart) as T) : list;
}

function sizeOf(leaves: readonly unknown[]): number {
  let size = 0;
  for (const leaf of leaves) size += typeof leaf === "string" ? leaf.length : 8;
  return size;
}

/** Deep enough for any message: what is deeper is read again each time. */
const DEEPEST = 200;
const [ARRAY, OBJECT, END, WRITTEN, BYTES, TOO_DEEP] = ["array", "object", "end", "written", "bytes", "deep"].map(
  Symbol,
);

/**
 * What a value holds, flat: equal only for equal values, whose members stand in the same order. Texts are compared by
 * reference before they are read: the SDK makes new objects, and puts the same strings into them.
 */
function leavesOf(value: unknown): unknown[] {
  const leaves: unknown[] = [];
  write(leaves, value, 0);
  return leaves;
}

function write(leaves: unknown[], value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) leaves.push(value);
  else if (depth > DEEPEST) leaves.push(TOO_DEEP);
  else if (Array.isArray(value)) {
    leaves.push(ARRAY);
    for (let at = 0; at < value.length; at++) write(leaves, value[at], depth + 1);
    leaves.push(END);
  } else {
    const said = saidOf(value);
    if (said) return void leaves.push(...said);
    leaves.push(OBJECT);
    for (const name in value) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      leaves.push(name);
      write(leaves, member, depth + 1);
    }
    leaves.push(END);
  }
}

function matches(leaves: readonly unknown[], value: unknown): boolean {
  return after(leaves, 0, value, 0) === leaves.length;
}

/** The place behind a value whose leaves stand at `at`; -1 if others do. */
function after(leaves: readonly unknown[], at: number, value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return leaves[at] === value ? at + 1 : -1;
  // Too deep: equal to nothing.
  if (depth > DEEPEST) return -1;
  let next = at + 1;
  if (Array.isArray(value)) {
    if (leaves[at] !== ARRAY) return -1;
    for (let item = 0; item < value.length && next > 0; item++) next = after(leaves, next, value[item], depth + 1);
    return next > 0 && leaves[next] === END ? next + 1 : -1;
  }
  const said = saidOf(value);
  if (said) return said.every((part, index) => leaves[at + index] === part) ? at + said.length : -1;
  if (leaves[at] !== OBJECT) return -1;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    if (leaves[next] !== name) return -1;
    next = after(leaves, next + 1, member, depth + 1);
    if (next < 0) return -1;
  }
  return leaves[next] === END ? next + 1 : -1;
}

/** The leaves of what says itself what it is: an address, a date, bytes. Null for an object of members. */
function saidOf(value: object): readonly unknown[] | null {
  if (value.constructor === Object) return null;
  if (value instanceof URL || value instanceof Date) return [WRITTEN, String(value)];
  if (ArrayBuffer.isView(value)) return [BYTES, value.buffer, value.byteOffset, value.byteLength];
  return value instanceof ArrayBuffer ? [BYTES, value] : null;
}
