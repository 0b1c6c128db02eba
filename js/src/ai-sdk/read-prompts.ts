/**
 * Prompts that were read. The SDK makes new objects of the same messages for each request, so nothing can be recognized by
 * the objects themselves; but their strings are the same, and comparing those costs little beside reading them.
 */
import { hashOf, keyOf } from "./history-keys.ts";
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
  /**
   * The messages of this request that a view has copies of. One that the compactor made is copied as well: a provider may
   * change in place what it is given, and a later view holds it again. For one request it is the same copy each time.
   */
  given(view: readonly Message[]): Message[];
}

/** A value as it was: its leaves, and the copy that nobody else holds. */
interface Kept<T> {
  readonly leaves: readonly unknown[];
  readonly own: T;
}

interface KeptMessage extends Kept<Message> {
  /** The hash of what its key is made of. */
  readonly hash: Uint8Array;
}

interface Chat {
  readonly scope: string;
  readonly messages: readonly KeptMessage[];
  readonly keys: readonly string[];
  readonly system: Kept<readonly Message[]>;
  readonly tools: Kept<unknown>;
  readonly schema: Kept<unknown>;
  /** Characters of all its texts. */
  readonly size: number;
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
    const kept: KeptMessage[] = [];
    const keys: string[] = [];
    try {
      for (const [at, message] of messages.entries()) {
        const earlier = chat?.messages[at];
        const same = earlier && (at < front || matches(earlier.leaves, message)) ? earlier : keep(message);
        kept.push(same);
        const known = at < front ? chat?.keys[at] : undefined;
        // No key looks like a scope.
        keys.push(known ?? keyOf(keys[at - 1] ?? `scope:${scope}`, same.hash));
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { ...beside, keys: null, own: messages, given: (view) => [...view] };
    }
    const now: Chat = {
      scope,
      messages: kept,
      keys,
      system: again(chat?.system, beside.system, copyOfList),
      tools: again(chat?.tools, beside.tools, copyOfList),
      schema: again(chat?.schema, beside.schema, (schema) => schema),
      size: sizeOf(kept),
    };
    this.remember(now, chat);
    const own = kept.map((one) => one.own);
    return {
      ...{ keys, own, system: now.system.own, tools: now.tools.own, schema: now.schema.own },
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
  return { leaves: leavesOf(message), own: copyOf(message), hash: hashOf(message) };
}

/** The same copy, if a value is as it was. */
function again<T>(before: Kept<unknown> | undefined, value: T, copy: (value: T) => T): Kept<T> {
  if (before && matches(before.leaves, value)) return before as Kept<T>;
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

function sizeOf(messages: readonly KeptMessage[]): number {
  let size = 0;
  for (const { leaves } of messages) for (const leaf of leaves) size += typeof leaf === "string" ? leaf.length : 8;
  return size;
}

/** Deep enough for any message: what is deeper is read again each time. */
const DEEPEST = 200;

/** What a value holds, flat: equal only for equal values, whose members stand in the same order. */
function leavesOf(value: unknown): unknown[] {
  const leaves: unknown[] = [];
  walk(value, 0, (leaf) => {
    leaves.push(leaf);
    return true;
  });
  return leaves;
}

function matches(leaves: readonly unknown[], value: unknown): boolean {
  let at = 0;
  return walk(value, 0, (leaf) => leaves[at++] === leaf) && at === leaves.length;
}

const ARRAY = Symbol("array");
const OBJECT = Symbol("object");
const END = Symbol("end");
const WRITTEN = Symbol("written");
const BYTES = Symbol("bytes");

/** Passes all there is to a value to `take`, until it returns false. */
function walk(value: unknown, depth: number, take: (leaf: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null) return take(value);
  // Never equal to anything.
  if (depth > DEEPEST) return take(Symbol("too deep"));
  if (Array.isArray(value)) {
    if (!take(ARRAY)) return false;
    for (let at = 0; at < value.length; at++) if (!walk(value[at], depth + 1, take)) return false;
    return take(END);
  }
  if (value instanceof URL || value instanceof Date) return take(WRITTEN) && take(String(value));
  if (ArrayBuffer.isView(value))
    return take(BYTES) && take(value.buffer) && take(value.byteOffset) && take(value.byteLength);
  if (value instanceof ArrayBuffer) return take(BYTES) && take(value);
  if (!take(OBJECT)) return false;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined && !(take(name) && walk(member, depth + 1, take))) return false;
  }
  return take(END);
}
