import { contentRule, type PairWords, pairRules, roleRule } from "./chat.ts";
import type { Provider } from "./rule.ts";

const CREATE = "platform.openai.com/docs/api-reference/chat/create";

/** The words of OpenAI about calls and results, which most others repeat. */
export const openaiPairs: PairWords = {
  source: "community.openai.com/t/an-assistant-message-with-tool-calls-must-be-followed-by-tool-messages",
  open: (ids) =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`,
  orphan: () =>
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
};

/** OpenAI's Chat Completions API. */
export const openai: Provider = {
  name: "openai",
  title: "OpenAI Chat Completions",
  list: "messages",
  wire: "chat",
  rules: [
    roleRule(["system", "assistant", "user", "function", "tool", "developer"], CREATE),
    contentRule(CREATE),
    ...pairRules(openaiPairs),
  ],
};
