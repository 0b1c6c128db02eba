import { openaiChat } from "precis/formats";
import type { Dialect } from "./dialect.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Chat Completions messages; also what plain role-and-text lists are read as. */
export const openaiChatDialect: Dialect = {
  shape: "openai-chat",
  accepts: ({ messages }) => messages.every((message) => ROLES.has(message.role) && !("parts" in message)),
  convert: (record) => ({ ...record, format: openaiChat }),
};
