// Bedrock's Converse; the history is kept in Anthropic's messages.
import { bindingCases, blocks, clipped, dropThinking } from "./binding.mjs";
import { but, says, swap, without } from "./held.mjs";

export const bedrock = [
  {
    rule: "unanswered-call",
    words: /Expected toolResult blocks at messages\.2\.content for the following Ids: c2/,
    illegal: ({ history, send }) => send(blocks(history, 2, (content) => without(content, 1))),
  },
  {
    rule: "orphan-result",
    words:
      /The number of toolResult blocks at messages\.2\.content exceeds the number of toolUse blocks of previous turn/,
    illegal: ({ history, send }) => send(blocks(history, 1, (content) => content.filter(({ id }) => id !== "c1"))),
  },
  {
    rule: "alternation",
    words: /A conversation must alternate between user and assistant roles/,
    illegal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
  },
  {
    rule: "opening",
    words: /A conversation must start with a user message/,
    illegal: ({ history, send }) => send(history.slice(3)),
  },
  {
    rule: "empty-content",
    words: /The text field in the ContentBlock object at messages\.0\.content\.0 is blank/,
    illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { content: " " }))),
  },
  ...bindingCases.filter(({ why }) => !why?.includes("tokens are counted")),
  {
    rule: "binding-controls",
    why: "without the beta",
    words: /block_binding: Extra inputs are not permitted/,
    illegal: ({ send }) => {
      const { headers, body } = send(undefined, { dropBlock: true });
      delete body.additionalModelRequestFields.anthropic_beta;
      return { headers, body };
    },
    legal: ({ history, send }) => send(clipped(history), { dropBlock: true }),
  },
  {
    rule: "binding-name",
    words: /prefix_mismatch_behavior: Extra inputs are not permitted/,
    illegal: ({ send }) => {
      const { headers, body } = send(undefined, { dropBlock: true });
      body.additionalModelRequestFields.thinking.block_binding = { prefix_mismatch_behavior: "drop_block" };
      return { headers, body };
    },
  },
  {
    rule: "thinking-of-the-open-round",
    options: {
      model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      thinking: { type: "enabled", budget_tokens: 2_000 },
    },
    words: /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    illegal: ({ history, send }) => send(swap(history, 5, dropThinking(history[5]))),
  },
];
