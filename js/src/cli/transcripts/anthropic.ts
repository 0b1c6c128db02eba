import { anthropic } from "precis/formats";
import { blocks, type Conversation, isMessage, isObject, type Message, usageOf } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import type { Source } from "./source.ts";

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

/** Claude Code's session log: a line for each content block; blocks of one reply share its id, results of parallel calls follow each other. */
export function claudeCode({ file, values }: Source): Conversation[] | null {
  const lines = values
    .filter(isObject)
    .filter((line) => (line.type === "user" || line.type === "assistant") && isMessage(line.message));
  if (!lines.length) return null;
  const messages: Message[] = [];
  const usageAfter = new Map<number, NonNullable<ReturnType<typeof usageOf>>>();
  let openId: unknown;
  for (const { message } of lines as { message: Message }[]) {
    const last = messages.at(-1);
    const continued = message.id !== undefined && message.id === openId;
    if (last && (continued || (isResults(last) && isResults(message)))) {
      messages[messages.length - 1] = { ...last, content: [...blocks(last), ...blocks(message)] };
    } else messages.push({ role: message.role, content: message.content });
    openId = message.id;
    const usage = usageOf(message.usage);
    if (usage) usageAfter.set(messages.length - 1, usage);
  }
  return [{ file, name: file, shape: "anthropic", format: anthropic, messages, usageAfter }];
}

function isResults(message: Message): boolean {
  const all = blocks(message);
  return all.length > 0 && all.every((block) => block.type === "tool_result");
}
