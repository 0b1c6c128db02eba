// Conversations for the suite: one script in the shape of each format, and what random tests need.
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses, strict } from "precis/formats";
import { ok } from "./harness.mjs";

/** Numbers from 0 to 1 out of a seed, the same on every runtime. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number that tells texts apart. */
export function fingerprint(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Each format, and how a script's lines are written in it. `calls` and `results` are lists of `{ id, text }`. */
export const shapes = {
  openaiChat: {
    format: openaiChat,
    say: (role, text) => [{ role, content: text }],
    calls: (calls) => [
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map(({ id, text }) => ({
          id,
          type: "function",
          function: { name: "read", arguments: JSON.stringify({ path: text, lines: 20 }) },
        })),
      },
    ],
    results: (results) => results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text })),
  },
  anthropic: {
    format: anthropic,
    say: (role, text) => [{ role, content: role === "user" ? text : [{ type: "text", text }] }],
    calls: (calls) => [
      {
        role: "assistant",
        content: calls.map(({ id, text }) => ({
          type: "tool_use",
          id,
          name: "read",
          input: { path: text, lines: 20 },
        })),
      },
    ],
    results: (results) => [
      {
        role: "user",
        content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
      },
    ],
  },
  aiSdk: {
    format: aiSdk,
    say: (role, text) => [{ role, content: [{ type: "text", text }] }],
    calls: (calls) => [
      {
        role: "assistant",
        content: calls.map(({ id, text }) => ({
          type: "tool-call",
          toolCallId: id,
          toolName: "read",
          input: { path: text, lines: 20 },
        })),
      },
    ],
    results: (results) => [
      {
        role: "tool",
        content: results.map(({ id, text }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: "read",
          output: { type: "text", value: text },
        })),
      },
    ],
  },
};

/** Those, and the formats in which less can be said: Gemini's has no instructions among its messages. */
export const everyShape = {
  ...shapes,
  "openaiChat, strict": { ...shapes.openaiChat, format: { ...openaiChat, ...strict } },
  openaiResponses: {
    format: openaiResponses,
    say: (role, text) => [
      { type: "message", role, content: [{ type: role === "assistant" ? "output_text" : "input_text", text }] },
    ],
    calls: (calls) =>
      calls.map(({ id, text }) => ({
        type: "function_call",
        call_id: id,
        name: "read",
        arguments: JSON.stringify({ path: text, lines: 20 }),
      })),
    results: (results) => results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text })),
  },
  gemini: {
    format: gemini,
    instructions: false,
    say: (role, text) => [{ role: role === "assistant" ? "model" : "user", parts: [{ text }] }],
    calls: (calls) => [
      {
        role: "model",
        parts: calls.map(({ id, text }) => ({ functionCall: { id, name: "read", args: { path: text, lines: 20 } } })),
      },
    ],
    results: (results) => [
      {
        role: "user",
        parts: results.map(({ id, text }) => ({ functionResponse: { id, name: "read", response: { output: text } } })),
      },
    ],
  },
};

/**
 * A conversation of at least `messages` messages. Whatever is said carries a number of its own, `#7#`. With `tools`
 * every turn holds up to five rounds of calls (or `rounds` of them), some of them parallel; of the results, the share `giants` is very large.
 */
export function conversation(
  { say, calls, results },
  { messages, seed = 1, size = 300, tools = false, giants = 0.15, rounds },
) {
  const next = random(seed);
  const told = [];
  let number = 0;
  const text = (length) => {
    const mark = `#${number++}# `;
    return (
      mark +
      "the order, the customer and the invoice are as they were; ".repeat(Math.ceil(length / 58)).slice(0, length)
    );
  };
  const length = () => Math.round(size * (0.2 + 1.6 * next()));
  while (told.length < messages) {
    told.push(...say("user", text(length())));
    for (let left = tools ? (rounds ?? Math.floor(next() * 6)) : 0; left > 0; left--) {
      const ids = Array.from({ length: next() < 0.3 ? 3 : 1 }, () => `call_${number}_${Math.floor(next() * 1e6)}`);
      told.push(...calls(ids.map((id) => ({ id, text: text(20) }))));
      told.push(...results(ids.map((id) => ({ id, text: text(next() < giants ? size * 12 : length()) }))));
    }
    told.push(...say("assistant", text(length())));
  }
  return told;
}

/** Before which messages a request goes out: those the model wrote. */
export const requestsOf = (messages) =>
  messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));

/** A summarizer whose answer depends on everything it is asked. */
export const digesting = async ({ system, prompt, maxOutputTokens }) =>
  `- notes ${fingerprint(system + prompt)} of ${prompt.length} characters within ${maxOutputTokens}`;

/** The numbers that stand in a text, ranges (`#3-9#`) included. */
export function marks(text) {
  const found = new Set();
  for (const [, from, to = from] of text.matchAll(/#(\d+)(?:-(\d+))?#/g))
    for (let mark = Number(from); mark <= Number(to); mark++) found.add(mark);
  return found;
}

/** A summarizer that loses no number of what it is given. */
export async function marking({ prompt }) {
  const sorted = [...marks(prompt)].sort((a, b) => a - b);
  const ranges = [];
  for (const mark of sorted) {
    const last = ranges.at(-1);
    if (last && last[1] === mark - 1) last[1] = mark;
    else ranges.push([mark, mark]);
  }
  return `- told of ${ranges.map(([from, to]) => `#${from}-${to}#`).join(" ")}`;
}

/** A format whose summaries tell how many messages they cover. */
export const telling = (format) => ({
  ...format,
  summary: (text, { covers }) => ({ ...format.summary(text), covers }),
});

/** Nothing is lost: each message is in the view, or before what its summary covers; and the view keeps their order. */
export function accounted(messages, view) {
  const covers = Math.max(0, ...view.map((message) => message.covers ?? 0));
  const place = new Map(messages.map((message, index) => [message, index]));
  const held = view.filter((message) => place.has(message)).map((message) => place.get(message));
  ok(
    held.every((index, at) => at === 0 || index > held[at - 1]),
    `out of order: ${held}`,
  );
  const holds = new Set(held);
  const lost = messages.map((_, index) => index).filter((index) => index >= covers && !holds.has(index));
  ok(lost.length === 0, `of ${messages.length} messages, ${covers} of them covered, the view lacks ${lost}`);
  return covers;
}

/** The same value with the members of every object in another order. */
export function reordered(value) {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reordered(member)]),
  );
}

/** Fails with the place where two long texts part. */
export function sameText(actual, expected, what) {
  if (actual === expected) return;
  let at = 0;
  while (actual[at] === expected[at]) at += 1;
  const around = (text) => text.slice(Math.max(0, at - 60), at + 90);
  ok(false, `${what}, character ${at}:\n  ${around(actual)}\nshould be\n  ${around(expected)}`);
}
