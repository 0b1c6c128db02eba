// Recorded work for long benches: agent sessions of any shape as one long Chat Completions history.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { at, note } from "../../js/scripts/common.mjs";
import { program } from "../../js/scripts/demo.mjs";
import { reader, tokensOf } from "../recall/session.mjs";

/** What a clean clone has: the sessions among the fixtures. */
const FIXTURES = ["pi-session", "ai-sdk", "swe-agent", "tau-bench", "anthropic/claude-code.jsonl"];
/** A shorter session is hardly one of an agent. */
const LEAST_MESSAGES = 10;
/** Tokens that chat APIs add to each message. */
const OVERHEAD = 4;

export const SYSTEM = { role: "system", content: "You are a careful assistant. You work with tools." };

/** The recorded agent sessions of these files (without any: of the fixtures) as lists of Chat Completions messages. */
export async function recorded(files) {
  const { load } = await import(pathToFileURL(await program("files")).href);
  const paths = files.length ? files : FIXTURES.map((name) => at("tests/fixtures", name)).filter(existsSync);
  const sessions = paths.flatMap((path) => load([path], note)).map(toOpenaiChat);
  const usable = sessions.filter((messages) => messages.length >= LEAST_MESSAGES && messages.some(isCall));
  if (!usable.length) throw new Error("these files hold no session of an agent with tools");
  return usable;
}

/** Those sessions one after the other, again and again, until `tokens` are reached. Ids of calls are unique. */
export function repeated(sessions, tokens) {
  const messages = [];
  let [sum, number] = [0, 0];
  for (;;) {
    for (const session of sessions) {
      number += 1;
      for (const message of session) {
        const own = weigh(message);
        if (sum + own > tokens && isRest(messages)) return messages;
        sum += own;
        messages.push(renumbered(message, number, own));
      }
    }
  }
}

/** Whether no call waits for its result after these messages, so that anything may follow. */
export function isRest(messages) {
  const last = messages.findLastIndex(isCall);
  if (last < 0) return true;
  const results = messages.slice(last + 1).filter(({ role }) => role === "tool").length;
  return results >= messages[last].tool_calls.length;
}

const weights = new WeakMap();

/** Tokens (o200k) of a message: its text, its calls, and what the API adds. Counted once for each object. */
export function weigh(message) {
  const known = weights.get(message);
  if (known !== undefined) return known;
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name}\n${args}`);
  const own = tokensOf([contentOf(message), ...calls].join("\n")) + OVERHEAD;
  weights.set(message, own);
  return own;
}

export const weighAll = (messages) => messages.reduce((sum, message) => sum + weigh(message), 0);

export const isCall = ({ tool_calls }) => Boolean(tool_calls?.length);

/** The text of a message's content. */
export function contentOf({ content }) {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(({ text }) => text ?? "").join("\n") : "";
}

/** The messages of a session without its instructions; a call without a result, or a result without a call, is left out. */
function toOpenaiChat({ format, messages }) {
  const items = messages.map(reader(format)).filter(({ role }) => role !== "system");
  const ids = pairs(items.flatMap(({ parts }) => parts));
  return items.flatMap(({ role, parts }) => {
    const text = parts.flatMap((part) => (part.type === "text" && part.text.trim() ? [part.text] : [])).join("\n");
    const paired = (type) => parts.filter((part) => part.type === type && ids.has(part));
    const calls = paired("call").map((call) => callOf(call, ids.get(call)));
    const results = paired("result").map((result) => resultOf(result, ids.get(result)));
    if (calls.length) return [{ role: "assistant", content: text || null, tool_calls: calls }];
    return text && role !== "tool" ? [...results, { role, content: text }] : results;
  });
}

/** An id of its own for each call and its result: some recorded sessions use one twice. */
function pairs(parts) {
  const [open, ids] = [new Map(), new Map()];
  for (const part of parts) {
    if (part.type === "call") open.set(part.id, part);
    if (part.type !== "result" || !open.has(part.id)) continue;
    const id = `call_${ids.size / 2 + 1}`;
    ids.set(open.get(part.id), id).set(part, id);
    open.delete(part.id);
  }
  return ids;
}

const callOf = ({ name, input }, id) => ({
  id,
  type: "function",
  function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) },
});

const resultOf = ({ output }, id) => ({
  role: "tool",
  tool_call_id: id,
  content: typeof output === "string" ? output : JSON.stringify(output ?? ""),
});

/** The same message, its ids those of this repetition. */
function renumbered(message, number, tokens) {
  const own = (id) => `s${number}_${id}`;
  const copy = { ...message };
  if (copy.tool_call_id !== undefined) copy.tool_call_id = own(copy.tool_call_id);
  if (copy.tool_calls) copy.tool_calls = copy.tool_calls.map((call) => ({ ...call, id: own(call.id) }));
  weights.set(copy, tokens);
  numbers.set(copy, number);
  return copy;
}

const numbers = new WeakMap();

/** Which of the sessions, repetitions counted, a message is of. */
export const sessionOf = (message) => numbers.get(message) ?? 0;
