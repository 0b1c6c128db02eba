// Chats as files: enough to see what has to be stored. A database does the same with a row for each chat.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UIMessage } from "ai";
import type { ContextUsage, SessionState } from "precis";
import type { CompactionData } from "precis/ai-sdk";

export type ChatMessage = UIMessage<{ context?: ContextUsage }, { compaction: CompactionData }>;

interface Stored {
  readonly messages: ChatMessage[];
  readonly state: SessionState | null;
}

const folder = process.env.CHATS ?? "chats";

export async function load(id: string): Promise<Stored> {
  try {
    return JSON.parse(readFileSync(place(id), "utf8")) as Stored;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return { messages: [], state: null };
  }
}

/** Messages whole, the state beside them, both at once. `null`: the messages stay. */
export async function save(id: string, messages: ChatMessage[] | null, state: SessionState | null): Promise<void> {
  const next = { messages: messages ?? (await load(id)).messages, state };
  mkdirSync(folder, { recursive: true });
  const path = place(id);
  writeFileSync(`${path}.next`, JSON.stringify(next));
  renameSync(`${path}.next`, path);
}

const place = (id: string) => join(folder, `${encodeURIComponent(id)}.json`);
