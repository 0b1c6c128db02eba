import { callsOf, messagesOf, resultsAfter } from "./chat.ts";
import type { Provider } from "./rule.ts";

const ORDER = "github.com/mistralai/mistral-common: protocol/instruct/validator.py";

/** Which roles may follow which. */
const AFTER: Readonly<Record<string, readonly string[]>> = {
  system: ["user", "assistant", "system"],
  user: ["assistant", "system", "user"],
  assistant: ["assistant", "user", "tool"],
  tool: ["assistant", "tool"],
};

/** Mistral's API. */
export const mistral: Provider = {
  name: "mistral",
  title: "Mistral",
  list: "messages",
  wire: "chat",
  rules: [
    {
      id: "role-order",
      about:
        "Behind results comes the assistant; behind the assistant no system message; results only behind the assistant.",
      source: ORDER,
      *find({ body }) {
        const messages = messagesOf(body);
        for (const [at, { role }] of messages.entries()) {
          const before = String(messages[at - 1]?.role);
          if (at > 0 && !AFTER[before]?.includes(String(role)))
            yield { at, text: `Unexpected role '${String(role)}' after role '${before}'` };
        }
      },
    },
    {
      id: "equal-pairs",
      about: "A message of the assistant has as many results behind it as calls in it, unless it is the newest.",
      source: ORDER,
      *find({ body }) {
        const messages = messagesOf(body);
        for (const [at, message] of messages.entries()) {
          if (message.role !== "assistant") continue;
          const calls = callsOf(message).length;
          if (resultsAfter(messages, at).length !== calls && (at < messages.length - 1 || calls > 0))
            yield { at, text: "Not the same number of function calls and responses" };
        }
      },
    },
    {
      id: "orphan-result",
      about: "A result names a call of the message before it.",
      source: ORDER,
      *find({ body }) {
        const messages = messagesOf(body);
        for (const [at, message] of messages.entries()) {
          const ids = new Set(callsOf(message).map(({ id }) => id));
          for (const [n, { tool_call_id: id }] of (ids.size > 0 ? resultsAfter(messages, at) : []).entries())
            if (!ids.has(id)) yield { at: at + 1 + n, text: `Unexpected tool call id ${String(id)} in tool results` };
        }
      },
    },
    {
      id: "empty-content",
      about: "A message of the assistant has content or calls.",
      source: ORDER,
      *find({ body }) {
        for (const [at, message] of messagesOf(body).entries()) {
          const { role, content } = message;
          const none =
            content === undefined ||
            content === null ||
            content === "" ||
            (Array.isArray(content) && content.length === 0);
          if (role === "assistant" && none && callsOf(message).length === 0)
            yield { at, text: "Assistant message must have either content or tool_calls, but not none." };
        }
      },
    },
  ],
};
