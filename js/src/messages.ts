import { PrecisError } from "./errors.ts";

/** Throws `messages-not-array` where a history is none. */
export function checkHistory(messages: unknown): asserts messages is readonly unknown[] {
  if (Array.isArray(messages)) return;
  throw new PrecisError("messages-not-array", "messages", "Pass the history as an array of messages, oldest first.");
}

/** The message at an index, which must be one. */
export function messageAt(messages: readonly unknown[], index: number): object {
  const found = messages[index];
  if (typeof found === "object" && found !== null) return found;
  throw new PrecisError(
    "message-hole",
    `messages[${index}]`,
    `Every entry must be a message, but this one is ${found === null ? "null" : `of type ${typeof found}`}.`,
  );
}
