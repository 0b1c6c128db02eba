// Chats in SQLite, which comes with Node: messages are only added, the state is replaced only by who has seen the one that
// is stored. Any number of requests, and of processes, may write at the same time.
import { DatabaseSync } from "node:sqlite";
import type { UIMessage } from "ai";
import type { ContextUsage, SessionState } from "precis";
import type { CompactionData, StateStore } from "precis/ai-sdk";

export type ChatMessage = UIMessage<{ context?: ContextUsage }, { compaction: CompactionData }>;

/** Opened when it is first needed: a build reads no chat. */
let opened: DatabaseSync | undefined;

function database(): DatabaseSync {
  if (opened) return opened;
  const path = process.env.CHATS ?? "chats.db";
  const made = new DatabaseSync(path);
  made.exec(`
    PRAGMA busy_timeout = 5000;
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS message (
      chat TEXT, seq INTEGER, id TEXT, json TEXT, PRIMARY KEY (chat, seq), UNIQUE (chat, id)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS state (chat TEXT PRIMARY KEY, revision INTEGER, json TEXT) STRICT;
  `);
  opened = made;
  return made;
}

/** All messages of a chat. */
export function messagesOf(chat: string): ChatMessage[] {
  const rows = database().prepare("SELECT json FROM message WHERE chat = ? ORDER BY seq").all(chat);
  return rows.map(({ json }) => JSON.parse(json as string) as ChatMessage);
}

/**
 * Adds a message behind all others. `known`: the very same one is there already, as when a browser sends again.
 * `other`: another one has its id, and nothing is stored.
 */
export function append(chat: string, message: ChatMessage): "added" | "known" | "other" {
  const json = JSON.stringify(message);
  // One statement, so nobody can come between finding the place and taking it.
  const { changes } = database()
    .prepare(
      `INSERT INTO message SELECT ?1, coalesce(max(seq) + 1, 0), ?2, ?3 FROM message WHERE chat = ?1
       ON CONFLICT DO NOTHING`,
    )
    .run(chat, message.id, json);
  if (changes === 1) return "added";
  const kept = database().prepare("SELECT json FROM message WHERE chat = ? AND id = ?").get(chat, message.id);
  return kept?.json === json ? "known" : "other";
}

/** Where precis keeps its states, with compare-and-set on their revision. */
export const states: StateStore = {
  async load(key) {
    const row = database().prepare("SELECT json FROM state WHERE chat = ?").get(key);
    return row ? (JSON.parse(row.json as string) as SessionState) : null;
  },
  async save(key, state, previous) {
    const json = JSON.stringify(state);
    const { changes } =
      previous === null
        ? database().prepare("INSERT INTO state VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(key, state.revision, json)
        : database()
            .prepare("UPDATE state SET revision = ?, json = ? WHERE chat = ? AND revision = ?")
            .run(state.revision, json, key, previous);
    return changes === 1;
  },
};
