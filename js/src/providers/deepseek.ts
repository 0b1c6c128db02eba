import { assistants, callsOf, contentRule, firstOf, messagesOf, pairRules, roleRule } from "./chat.ts";
import { openaiPairs } from "./openai.ts";
import { type Asked, type Breach, inner, type Provider } from "./rule.ts";

const THINKING = "api-docs.deepseek.com/guides/thinking_mode";
const CREATE = "api-docs.deepseek.com/api/create-chat-completion";

/** DeepSeek's API, from V4 on. */
export const deepseek: Provider = {
  name: "deepseek",
  title: "DeepSeek",
  list: "messages",
  wire: "chat",
  rules: [
    roleRule(["system", "user", "assistant", "tool"], CREATE),
    contentRule(CREATE),
    ...pairRules(openaiPairs),
    {
      id: "reasoning-passed-back",
      about:
        "While it thinks and has tools, every message of the assistant carries `reasoning_content`, which may be empty.",
      source: THINKING,
      find: (asked) => firstOf(missing(asked)),
    },
  ],
};

/** Thinking is on unless it is turned off; a request without tools asks for nothing. */
function* missing({ body }: Asked): Iterable<Breach> {
  const hasTools = Array.isArray(body.tools)
    ? body.tools.length > 0
    : messagesOf(body).some((one) => callsOf(one).length > 0);
  if (!hasTools || inner(body, "thinking").type === "disabled") return;
  for (const [at, { reasoning_content }] of assistants(body))
    if (typeof reasoning_content !== "string")
      yield { at, text: "The `reasoning_content` in the thinking mode must be passed back to the API." };
}
