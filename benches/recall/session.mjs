// A recorded session in a form that every row can be made of: what each message says, and what it weighs; and as a past
// that can be asked where in it a thing stood.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { repeated, stretches } from "./cjk.mjs";
import { holds, searchable } from "./holds.mjs";
import { names, namesOf } from "./names.mjs";
import { phrases } from "./phrases.mjs";
import { lexical } from "./things.mjs";

/** Tokens that chat APIs add to each message. */
const OVERHEAD = 4;

/**
 * Reads a message through its format: role, its parts with their text, all of its text, and its tokens (o200k). What was
 * thought is searched as the rest is, but nothing of it counts as used.
 */
export function reader(format) {
  const known = new WeakMap();
  return (message) => {
    const item = known.get(message) ?? read(format, message);
    known.set(message, item);
    return item;
  };
}

function read(format, message) {
  const parts = [];
  const thoughts = [];
  const add = (part, value) => {
    const leaves = leavesOf(value);
    parts.push({ ...part, leaves, text: leaves.join("\n") });
  };
  let role = "assistant";
  format.read(message, {
    role(said) {
      role = said;
    },
    speaker: () => {},
    text: (_, text) => void parts.push({ type: "text", text, leaves: [] }),
    reasoning: (thought) => void thoughts.push(thought),
    call: (id, name, input) => add({ type: "call", id, name, input }, input),
    result: (_, id, output) => add({ type: "result", id, output }, output),
    media: () => {},
    document: () => {},
    opaque: () => {},
  });
  return itemOf(role, parts, message, thoughts.join("\n"));
}

/** A message in this form. Its tokens, its things and its searchable text are made when they are asked for, once. */
export function itemOf(role, parts, message = null, thoughts = "") {
  const text = parts.map((part) => part.text).join("\n");
  return {
    role,
    parts,
    message,
    text,
    leaves: parts.flatMap(({ leaves = [] }) => leaves.filter((leaf) => leaf.length < 60)),
    get tokens() {
      return once(this, "tokens", tokensOf(text) + OVERHEAD);
    },
    get searched() {
      return once(this, "searched", searchable(thoughts ? `${text}\n${thoughts}` : text));
    },
  };
}

function once(item, name, value) {
  Object.defineProperty(item, name, { value });
  return value;
}

/** All strings and numbers of a value, members in their order; text that is JSON is looked into. */
export function leavesOf(value) {
  if (typeof value === "string") {
    const parsed = /^\s*[[{]/.test(value) ? parse(value) : null;
    return parsed ? leavesOf(parsed) : [value];
  }
  if (typeof value === "number") return [String(value)];
  if (value && typeof value === "object") return Object.values(value).flatMap(leavesOf);
  return [];
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const counted = new Map();

export function tokensOf(text) {
  if (text.length > 200) return countTokens(text, { disallowedSpecial: new Set() });
  if (!counted.has(text)) counted.set(text, countTokens(text, { disallowedSpecial: new Set() }));
  return counted.get(text);
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

/** Things of these classes are looked for in every message; the others only where their longest word stands. */
const ANYWHERE = new Set(["cjk", "phrases", "dates"]);

/** What a session used, and where it had stood: each is looked up once. */
export function pastOf(items) {
  const said = namesOf(items);
  const words = wordsOf(items);
  const among = (kind, thing) => (ANYWHERE.has(kind) ? items.keys() : (words.get(longestWord(thing)) ?? []));
  /** The indexes of the messages that say a thing. */
  const where = remembered((kind, thing) =>
    [...among(kind, thing)].filter((index) => holds(items[index].searched, kind, thing)),
  );
  const before = (index) => (kind, thing) => (where(kind, thing)[0] ?? index) < index;
  return {
    where,
    /** `[class, thing]` of all that a message of the assistant uses and an earlier one said. */
    usedBy: remembered((index) => usedBy(items[index], index, said, before(index))),
    /** All that a message names, used or not. */
    thingsOf: remembered((index) => thingsOf(items[index], index, said)),
  };
}

function remembered(find) {
  const known = new Map();
  return (...key) => {
    const name = key.join("\n");
    if (!known.has(name)) known.set(name, find(...key));
    return known.get(name);
  };
}

function longestWord(thing) {
  return (thing.match(WORD) ?? [""]).reduce((one, other) => (other.length > one.length ? other : one));
}

/** Quotation marks in a call are those of a program: phrases are only what a text quotes. */
function usedBy(item, index, said, isBefore) {
  const told = item.parts.flatMap(({ type, text }) => [...lexical(text), ...(type === "call" ? [] : phrases(text))]);
  const found = [...told, ...names(item, index, said)].filter(([kind, thing]) => isBefore(kind, thing));
  return [...found, ...repeated(item.text, (one) => isBefore("cjk", one))];
}

function thingsOf(item, index, said) {
  const cjk = stretches(item.text).map((one) => ["cjk", one]);
  return [...lexical(item.text), ...phrases(item.text), ...names(item, index, said), ...cjk];
}

const WORD = /[\w\u00c0-\u024f]+/g;

/** Which messages have which words: where a thing may stand, without searching them all. */
function wordsOf(items) {
  const found = new Map();
  for (const [index, { searched }] of items.entries())
    for (const word of new Set(searched.match(WORD) ?? [])) {
      if (!found.has(word)) found.set(word, []);
      found.get(word).push(index);
    }
  return found;
}
