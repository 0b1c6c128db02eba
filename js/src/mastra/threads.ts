/**
 * The state of a chat in the metadata of its thread, where Mastra's memory keeps what belongs to it.
 */
import type { SessionState } from "precis";

/** A memory of Mastra's, as far as it is used here. */
export interface ThreadMemory {
  // biome-ignore lint/suspicious/noExplicitAny: Mastra's own types differ from version to version.
  getThreadById(args: any): PromiseLike<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  updateThread(args: any): PromiseLike<any>;
}

interface Thread {
  readonly id: string;
  readonly title?: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** The member of the metadata. */
const KEY = "precis";

export async function loadState(memory: ThreadMemory, threadId: string): Promise<SessionState | null> {
  const thread = (await memory.getThreadById({ threadId })) as Thread | null;
  return (thread?.metadata?.[KEY] as SessionState | undefined) ?? null;
}

/**
 * Writes a state beside all else in the metadata, as it is now. Somebody else's state that is newer than `previous` stays:
 * returns false then, and where the thread is not there.
 */
export async function saveState(
  memory: ThreadMemory,
  threadId: string,
  state: SessionState,
  previous: number,
): Promise<boolean> {
  const thread = (await memory.getThreadById({ threadId })) as Thread | null;
  if (!thread) return false;
  const stored = thread.metadata?.[KEY] as SessionState | undefined;
  if ((stored?.revision ?? 0) > previous) return false;
  await memory.updateThread({ id: threadId, title: thread.title, metadata: { ...thread.metadata, [KEY]: state } });
  return true;
}
