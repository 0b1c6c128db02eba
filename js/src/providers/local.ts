import { callerOf, callsOf, messagesOf, pairRules } from "./chat.ts";
import { openaiPairs } from "./openai.ts";
import type { Provider } from "./rule.ts";

/** Chat templates of local models, many of which write nothing but user and assistant in turn. */
export const local: Provider = {
  name: "local",
  title: "Chat templates",
  list: "messages",
  rules: [
    {
      id: "alternation",
      about: "Behind the instructions, user and assistant take turns, and the user begins.",
      source: "huggingface.co/docs/transformers/chat_templating",
      *find({ body }) {
        const messages = messagesOf(body);
        let before = "assistant";
        for (const [at, message] of messages.entries()) {
          const role = String(message.role);
          if (role === "system" || role === "developer") continue;
          // Results, and what the model says behind them, belong to the assistant's turn.
          const inTurn =
            role === "tool" || (role === "assistant" && messages[at - 1]?.role === "tool" && callerOf(messages, at));
          if (!inTurn && role === before && callsOf(messages[at - 1] ?? {}).length === 0)
            yield { at, text: "Conversation roles must alternate user/assistant/user/assistant/..." };
          before = role === "tool" ? "assistant" : role;
        }
      },
    },
    ...pairRules(openaiPairs),
  ],
};
