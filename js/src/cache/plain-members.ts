/**
 * Messages that hold nothing but plain values: they are compared by these, and their format is not asked again. Internal.
 */
import type { Leaves } from "../boundary/message-stamp.ts";

/** What is compared instead of asking the format again: of a message whose own plain values are all there is to it. */
export function plainMembers(message: object, leaves: Leaves): unknown[] | string | null {
  const { role, content } = message as Simple;
  // Most messages of many shapes: a role, and a text that is all the format has said.
  if (typeof role === "string" && typeof content === "string" && leaves.length === SAID + 1 && leaves[SAID] === content)
    if (hasTwo(message)) return role;
  const members: unknown[] = [];
  for (const name in message) {
    const value = (message as Record<string, unknown>)[name];
    if (!isPlain(value)) return null;
    members.push(name, value);
  }
  for (const leaf of leaves) if (!isPlain(leaf) || (typeof leaf === "string" && !members.includes(leaf))) return null;
  return members.slice();
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== "object" && typeof value !== "function");
}

/** A message of a role and a content, in this order. */
export interface Simple {
  readonly role: unknown;
  readonly content: unknown;
}

/** Where among the leaves of a message of one text that text is. */
export const SAID = 2;

/** Whether a message has this role and this content and nothing else. What cannot be read does not. */
export function saysSimply(message: Simple, role: unknown, content: unknown): boolean {
  try {
    return message.content === content && message.role === role && hasTwo(message);
  } catch {
    return false;
  }
}

/** The content of a message, read once; undefined if it cannot be read. */
export function contentOf(message: Simple): unknown {
  try {
    return message.content;
  } catch {
    return undefined;
  }
}

function hasTwo(message: object): boolean {
  let count = 0;
  for (const _ in message) count++;
  return count === 2;
}

/** Whether a message has these names and values and nothing else, in this order. */
export function holds(message: object, members: readonly unknown[]): boolean {
  let at = 0;
  for (const name in message) {
    if (members[at++] !== name || members[at++] !== (message as Record<string, unknown>)[name]) return false;
  }
  return at === members.length;
}
