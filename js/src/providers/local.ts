import { callerOf, callsOf, messagesOf, pairRules } from "./chat.ts";
import { openaiPairs } from "./openai.ts";
import type { Provider } from "./rule.ts";

const TEMPLATES = "huggingface.co/docs/transformers/chat_templating";
const ALTERNATE = "Conversation roles must alternate user/assistant/user/assistant/...";

/** Chat templates of local models, many of which write nothing but user and assistant in turn. */
export const local: Provider = {
  name: "local",
  title: "Chat templates",
  list: "messages",
  wire: "chat",
  rules: [
    {
      id: "opening",
      about: "Behind the instructions the user begins.",
      source: TEMPLATES,
      *find({ body }) {
        const messages = messagesOf(body);
        const at = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
        if (messages[at]?.role === "assistant") yield { at, text: ALTERNATE };
      },
    },
    {
      id: "alternation",
      about: "User and assistant take turns; results belong to the assistant's.",
      source: TEMPLATES,
      *find({ body }) {
        const messages = messagesOf(body);
        let before = "";
        for (const [at, message] of messages.entries()) {
          const role = String(message.role);
          if (role === "system" || role === "developer") continue;
          // Results, and what the model says behind them, belong to the assistant's turn.
          const inTurn =
            role === "tool" || (role === "assistant" && messages[at - 1]?.role === "tool" && callerOf(messages, at));
          if (!inTurn && role === before && callsOf(messages[at - 1] ?? {}).length === 0) yield { at, text: ALTERNATE };
          before = role === "tool" ? "assistant" : role;
        }
      },
    },
    ...pairRules(openaiPairs),
  ],
};
