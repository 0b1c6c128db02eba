// Those who take messages of Chat Completions.
import { but, place, says, swap, without } from "./held.mjs";

export const openai = chatCases();

export const deepseek = [
  ...chatCases(),
  {
    rule: "reasoning-passed-back",
    words: /^The `reasoning_content` in the thinking mode must be passed back to the API\.$/,
    illegal: ({ history, send }) =>
      send(swap(history, place(history, isSpeech), but(history.find(isSpeech), { reasoning_content: undefined }))),
    legal: ({ history, send }) =>
      send(
        history.map((message) => (message.role === "assistant" ? but(message, { reasoning_content: "" }) : message)),
      ),
  },
  {
    rule: "reasoning-passed-back",
    why: "but not while thinking is off",
    words: /must be passed back/,
    illegal: ({ history, send }) => send(history.map((message) => but(message, { reasoning_content: undefined }))),
    legal: ({ history, send }) =>
      send(
        history.map((message) => but(message, { reasoning_content: undefined })),
        { thinking: { type: "disabled" } },
      ),
  },
];

export const kimi = [
  ...chatCases(),
  {
    rule: "reasoning-passed-back",
    words: /^thinking is enabled but reasoning_content is missing in assistant tool call message at index 2$/,
    illegal: ({ history, send }) => send(swap(history, 1, but(history[1], { reasoning_content: "" }))),
    legal: ({ history, send }) =>
      send(swap(history, place(history, isSpeech), but(history.find(isSpeech), { reasoning_content: undefined }))),
  },
];

export const openrouter = [
  ...chatCases(),
  {
    rule: "reasoning-details",
    words: /^Gemini models require OpenRouter reasoning details to be preserved in each request\./,
    illegal: ({ history, send }) => send(swap(history, -2, but(history.at(-2), { reasoning_details: undefined }))),
    // Of earlier turns they may go.
    legal: ({ history, send }) => send(swap(history, 1, but(history[1], { reasoning_details: undefined }))),
  },
  {
    rule: "reasoning-details-unchanged",
    words: /^Corrupted thought signature\.$/,
    illegal: ({ history, send }) =>
      send(
        swap(
          history,
          1,
          but(history[1], {
            reasoning_details: history[1].reasoning_details.map((detail) =>
              detail.data ? but(detail, { data: "c2ln" }) : detail,
            ),
          }),
        ),
      ),
    legal: ({ history, send }) =>
      send(
        swap(
          history,
          1,
          but(history[1], { reasoning_details: history[1].reasoning_details.filter(({ data }) => data) }),
        ),
      ),
  },
];

export const mistral = [
  {
    rule: "role-order",
    words: /^Unexpected role 'user' after role 'tool'$/,
    illegal: ({ history, send, client }) => send([...history, ...client.user(says("And?"))]),
  },
  {
    rule: "role-order",
    why: "instructions in between",
    words: /^Unexpected role 'system' after role 'assistant'$/,
    illegal: ({ history, send }) => send(history.toSpliced(5, 0, { role: "system", content: "Be brief." })),
    // Two of the user's may follow each other.
    legal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
  },
  {
    rule: "equal-pairs",
    words: /^Not the same number of function calls and responses$/,
    illegal: ({ history, send }) => send(without(history, 2)),
  },
  {
    rule: "orphan-result",
    words: /^Unexpected tool call id other in tool results$/,
    illegal: ({ history, send }) => send(swap(history, 2, but(history[2], { tool_call_id: "other" }))),
  },
  {
    rule: "empty-content",
    words: /must have either content or tool_calls/,
    illegal: ({ history, send }) => send(swap(history, 4, { role: "assistant", content: "" })),
  },
];

export const local = [
  ...chatCases().filter(({ rule }) => rule === "unanswered-call" || rule === "orphan-result"),
  {
    rule: "opening",
    words: /roles must alternate/,
    illegal: ({ history, send }) => send(history.slice(4)),
  },
  {
    rule: "alternation",
    words: /roles must alternate/,
    illegal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
  },
];

/** What all say who take messages of Chat Completions; a system message comes first in what is sent. */
function chatCases() {
  return [
    {
      rule: "roles",
      words: /^Invalid value: 'narrator'\. Supported values are: /,
      illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "narrator" }))),
    },
    {
      rule: "empty-content",
      words: /Invalid value for 'content': expected a string, got null/,
      illegal: ({ history, send }) => send([...history, { role: "user", content: null }]),
    },
    {
      rule: "unanswered-call",
      words:
        /^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'\. .*: c2$/,
      illegal: ({ history, send }) => send(without(history, 3)),
    },
    {
      rule: "unanswered-call",
      why: "something stands between",
      words: /must be followed by tool messages responding to each 'tool_call_id'\. .*: c1, c2$/,
      illegal: ({ history, send, client }) => send(history.toSpliced(2, 0, ...client.user(says("Wait.")))),
    },
    {
      rule: "orphan-result",
      words: /messages with role 'tool' must be a response to a preceeding message with 'tool_calls'/,
      illegal: ({ history, send }) => send(history.slice(2)),
    },
  ];
}

const isSpeech = ({ role, tool_calls }) => role === "assistant" && !tool_calls;
