import type { Conversation } from "./conversation.ts";
import type { Tree } from "./tree.ts";

/** The newest branch of a tree as a conversation, and the others behind it; nothing where no branch holds a message. */
export function branched<T>({ branches, doubts }: Tree<T>, read: (way: T[]) => Conversation): Conversation[] {
  const [newest, ...older] = branches.map((way) => () => read(way()));
  if (!newest) return [];
  const conversation = newest();
  return [{ ...conversation, ...(doubts.length > 0 && { doubts }), branches: older }];
}
