import { bindingRules } from "./anthropic-binding.ts";
import { compactionRules } from "./anthropic-compaction.ts";
import { claudeModel } from "./anthropic-models.ts";
import { blocksOf, isThinking, messagesOf, pathOf, signatureOf, type Turn, turnsOf } from "./anthropic-shape.ts";
import { type Breach, inner, isBlank, listed, type Provider, type Rule } from "./rule.ts";

const ERRORS = "github.com/anthropics/claude-code/issues/7929";
const THINKING = "platform.claude.com/docs/en/build-with-claude/thinking";
const PRESERVED = "platform.claude.com/docs/en/build-with-claude/preserved-thinking";

const pairs: Rule[] = [
  {
    id: "unanswered-call",
    about: "The results of all calls of a turn come first in the turn after it.",
    source: ERRORS,
    *find({ body }) {
      const turns = turnsOf(body);
      for (const [at, turn] of turns.entries()) {
        if (turn.role !== "assistant") continue;
        const answered = new Set(leadingResults(turns[at + 1]));
        const open = callsOf(turn).filter(({ block }) => !answered.has(block.id));
        const [first] = open;
        if (first)
          yield {
            at: first.message,
            text: `messages.${first.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${listed(open.map(({ block }) => block.id))}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
          };
      }
    },
  },
  {
    id: "orphan-result",
    about: "A result stands in the turn after its call.",
    source: "github.com/anthropics/claude-code/issues/13460",
    *find({ body }) {
      const turns = turnsOf(body);
      for (const [at, turn] of turns.entries()) {
        const before = turns[at - 1];
        const calls = new Set(before?.role === "assistant" ? callsOf(before).map(({ block }) => block.id) : []);
        for (const place of turn.blocks) {
          const { type, tool_use_id: id } = place.block;
          if (type === "tool_result" && (turn.role !== "user" || !calls.has(id)))
            yield {
              at: place.message,
              text: `${pathOf(place)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
            };
        }
      }
    },
  },
];

/** Roles, content and what every request has to bring of its thinking. */
export const shape: Rule[] = [
  {
    id: "roles",
    about: "A message is of the user, the assistant, or the system.",
    source: "docs.claude.com/en/api/messages",
    *find({ body }) {
      for (const [at, { role }] of messagesOf(body).entries())
        if (role !== "user" && role !== "assistant" && role !== "system")
          yield { at, text: `messages.${at}.role: Input should be 'user', 'assistant' or 'system'` };
    },
  },
  {
    id: "empty-content",
    about: "A text block holds more than blanks, and a message more than nothing; only the last may be empty.",
    source: PRESERVED,
    *find({ body }) {
      const messages = messagesOf(body);
      for (const [at, { content, role }] of messages.entries()) {
        const none =
          content === undefined ||
          content === null ||
          content === "" ||
          (Array.isArray(content) && content.length === 0);
        if (none && !(role === "assistant" && at === messages.length - 1))
          yield {
            at,
            text: `messages.${at}: all messages must have non-empty content except for the optional final assistant message`,
          };
      }
      for (const { message, block } of blocksOf(body))
        if (block.type === "text" && isBlank(block.text) && Array.isArray(messages[message]?.content))
          yield { at: message, text: "messages: text content blocks must be non-empty" };
    },
  },
  {
    id: "thinking-signature",
    about: "Thinking comes back with the signature that it was sent with.",
    source: PRESERVED,
    *find({ body }) {
      for (const place of blocksOf(body))
        if (isThinking(place.block) && signatureOf(place.block) === "")
          yield tampered(place.message, pathOf(place), place.block.type);
    },
  },
  {
    id: "thinking-of-the-open-round",
    about: "With a budget for thinking, the assistant's message whose results are sent begins with thinking.",
    source: THINKING,
    *find({ body }) {
      if (inner(body, "thinking").type !== "enabled" || claudeModel(body.model).demandsThinking !== "enabled") return;
      const turns = turnsOf(body);
      const [turn, results] = [turns.at(-2), turns.at(-1)];
      const [first] = turn?.role === "assistant" && callsOf(turn).length > 0 ? turn.blocks : [];
      if (first && leadingResults(results).length > 0 && !isThinking(first.block))
        yield {
          at: first.message,
          text: `${pathOf(first)}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.block.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
        };
    },
  },
];

/** Anthropic's Messages API. */
export const anthropic: Provider = {
  name: "anthropic",
  title: "Anthropic",
  list: "messages",
  wire: "anthropic",
  rules: [...shape, ...pairs, ...bindingRules, ...compactionRules],
};

function callsOf({ blocks }: Turn) {
  return blocks.filter(({ block }) => block.type === "tool_use");
}

/** Ids of the results with which a turn of the user begins. */
function leadingResults(turn: Turn | undefined): unknown[] {
  if (turn?.role !== "user") return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== "tool_result");
  return turn.blocks.slice(0, end < 0 ? undefined : end).map(({ block }) => block.tool_use_id);
}

function tampered(at: number, path: string, type: unknown): Breach {
  return { at, text: `${path}: Invalid \`signature\` in \`${String(type)}\` block` };
}
