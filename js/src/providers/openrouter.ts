import { assistants, callsOf, contentRule, firstOf, messagesOf, pairRules, roleRule } from "./chat.ts";
import { openaiPairs } from "./openai.ts";
import { type Asked, type Breach, type Json, objects, type Provider } from "./rule.ts";

const CREATE = "openrouter.ai/docs/api-reference/chat-completion";
const REASONING = "openrouter.ai/docs/use-cases/reasoning-tokens";

declare module "./rule.ts" {
  interface Notes {
    /** By their JSON: signed and encrypted details as they came. */
    detail: true;
    /** By the id of a call: whether such details came with it. */
    detailed: true;
  }
}

/** Plain text among the details is nobody's signature: clients leave it out. */
const signedIn = ({ reasoning_details }: Json): Json[] =>
  objects(reasoning_details).filter(({ data, signature }) => Boolean(data ?? signature));
const isGemini = ({ model }: Json): boolean => /gemini/.test(String(model ?? ""));

/** OpenRouter's API, in front of the providers that a model's id names. */
export const openrouter: Provider = {
  name: "openrouter",
  title: "OpenRouter",
  list: "messages",
  wire: "chat",
  rules: [
    roleRule(["system", "developer", "user", "assistant", "tool"], CREATE),
    contentRule(CREATE),
    ...pairRules(openaiPairs),
    {
      id: "reasoning-details",
      about:
        "For Gemini, a message with calls that came with `reasoning_details` goes back with them, in the current turn.",
      source: REASONING,
      remembers: true,
      find: (asked) => firstOf(missing(asked)),
    },
    {
      id: "reasoning-details-unchanged",
      about: "`reasoning_details` that are signed or encrypted go back as they came.",
      source: REASONING,
      remembers: true,
      find: (asked) => firstOf(changed(asked)),
    },
  ],
};

function* missing({ body, memory }: Asked): Iterable<Breach> {
  if (!isGemini(body)) return;
  const turn = messagesOf(body).findLastIndex(({ role }) => role === "user");
  for (const [at, message] of assistants(body)) {
    const came = callsOf(message).some(({ id }) => memory?.recall("detailed", String(id)));
    if (at > turn && came && signedIn(message).length === 0)
      yield {
        at,
        text: "Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to our docs: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks",
      };
  }
}

function* changed({ body, memory }: Asked): Iterable<Breach> {
  for (const [at, message] of assistants(body))
    for (const detail of signedIn(message))
      if (!memory?.recall("detail", JSON.stringify(detail)))
        yield { at, text: isGemini(body) ? "Corrupted thought signature." : "Invalid `signature` in `thinking` block" };
}
