import { enter } from "../boundary/engine.ts";
import { Collector, Comparer, Leaf, type Leaves, NO_ROLE } from "../boundary/message-stamp.ts";
import { type Ahead, makeRecords } from "../boundary/records.ts";
import { isOutOfStack, PrecisError } from "../errors.ts";
import type { ReadableFormat } from "../format.ts";
import { checkHistory, messageAt } from "../messages.ts";
import { isEqual } from "../plain-equal.ts";
import { holdsUnread, isForeign } from "../shapes.ts";
import { adopted, append, type Chat, NONE, newChat, type Rest, recordsOf, UNCHANGING } from "./chat.ts";
import { Entry, marksOf } from "./entry.ts";
import { History } from "./history.ts";
import { contentOf, holds, plainMembers, SAID, type Simple, saysSimply } from "./plain-members.ts";
import { Recent, sizeOf } from "./recent.ts";

/** A message made by `Format.replace`: the copy, and what was replaced in it. */
export interface Replaced {
  readonly key: string;
  readonly message: object;
}

/**
 * Reads messages and remembers them, for one compactor.
 *
 * A message is read again when anything its format says of it has changed by `===`; so a text replaced in place is
 * noticed, a member changed deep inside a call's input is not. Where a message holds nothing but plain values, and the
 * format said nothing else, its format is not asked again: they are compared. Nor is it asked about a message that nobody
 * changes (`unchanging.ts`). Another message, of which its format says the same, is not read either: a chat may be loaded
 * again for each request ({@link Recent}).
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
      ahead.again = enter((glue) => glue.records(this.estimator, NONE, NO_TEXT, added, ahead.standing)).again;
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
    if (like) append(chat, messages, 0, like.chat.entries.slice(0, like.known), false);
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
    const { messages: seen, entries, said, roles, contents } = chat;
    const most = Math.min(seen.length, messages.length);
    let count = 0;
    for (; count < most; count++) {
      const message = messages[count] as Simple | null | undefined;
      if (typeof message !== "object" || message === null) break;
      if (contents[count] === UNCHANGING && message === seen[count]) continue;
      const isOther = message !== seen[count];
      if (!isOther && said[count] === null) {
        if (this.takesOver(chat, count)) continue;
        break;
      }
      if (saysSimply(message, roles[count], contents[count])) continue;
      const own = isOther ? undefined : (said[count] ?? undefined);
      if (!this.isSame(message as Base, entries[count] as Entry, isOther, own)) break;
    }
    return count;
  }

  /**
   * Whether a message still says what an equal one has said. It is compared by its own values from then on: by those of the
   * other each text would be compared letter by letter, and each object be another one.
   */
  private takesOver({ messages, entries, said, roles, contents }: Chat, at: number): boolean {
    const message = messages[at] as Base & Simple;
    const entry = entries[at] as Entry;
    if (typeof entry.members === "string") {
      const content = contentOf(message);
      if (content === contents[at] && saysSimply(message, roles[at], content)) {
        contents[at] = content;
        said[at] = entry.leaves;
        return true;
      }
    }
    const own = this.listen(message);
    if (!entry.isShared || !isEqual(own, entry.leaves)) return false;
    said[at] = own;
    return true;
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
      for (const list of [chat.messages, chat.entries, chat.said, chat.roles, chat.contents, chat.ends])
        list.length = from;
    const added = entries.map((entry) => entry ?? (read.next().value as Entry));
    append(chat, messages, from, added);
  }

  private read(
    missing: readonly { readonly message: object; readonly path: string }[],
    ahead: Ahead | null = null,
  ): Entry[] {
    if (missing.length === 0) return [];
    const sources = missing.map(({ message, path }) => ({ path, leaves: this.listen(message as Base) }));
    return makeRecords(sources, this.estimator, this.counter, ahead).map(({ words, at, guessed }, index) => {
      const { leaves } = sources[index] as { leaves: Leaves };
      const { message } = missing[index] as { message: object };
      const members = plainMembers(message, leaves);
      const unreadable = leaves[0] === NO_ROLE;
      const partly = leaves.includes(Leaf.opaque);
      const misread = unreadable || isForeign(message, this.format.name, partly);
      const marks = marksOf({ unreadable, misread, guessed, partly });
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

  /** `isOther`: whether it is another message than the entry is of. `leaves`: what it is compared with. */
  private isSame(message: Base, entry: Entry, isOther = false, leaves = entry.leaves): boolean {
    const { members } = entry;
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

const NO_TEXT = new Uint8Array(0);
