import { gemini } from "precis/formats";
import { isObject, type Message } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";

/** `Content`s of Gemini: parts without a type, which UI messages of the AI SDK always have. */
export const geminiDialect: Dialect = {
  shape: "gemini",
  accepts: ({ messages }) => messages.some(isContent) && messages.every((one) => isContent(one) || !one.parts),
  convert: (record) => ({ ...record, format: gemini }),
};

function isContent({ parts }: Message): boolean {
  return Array.isArray(parts) && parts.length > 0 && parts.every((part) => isObject(part) && !("type" in part));
}
