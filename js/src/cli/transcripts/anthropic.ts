import { anthropic } from "precis/formats";
import { blocks, isObject } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";

const BLOCKS = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "document"]);

/** Messages API requests: known by their blocks, or by a system prompt beside messages of two roles. */
export const anthropicDialect: Dialect = {
  shape: "anthropic",
  accepts: ({ messages, system }) =>
    messages.some((message) => blocks(message).some(isOwnBlock)) ||
    (system !== undefined && messages.every(({ role }) => role === "user" || role === "assistant")),
  convert: (record) => ({ ...record, format: anthropic }),
};

function isOwnBlock(block: { type?: unknown; source?: unknown }): boolean {
  return BLOCKS.has(String(block.type)) || (block.type === "image" && isObject(block.source));
}
