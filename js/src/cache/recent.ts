/**
 * The chats that were read last, to be recognized by what they hold: a server that loads a chat for each request has new
 * objects of the same texts each time, and comparing those costs little beside reading them.
 */
import type { Leaves } from "../boundary/message-stamp.ts";

/** How many there are, and the characters that all of them may have. */
const MOST = 64;
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Chats that begin alike which are compared with a new one. */
const MOST_ALIKE = 8;

/** A chat, with the characters of all its texts. */
interface Sized {
  readonly size: number;
}

interface KeptChat {
  readonly first: Leaves;
  readonly second: Leaves;
  readonly key: string;
  readonly size: number;
}

/** Keeps chats by how they begin. */
export class Recent<Chat extends Sized> {
  /** The longest unused first. */
  private readonly chats = new Map<Chat, KeptChat>();
  private newest: Chat | undefined;
  private size = 0;

  get isEmpty(): boolean {
    return this.chats.size === 0;
  }

  /** Chats that begin so, the newest first. */
  like(first: Leaves, second: Leaves): Chat[] {
    const wanted = keyOf(first, second);
    const found: Chat[] = [];
    for (const [chat, { key }] of this.chats) if (key === wanted) found.push(chat);
    return found.reverse().slice(0, MOST_ALIKE);
  }

  /** Keeps a chat as the newest one. */
  keep(chat: Chat, first: Leaves, second: Leaves): void {
    const known = this.chats.get(chat);
    const begins = known?.first === first && known.second === second;
    if (this.newest === chat && begins && known.size === chat.size) return;
    if (known) this.drop(chat, known);
    this.newest = chat;
    const key = begins ? known.key : keyOf(first, second);
    this.chats.set(chat, { first, second, key, size: chat.size });
    this.size += chat.size;
    for (const [oldest, kept] of this.chats) {
      if (this.chats.size <= MOST && this.size <= MOST_CHARACTERS) break;
      this.drop(oldest, kept);
    }
  }

  private drop(chat: Chat, { size }: KeptChat): void {
    this.chats.delete(chat);
    this.size -= size;
    if (this.newest === chat) this.newest = undefined;
  }
}

/** Characters of each of the first texts of a message that a key has, and how many texts. */
const LEAST = 32;
const TEXTS = 4;

/** What tells apart most chats whose first messages differ. */
function keyOf(first: Leaves, second: Leaves): string {
  const of = (leaves: Leaves) => {
    const texts = leaves.filter((leaf) => typeof leaf === "string").slice(0, TEXTS);
    return texts.map((text) => `${text.length}:${text.slice(0, LEAST)}`).join();
  };
  return `${of(first)};${of(second)}`;
}

/** Characters of all that leaves hold: what keeping them keeps from being collected. */
export function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || depth > DEEPEST) return 0;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  // A list of the host's may grow while it is read.
  const { length } = members;
  let size = LEAST;
  for (let at = 0; at < length; at++) size += sizeOf(members[at], depth + 1);
  return size;
}

const DEEPEST = 200;
