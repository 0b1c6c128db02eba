import { assistants, callsOf, contentRule, firstOf, pairRules, roleRule } from "./chat.ts";
import { openaiPairs } from "./openai.ts";
import { type Asked, type Breach, inner, isBlank, type Provider } from "./rule.ts";

const CREATE = "platform.moonshot.ai/docs/api/chat";

/** Moonshot's Kimi, K2 with thinking. */
export const kimi: Provider = {
  name: "kimi",
  title: "Kimi",
  list: "messages",
  wire: "chat",
  rules: [
    roleRule(["system", "user", "assistant", "tool"], CREATE),
    contentRule(CREATE),
    ...pairRules(openaiPairs),
    {
      id: "reasoning-passed-back",
      about:
        "While it thinks, a message of the assistant with calls carries its `reasoning_content`, which is not empty.",
      source: "platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model",
      find: (asked) => firstOf(missing(asked)),
    },
  ],
};

function* missing({ body }: Asked): Iterable<Breach> {
  if (inner(body, "thinking").type === "disabled") return;
  for (const [at, message] of assistants(body)) {
    const { reasoning_content: text } = message;
    if (callsOf(message).length > 0 && (typeof text !== "string" || isBlank(text)))
      yield {
        at,
        text: `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`,
      };
  }
}
