// Anthropic's Messages API, summaries on demand included.
import { BLOCK_TEXT, bindingCases, blocks, clipped, dropThinking } from "./binding.mjs";
import { but, says, swap, without } from "./held.mjs";

const COMPACT = "compact-2026-09-04";
const FORBIDDEN = {
  stop_sequences: ["END"],
  context_management: { edits: [] },
  tool_choice: { type: "any" },
  output_config: { format: { type: "json_schema" } },
};

const anthropicPairs = [
  {
    rule: "unanswered-call",
    words: /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: c2\. Each/,
    illegal: ({ history, send }) => send(blocks(history.slice(0, 3), 2, (content) => without(content, 1))),
  },
  {
    rule: "unanswered-call",
    why: "a text comes before the results",
    words: /`tool_use` ids were found without `tool_result` blocks immediately after: c1, c2/,
    illegal: ({ history, send }) =>
      send(blocks(history, 2, (content) => [{ type: "text", text: "Here:" }, ...content])),
  },
  {
    rule: "orphan-result",
    words: /messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: c1\. Each/,
    illegal: ({ history, send }) =>
      send(
        blocks(
          blocks(history, 1, (content) => content.filter(({ id }) => id !== "c1")),
          5,
          (content) => content,
        ),
        {},
      ),
  },
  {
    rule: "orphan-result",
    why: "the call is two messages before",
    words: /unexpected `tool_use_id`/,
    illegal: ({ history, send }) => send([...history, history[3], history.at(-1)]),
  },
];

export const anthropic = [
  ...anthropicPairs,
  {
    rule: "roles",
    words: /messages\.0\.role: Input should be/,
    illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "narrator" }))),
  },
  {
    rule: "empty-content",
    words: /text content blocks must be non-empty/,
    illegal: ({ history, send }) => send([...history, { role: "user", content: [{ type: "text", text: " " }] }]),
  },
  {
    rule: "empty-content",
    why: "a message without content",
    words: /messages\.7: all messages must have non-empty content/,
    illegal: ({ history, send }) => send([...history, { role: "user", content: "" }]),
  },
  ...bindingCases,
  {
    rule: "binding-controls",
    why: "without the header",
    words: /^thinking\.adaptive\.block_binding: Extra inputs are not permitted$/,
    illegal: ({ send }) => ({ ...send(undefined, { dropBlock: true }), headers: {} }),
    legal: ({ history, send }) => send(clipped(history), { dropBlock: true }),
  },
  {
    rule: "binding-controls",
    why: "thinking is between tools",
    words: /^thinking\.between_tools\.block_binding: Extra inputs are not permitted$/,
    illegal: ({ send }) => send(undefined, { dropBlock: true, thinking: { type: "between_tools" } }),
  },
  {
    rule: "thinking-of-the-open-round",
    options: { model: "claude-opus-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } },
    words:
      /messages\.5\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled/,
    illegal: ({ history, send }) => send(swap(history, 5, dropThinking(history[5]))),
    // Nothing is bound there: what stands before it may be cut, and thinking of other turns may go.
    legal: ({ history, send }) =>
      send(clipped(history).map((message, at) => (at < 5 ? dropThinking(message) : message))),
  },
  {
    rule: "thinking-binding",
    why: "an account of before, on Opus 5.5, is let through",
    options: { model: "claude-opus-5-5", account: { name: "old", isNew: false } },
    words: BLOCK_TEXT,
    illegal: ({ history, send }) => {
      const { headers, body } = send(clipped(history), { dropBlock: true });
      body.thinking.block_binding.prefix_mismatch_behavior = "error";
      return { headers, body };
    },
    legal: ({ history, send }) => send(clipped(history)),
  },
  {
    rule: "compaction-beta",
    options: { model: "claude-opus-5-5" },
    words: /^compaction: Extra inputs are not permitted$/,
    illegal: ({ send }) => send(undefined, { compaction: { type: "summarize" } }),
    legal: ({ send }) => send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }),
  },
  ...["stop_sequences", "context_management", "tool_choice", "output_config"].map((name) => ({
    rule: "compaction-request",
    why: name,
    words: new RegExp(`cannot be used together with \`${name}`),
    illegal: ({ send }) =>
      send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT], [name]: FORBIDDEN[name] }),
  })),
  {
    rule: "compaction-request",
    why: "long instructions",
    words: /at most 16384 characters/,
    illegal: ({ send }) =>
      send(undefined, { compaction: { type: "summarize", instructions: "x".repeat(16_385) }, betas: [COMPACT] }),
  },
  {
    rule: "compaction-open-call",
    open: false,
    accepted: false,
    words: /open tool call/,
    illegal: ({ send }) => send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }),
    legal: ({ history, send }) => send(history.slice(0, 5), { compaction: { type: "summarize" }, betas: [COMPACT] }),
  },
  {
    rule: "compaction-block-place",
    prepare: summarize,
    words: /must be the first block of the first message/,
    illegal: ({ history, send, summary }) => send([...history, summary], { betas: [COMPACT] }),
    legal: ({ send, summary, client }) => send([summary, ...client.user(says("Go on."))], { betas: [COMPACT] }),
  },
  {
    rule: "compaction-block-place",
    why: "two of them",
    prepare: summarize,
    words: /exactly one compaction block/,
    illegal: ({ history, send, summary }) => send([summary, ...history, summary], { betas: [COMPACT] }),
  },
  {
    rule: "compaction-block-signature",
    prepare: summarize,
    words: /the content of the compaction block was changed/,
    illegal: ({ send, summary, client }) =>
      send(
        [but(summary, { content: [but(summary.content[0], { content: "Else." })] }), ...client.user(says("Go on."))],
        { betas: [COMPACT] },
      ),
  },
  {
    rule: "compaction-block-signature",
    why: "forged",
    prepare: summarize,
    words: /Invalid `signature` in `compaction` block/,
    illegal: ({ send, summary, client }) =>
      send(
        [but(summary, { content: [but(summary.content[0], { signature: "c2ln" })] }), ...client.user(says("Go on."))],
        { betas: [COMPACT] },
      ),
  },
  {
    rule: "thinking-binding",
    why: "behind a summary on demand the kept tail stays valid while it is unchanged",
    prepare: summarizeHead,
    words: /bound to a different conversation/,
    illegal: ({ tail, send, summary }) =>
      send([summary, ...swap(tail, 0, but(tail[0], { content: "And?" }))], { betas: [COMPACT] }),
    legal: ({ tail, send, summary }) => send([summary, ...tail], { betas: [COMPACT] }),
  },
  {
    rule: "thinking-binding",
    why: "what is added stands behind the kept tail, not between it and the summary",
    prepare: summarizeHead,
    words: /bound to a different conversation/,
    illegal: ({ tail, send, summary, client }) =>
      send([summary, ...client.user(says("Be kind.")), ...tail], { betas: [COMPACT] }),
    legal: ({ tail, send, summary, client }) =>
      send([summary, ...tail, ...client.user(says("Be kind."))], { betas: [COMPACT] }),
  },
  {
    rule: "thinking-binding",
    why: "a summary of a summary, and of what was added behind it, keeps a tail valid as well",
    // What is added has the role of what was summarized last, so the thinking behind it is bound to the summary itself.
    prepare(chat) {
      const { client, history, send } = chat;
      chat.send = (view = history, more = {}) => send(view, { betas: [COMPACT], ...more });
      summarize(chat);
      history.splice(0, history.length, chat.summary, ...client.user(says("Be kind.")));
      for (const shelf of ["third", "fourth"]) {
        const answer = chat.server.answer(chat.send(history.slice()), { thought: "I look.", text: `On the ${shelf}.` });
        history.push(...answer.entries, ...client.user(says("And the next one?")));
      }
      chat.tail = history.splice(-3);
      summarize(chat);
      history.splice(0, history.length, chat.summary, ...chat.tail);
    },
    words: /bound to a different conversation/,
    illegal: ({ tail, send, summary, client }) => send([summary, ...client.user(says("Be kind.")), ...tail]),
  },
];

/** Lets the server summarize all there is. */
function summarize(chat) {
  const { server, send } = chat;
  const answer = server.answer(send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }), {
    text: "The book is there.",
  });
  [chat.summary] = answer.entries;
}

/** Lets it summarize the first turn, while the second goes on. */
function summarizeHead(chat) {
  const { server, send, history } = chat;
  const request = send(history.slice(0, 4), { compaction: { type: "summarize" }, betas: [COMPACT] });
  [chat.summary] = server.answer(request, { text: "The book is there." }).entries;
  chat.tail = history.slice(4);
}
