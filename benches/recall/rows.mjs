// The rows ours is compared with. Each gets the history before a request and the tokens our view of it has, and answers
// with what it would send. `past` is the range that our tail does not hold: a row that writes something in its place
// keeps the same tail as ours.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { pruneMessages } from "ai";
import { holds, searchable } from "./holds.mjs";
import { itemOf, newest, tokensOf, total } from "./session.mjs";

const text = (words) => itemOf("user", [{ type: "text", text: words }]);

export const rows = {
  "drop-oldest": ({ head, rest, budget }) => [...head, ...newest(rest, budget - total(head))],

  // What the original falls back to without a summarizer: the first 200 bytes of each text. It has no bound of its own;
  // here the oldest go.
  "200-character fallback": ({ head, past, tail, budget }) => {
    const excerpts = past.flatMap(({ role, parts }) =>
      parts.flatMap((part) => (part.type === "text" ? [`${role}: ${excerpt(part.text)}`] : [])),
    );
    return [...head, text(within(excerpts, budget - total(head) - total(tail)).join("\n")), ...tail];
  },

  "LangChain trimMessages": async ({ head, rest, budget }) => {
    const items = [...head, ...rest];
    const messages = items.map(toLangChain);
    const weights = new Map(messages.map((message, index) => [message.id, items[index].tokens]));
    const trimmed = await trimMessages(messages, {
      maxTokens: budget,
      // It asks for a message that is not there when nothing is left.
      tokenCounter: (some) => some.reduce((sum, one) => sum + (one ? weights.get(one.id) : 0), 0),
      strategy: "last",
      includeSystem: true,
      startOn: ["human", "ai"],
    });
    return trimmed.filter(Boolean).map(({ id }) => items[Number(id)]);
  },

  // It has no budget: calls and results before the last n messages go, n as large as fits; where even that is too much,
  // the oldest messages after it.
  "AI SDK pruneMessages": ({ head, rest, budget }) => {
    const messages = rest.map(toModelMessage);
    const pruned = (n) =>
      pruneMessages({ messages, reasoning: "all", toolCalls: n ? `before-last-${n}-messages` : "all" }).map(weighed);
    let [low, high] = [0, messages.length];
    const room = budget - total(head);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (total(pruned(middle)) <= room) low = middle;
      else high = middle - 1;
    }
    return [...head, ...newest(pruned(low), room)];
  },

  // All the room for things and nothing else, found by this measurement's own definitions.
  "newest identifiers": ({ head, past, first, thingsOf, tail, budget }) => {
    const found = new Set();
    for (let at = past.length - 1; at >= 0; at--)
      for (const [, thing] of thingsOf(first + at).reverse()) found.add(thing);
    const room = budget - total(head) - total(tail);
    return [...head, text(within([...found].reverse(), room).join("\n")), ...tail];
  },

  // No peer but a bound: it knows what will be used, and quotes the shortest lines of the past that hold most of it.
  "an oracle": ({ head, past, needed, tail, budget }) => {
    const room = budget - total(head) - total(tail);
    return [...head, text(foreseen(past, needed, room).join("\n")), ...tail];
  },
};

/** Characters that the oracle quotes before and behind a thing of a longer line. */
const AROUND = 80;

function foreseen(past, needed, room) {
  const hard = needed.filter(({ hard }) => hard);
  const lines = [...new Set(past.flatMap((item) => item.text.replace(/\\n/g, "\n").split("\n")))];
  const quotes = hard.flatMap(({ kind, thing }) => {
    const line = lines.findLast((one) => one.includes(thing) && holds(searchable(one), kind, thing));
    if (line === undefined) return [];
    const at = line.indexOf(thing);
    return [line.slice(Math.max(0, at - AROUND), at + thing.length + AROUND)];
  });
  const sized = [...new Set(quotes)].map((quote) => {
    const searched = searchable(quote);
    const held = hard.filter(({ kind, thing }) => holds(searched, kind, thing)).length;
    return { quote, tokens: tokensOf(`${quote}\n`), held };
  });
  sized.sort((a, b) => b.held / b.tokens - a.held / a.tokens);
  let left = room - 4;
  return sized.flatMap(({ quote, tokens }) => {
    if (tokens > left) return [];
    left -= tokens;
    return [quote];
  });
}

function excerpt(words) {
  const bytes = Buffer.from(words);
  return bytes.length > 200 ? `${bytes.subarray(0, 200).toString()}...` : words;
}

/** The last lines that fit. */
function within(lines, budget) {
  let from = lines.length;
  for (let sum = 4; from > 0; from--) {
    sum += tokensOf(`${lines[from - 1]}\n`);
    if (sum > budget) break;
  }
  return lines.slice(from);
}

function toLangChain({ role, parts, text: words }, index) {
  const id = String(index);
  if (role === "system") return new SystemMessage({ id, content: words });
  const result = parts.find(({ type }) => type === "result");
  if (result) return new ToolMessage({ id, content: words, tool_call_id: result.id });
  if (role === "user") return new HumanMessage({ id, content: words });
  const tool_calls = parts.filter(({ type }) => type === "call").map(({ id, name }) => ({ id, name, args: {} }));
  return new AIMessage({ id, content: words, tool_calls });
}

function toModelMessage({ role, parts }) {
  if (parts.some(({ type }) => type === "result")) {
    const content = parts
      .filter(({ type }) => type === "result")
      .map(({ id, text: value }) => ({
        type: "tool-result",
        toolCallId: id,
        toolName: "tool",
        output: { type: "text", value },
      }));
    return { role: "tool", content };
  }
  const content = parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "tool-call", toolCallId: part.id, toolName: part.name, input: { text: part.text } },
  );
  return { role, content };
}

const known = new WeakMap();

/** pruneMessages copies only what it changes. */
function weighed(message) {
  if (!known.has(message)) known.set(message, itemOf(message.role, message.content.map(partOf)));
  return known.get(message);
}

function partOf(part) {
  const type = part.type === "tool-result" ? "result" : part.type === "tool-call" ? "call" : "text";
  return { type, text: part.text ?? part.input?.text ?? part.output?.value ?? "" };
}
