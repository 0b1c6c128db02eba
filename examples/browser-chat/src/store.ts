// Chats in IndexedDB. Messages are only ever added, each at the next place, so no tab can erase what another one wrote.
// The state is replaced only by who has seen the one that is stored; who comes too late reads and decides again.
import type { SessionState } from "precis";

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}
export interface Chat {
  readonly messages: Message[];
  readonly state: SessionState | null;
  /** Counts how often the state was replaced. */
  readonly version: number;
}

const database = new Promise<IDBDatabase>((done, fail) => {
  const request = indexedDB.open("precis-chats", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("messages");
    request.result.createObjectStore("states");
  };
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

/** Messages and state of one moment. */
export async function load(chat: string): Promise<Chat> {
  return within("readonly", async (messages, states) => {
    const [history, kept] = await Promise.all([
      answer<Message[]>(messages.getAll(all(chat))),
      answer<Omit<Chat, "messages"> | undefined>(states.get(chat)),
    ]);
    return { messages: history, state: kept?.state ?? null, version: kept?.version ?? 0 };
  });
}

/** Adds a message after those that are there. */
export async function append(chat: string, message: Message): Promise<void> {
  return within("readwrite", async (messages) => {
    const count = await answer<number>(messages.count(all(chat)));
    await answer(messages.add(message, [chat, count]));
  });
}

/** Replaces the state that was read as `version`. False, and nothing happens, if another one is stored by now. */
export async function replace(chat: string, version: number, state: SessionState): Promise<boolean> {
  return within("readwrite", async (_, states) => {
    const kept = await answer<Omit<Chat, "messages"> | undefined>(states.get(chat));
    if ((kept?.version ?? 0) !== version) return false;
    await answer(states.put({ state, version: version + 1 }, chat));
    return true;
  });
}

/** One transaction over both, which is done when it is on the disk. */
async function within<T>(
  mode: IDBTransactionMode,
  work: (messages: IDBObjectStore, states: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = (await database).transaction(["messages", "states"], mode, { durability: "strict" });
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  const result = await work(transaction.objectStore("messages"), transaction.objectStore("states"));
  await done;
  return result;
}

const answer = <T>(request: IDBRequest) =>
  new Promise<T>((done, fail) => {
    request.onsuccess = () => done(request.result as T);
    request.onerror = () => fail(request.error);
  });

const all = (chat: string) => IDBKeyRange.bound([chat, 0], [chat, Number.MAX_SAFE_INTEGER]);
