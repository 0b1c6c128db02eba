import { branched } from "./branched.ts";
import { chatOf, type Turn } from "./chat.ts";
import { type Conversation, isObject, type JsonObject } from "./conversation.ts";
import { type Piece, parsedValue } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { treeOf } from "./tree.ts";

/** Conversations that LibreChat exports: messages that name their parents, or that hold those that follow them. */
export const librechat: TranscriptReader = {
  title: "LibreChat",
  owns: (value) => "conversationId" in value && messagesIn(value).some((one) => "parentMessageId" in one),
  read: (source) => source.values.flatMap((chat) => chatOfExport(source, chat)),
};

/** All messages, those first that others follow. */
function messagesIn({ messages, messagesTree }: JsonObject): JsonObject[] {
  const list = [messages, messagesTree].find(Array.isArray) ?? [];
  const found: JsonObject[] = [];
  const waiting = list.filter(isObject).reverse();
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    found.push(one);
    if (Array.isArray(one.children)) waiting.push(...one.children.filter(isObject).reverse());
  }
  return found;
}

const ROOT = "00000000-0000-0000-0000-000000000000";

function chatOfExport({ file }: RecordSource, chat: JsonObject): Conversation[] {
  const nodes = messagesIn(chat).map((message) => ({
    id: String(message.messageId),
    parent:
      typeof message.parentMessageId === "string" && message.parentMessageId !== ROOT
        ? message.parentMessageId
        : undefined,
    value: message,
  }));
  const options = isObject(chat.options) ? chat.options : {};
  const named = typeof options.model === "string" ? options.model : undefined;
  const name = typeof chat.title === "string" ? chat.title : file;
  const system =
    typeof options.promptPrefix === "string" && options.promptPrefix !== "" ? options.promptPrefix : undefined;
  return branched(treeOf(nodes), (way) => ({
    ...{ file, name, shape: "librechat" as const, ...chatOf(way.map((message) => turnOf(message, named))) },
    ...(system !== undefined && { system }),
  }));
}

function turnOf({ isCreatedByUser, text, content, model }: JsonObject, named: string | undefined): Turn {
  const parts = (Array.isArray(content) ? content : []).filter(isObject).flatMap(piecesOf);
  const said: Piece[] = parts.length > 0 ? parts : [{ kind: "text", text: String(text ?? "") }];
  if (isCreatedByUser === true) return { role: "user", parts: said };
  return { role: "assistant", parts: said, model: typeof model === "string" ? model : named };
}

function piecesOf({ type, text, think, tool_call, image_url }: JsonObject): Piece[] {
  // A text is a string, or a string inside an object.
  const value = isObject(text) ? text.value : text;
  if (type === "text" && typeof value === "string") return [{ kind: "text", text: value }];
  if (type === "think" && typeof think === "string") return [{ kind: "reasoning", text: think }];
  if (type === "image_url" && isObject(image_url)) return [{ kind: "image", data: image_url.url, type: undefined }];
  if (type !== "tool_call" || !isObject(tool_call)) return [];
  const called = isObject(tool_call.function) ? { ...tool_call, ...tool_call.function } : tool_call;
  const { id, name, args, arguments: given, output } = called as JsonObject;
  return [
    { kind: "call", id: String(id), name: String(name), input: parsedValue(args ?? given ?? {}) },
    ...(output === undefined || output === null ? [] : [{ kind: "result" as const, id: String(id), output }]),
  ];
}
