// Thinking that is bound to what stands before it, at Anthropic and behind Bedrock, in messages of Anthropic's.
import { but, says, swap } from "./held.mjs";

export const blocks = (history, at, change) =>
  swap(history, at, but(history[at], { content: change(history[at].content) }));
const isThinking = ({ type }) => type === "thinking";
export const dropThinking = (message) =>
  Array.isArray(message.content)
    ? but(message, { content: message.content.filter((block) => !isThinking(block)) })
    : message;
/** The first result, cut: all thinking behind it is bound to what stood there. */
export const clipped = (history) =>
  blocks(history, 2, ([first, ...rest]) => [but(first, { content: "what …" }), ...rest]);
export const BLOCK_TEXT =
  /messages\.3\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation/;

export const bindingCases = [
  {
    rule: "thinking-forged",
    words: /messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { thinking: "No shelf." }), ...rest])),
  },
  {
    rule: "thinking-forged",
    why: "another server's",
    words: /Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { signature: "c2ln" }), ...rest])),
  },
  {
    rule: "thinking-signature",
    words: /messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { signature: "" }), ...rest])),
  },
  {
    rule: "thinking-binding",
    why: "a result was cut",
    words: BLOCK_TEXT,
    illegal: ({ history, send }) => send(clipped(history)),
  },
  {
    rule: "thinking-binding",
    why: "a result was cut, and the tokens are counted",
    words: BLOCK_TEXT,
    illegal: ({ history, send }) => ({ ...send(clipped(history)), use: "count" }),
    // A batch leaves it out instead of failing.
    legal: ({ history, send }) => ({ ...send(clipped(history)), use: "batch" }),
  },
  {
    rule: "thinking-binding",
    why: "only the named block was removed",
    words: /messages\.5\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send }) => {
      const cut = clipped(history);
      return send(swap(cut, 3, dropThinking(cut[3])));
    },
    legal: ({ history, send }) =>
      send(clipped(history).map((message, at) => (at < 2 ? message : dropThinking(message)))),
  },
  {
    rule: "thinking-binding",
    why: "the system prompt changed",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ send }) => send(undefined, { system: "You are an impatient librarian." }),
  },
  {
    rule: "thinking-binding",
    why: "a tool came",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ send }) => send(undefined, { tools: ["find", "read", "write"] }),
    // Their order says nothing.
    legal: ({ send }) => send(undefined, { tools: ["read", "find"] }),
  },
  {
    rule: "thinking-binding",
    why: "a summary stands for the first turn",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send, client }) =>
      send([...client.user(says("Summary: the book is on the second shelf.")), ...history.slice(5)]),
    legal: ({ history, send, client }) =>
      send([...client.user(says("Summary: the book is on the second shelf.")), ...history.slice(5).map(dropThinking)]),
  },
  {
    rule: "thinking-binding",
    why: "thinking left from the middle",
    words: /messages\.5\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send }) => send(swap(history, 3, dropThinking(history[3]))),
    // From the start it may.
    legal: ({ history, send }) => send(swap(history, 1, dropThinking(history[1]))),
  },
  {
    rule: "thinking-binding",
    why: "thinking that was left out is put back",
    words: /messages\.7\.content\.0: .*bound to a different conversation/,
    prepare: (chat) => {
      const whole = chat.history.slice();
      chat.history.splice(0, whole.length, ...whole.map(dropThinking));
      chat.reply({ thought: "Made without the others.", text: "The third shelf." });
      chat.say(chat.client.user(says("Thanks.")));
      chat.whole = whole;
    },
    illegal: ({ whole, history, send }) => send([...whole, ...history.slice(whole.length)]),
    legal: ({ history, send }) => send(history),
  },
  {
    rule: "thinking-of-the-newest-message",
    words: /`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    prepare: ({ reply, say, client }) => {
      reply({ thought: "One.", text: "Half.", interleaved: "Two." });
      say(client.user(says("Go on.")));
    },
    illegal: ({ history, send }) =>
      send(blocks(history, 7, (content) => content.filter(({ thinking }) => thinking !== "One."))),
    legal: ({ history, send }) => send(swap(history, 7, dropThinking(history[7]))),
  },
];
