// A recorded session in a form that every row can be made of: what each message says, and what it weighs.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens that chat APIs add to each message. */
const OVERHEAD = 4;

/** Reads a message through its format: role, its parts with their text, all of its text, and its tokens (o200k). */
export function reader(format) {
  const known = new WeakMap();
  return (message) => {
    const item = known.get(message) ?? read(format, message);
    known.set(message, item);
    return item;
  };
}

function read(format, message) {
  const item = { role: "assistant", parts: [], message };
  format.read(message, {
    role(role) {
      item.role = role;
    },
    text: (_, text) => void item.parts.push({ type: "text", text }),
    reasoning: () => {},
    call: (id, name, input) => void item.parts.push({ type: "call", id, name, input, text: leaves(input).join("\n") }),
    result: (_, id, output) => void item.parts.push({ type: "result", id, output, text: leaves(output).join("\n") }),
    media: () => {},
    opaque: () => {},
  });
  item.text = item.parts.map(({ text }) => text).join("\n");
  item.tokens = tokensOf(item.text) + OVERHEAD;
  return item;
}

/** All strings and numbers of a value, members in their order; text that is JSON is looked into. */
function leaves(value) {
  if (typeof value === "string") {
    const parsed = /^\s*[[{]/.test(value) ? parse(value) : null;
    return parsed ? leaves(parsed) : [value];
  }
  if (typeof value === "number") return [String(value)];
  if (value && typeof value === "object") return Object.values(value).flatMap(leaves);
  return [];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function tokensOf(text) {
  return countTokens(text, { disallowedSpecial: new Set() });
}

export const total = (items) => items.reduce((sum, { tokens }) => sum + tokens, 0);

/** The newest items within a budget: whole groups, never an answer without its call. */
export function newest(items, budget) {
  let from = items.length;
  for (let sum = 0, at = items.length - 1; at >= 0; at--) {
    sum += items[at].tokens;
    if (sum > budget) break;
    if (!items[at].parts.some(({ type }) => type === "result")) from = at;
  }
  return items.slice(from);
}
