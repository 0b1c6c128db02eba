import { anthropic } from "precis/formats";
import { branched } from "./branched.ts";
import { type Conversation, isObject, type JsonObject, type Message, makerOf } from "./conversation.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { treeOf } from "./tree.ts";

/** Claude.ai's data export (`conversations.json`). A reply holds its calls and their results; newer exports name the parents. */
export const claudeAi: TranscriptReader = {
  title: "Claude.ai's export",
  owns: ({ chat_messages }) =>
    Array.isArray(chat_messages) && chat_messages.every((one) => isObject(one) && typeof one.sender === "string"),
  read: (source) => source.values.flatMap((chat) => chatOf(source, chat)),
};

function chatOf({ file }: RecordSource, chat: JsonObject): Conversation[] {
  const recorded = (chat.chat_messages as JsonObject[]).map((message, at) => ({
    message,
    id: String(message.uuid ?? at),
  }));
  const ids = new Set(recorded.map(({ id }) => id));
  const isTree = recorded.some(({ message }) => ids.has(String(message.parent_message_uuid)));
  const nodes = recorded.map(({ message, id }, at) => {
    const named = typeof message.parent_message_uuid === "string" ? message.parent_message_uuid : undefined;
    // The first of a chat follows a message that never is.
    const parent = isTree ? (named === ROOT ? undefined : named) : recorded[at - 1]?.id;
    return { id, parent, value: message };
  });
  const current = typeof chat.current_leaf_message_uuid === "string" ? chat.current_leaf_message_uuid : undefined;
  const name = typeof chat.name === "string" && chat.name !== "" ? chat.name : file;
  const model = typeof chat.model === "string" ? chat.model : undefined;
  return branched(treeOf(nodes, { current }), (way) => ({
    ...{ file, name, shape: "claude-ai", format: anthropic, messages: way.flatMap(messagesOf) },
    ...{ model, provider: makerOf(model), usageAfter: new Map() },
  }));
}

const ROOT = "00000000-0000-4000-8000-000000000000";

function messagesOf(recorded: JsonObject): Message[] {
  const blocks = blocksOf(recorded);
  if (recorded.sender !== "assistant") return blocks.length > 0 ? [{ role: "user", content: blocks }] : [];
  const found: Message[] = [];
  for (const block of blocks) {
    const role = block.type === "tool_result" ? "user" : "assistant";
    const last = found.at(-1);
    if (last?.role === role) (last.content as JsonObject[]).push(block);
    else found.push({ role, content: [block] });
  }
  return found;
}

function blocksOf({ content, text, attachments, files, uuid }: JsonObject): JsonObject[] {
  const own = (Array.isArray(content) ? content : []).filter(isObject);
  const found = identified(own.flatMap(blockOf), String(uuid));
  const spoken = found.length > 0 || typeof text !== "string" || text === "" ? found : [{ type: "text", text }];
  const attached = [...list(attachments), ...list(files)].flatMap(({ file_name, extracted_content }) =>
    typeof extracted_content === "string" && extracted_content !== ""
      ? [
          {
            type: "document",
            title: file_name,
            source: { type: "text", media_type: "text/plain", data: extracted_content },
          },
        ]
      : [],
  );
  return [...attached, ...spoken];
}

const list = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

function blockOf({ type, text, thinking, id, name, input, tool_use_id, content, is_error }: JsonObject): JsonObject[] {
  if (type === "text") return typeof text === "string" && text.trim() !== "" ? [{ type, text }] : [];
  if (type === "thinking") return [{ type, thinking: thinking ?? "", signature: "" }];
  if (type === "tool_use") return [{ type, id, name, input: input ?? {} }];
  if (type === "tool_result")
    return [{ type, tool_use_id, content: contentOf(content), ...(is_error === true && { is_error }) }];
  return [];
}

const contentOf = (content: unknown) =>
  typeof content === "string"
    ? content
    : list(content).map((one) =>
        one.type === "text" ? { type: "text", text: one.text } : { type: "text", text: JSON.stringify(one) },
      );

/** Older exports leave the ids of calls out: results follow their calls. */
function identified(blocks: readonly JsonObject[], of: string): JsonObject[] {
  const open: string[] = [];
  return blocks.map((block, at) => {
    if (block.type === "tool_use") {
      const id = typeof block.id === "string" ? block.id : `${of}_${at}`;
      open.push(id);
      return { ...block, id };
    }
    if (block.type !== "tool_result") return block;
    const named = typeof block.tool_use_id === "string" ? block.tool_use_id : undefined;
    const id = named ?? open[0] ?? `${of}_${at}`;
    if (open.includes(id)) open.splice(open.indexOf(id), 1);
    return { ...block, tool_use_id: id };
  });
}
