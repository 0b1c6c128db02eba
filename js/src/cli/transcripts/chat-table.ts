import { openaiChat } from "precis/formats";
import { aiSdkDialect } from "./ai-sdk.ts";
import type { Conversation, JsonObject, Message } from "./conversation.ts";
import type { TranscriptReader } from "./reader.ts";

/**
 * Rows of a table of messages, as templates for chats keep them: each names its chat, and its parts are those of the AI SDK's
 * UI messages, or a text. Chats of such a table may stand beside it, for their titles.
 */
export const chatTable: TranscriptReader = {
  title: "chat tables (Vercel's template)",
  owns: (value) => isRow(value) || isChat(value),
  read({ file, values }) {
    const titles = new Map(values.filter(isChat).map(({ id, title }) => [String(id), String(title)]));
    const chats = new Map<string, JsonObject[]>();
    for (const row of values.filter(isRow)) {
      const id = String(chatOf(row));
      chats.set(id, [...(chats.get(id) ?? []), row]);
    }
    return [...chats].map(([id, rows]): Conversation => {
      const sorted = rows.toSorted((one, other) => timeOf(one) - timeOf(other));
      const messages = sorted.map(messageOf);
      const record = { messages, usageAfter: new Map(), save: () => "" };
      const isUi = aiSdkDialect.accepts(record);
      const { save: _, ...read } = isUi ? aiSdkDialect.convert(record) : { ...record, format: openaiChat };
      return { file, name: titles.get(id) ?? `chat ${id}`, shape: "chat-table", ...read };
    });
  },
};

const chatOf = ({ chatId, chat_id }: JsonObject) => chatId ?? chat_id;
const isRow = (value: JsonObject) =>
  typeof chatOf(value) === "string" && typeof value.role === "string" && ("parts" in value || "content" in value);
const isChat = ({ id, title, userId, user_id, visibility }: JsonObject) =>
  typeof id === "string" && typeof title === "string" && (userId ?? user_id) !== undefined && visibility !== undefined;

/** Rows of a dump stand in any order. */
function timeOf({ createdAt, created_at }: JsonObject): number {
  const time = createdAt ?? created_at;
  return typeof time === "number" ? time : Date.parse(String(time)) || 0;
}

/** Columns of JSON come as values or as their text. */
function messageOf({ role, parts, content }: JsonObject): Message {
  const value = columnOf(parts ?? content);
  const isParts = Array.isArray(value) && parts !== undefined;
  return isParts ? { role: String(role), parts: value } : { role: String(role), content: value ?? "" };
}

function columnOf(column: unknown): unknown {
  if (typeof column !== "string" || !/^\s*[[{]/.test(column)) return column;
  try {
    return JSON.parse(column);
  } catch {
    return column;
  }
}
