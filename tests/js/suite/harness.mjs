// All that the suite needs of a test runner; a runtime without node:test has another file in its place.
export { deepEqual, equal, match, notDeepEqual, notEqual, ok, rejects, throws } from "node:assert/strict";
export { test } from "node:test";

/** Freezes a message and all in it, so that whoever changes it throws. */
export function frozen(value) {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** Whether two lists hold the same objects in the same order. */
export const same = (one, other) => one.length === other.length && one.every((item, index) => item === other[index]);

/** A chat of OpenAI's shape: turns of a person and the model, `size` characters each. */
export function chat(messages, size = 200) {
  return Array.from({ length: messages }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `message ${i} of the chat about order ${4700 + i}; `.repeat(Math.ceil(size / 42)).slice(0, size),
  }));
}

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
