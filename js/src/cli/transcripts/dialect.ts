import type { Conversation, Shape } from "./conversation.ts";
import type { Recorded } from "./records.ts";

/** One way to write chat messages; told apart from the others by what only it has. */
export interface Dialect {
  readonly shape: Shape;
  accepts(record: Recorded): boolean;
  convert(record: Recorded): Omit<Conversation, "file" | "name" | "shape">;
}
