import { branched } from "./branched.ts";
import { chatOf, type Turn } from "./chat.ts";
import { type Conversation, isObject, type JsonObject } from "./conversation.ts";
import type { Piece } from "./pieces.ts";
import type { RecordSource, TranscriptReader } from "./reader.ts";
import { treeOf } from "./tree.ts";

/**
 * ChatGPT's data export (`conversations.json`): a tree of messages for each chat, with the end that was shown last. What the
 * model sends to a tool has that tool as its recipient; what came of it follows as a message of the tool.
 */
export const chatgpt: TranscriptReader = {
  title: "ChatGPT's export",
  owns: ({ mapping }) =>
    isObject(mapping) &&
    Object.values(mapping).every((node) => isObject(node) && "message" in node && "parent" in node),
  read: (source) => source.values.flatMap((chat) => chatOfExport(source, chat)),
};

function chatOfExport({ file }: RecordSource, chat: JsonObject): Conversation[] {
  const nodes = Object.entries(chat.mapping as Record<string, JsonObject>).map(([id, { parent, message }]) => ({
    id,
    parent: typeof parent === "string" ? parent : undefined,
    value: { id, message },
  }));
  const name = typeof chat.title === "string" && chat.title !== "" ? chat.title : file;
  const current = typeof chat.current_node === "string" ? chat.current_node : undefined;
  const named = typeof chat.default_model_slug === "string" ? chat.default_model_slug : undefined;
  return branched(treeOf(nodes, { current, counts: ({ message }) => isObject(message) }), (way) => {
    const read = chatOf(turnsOf(way, named));
    return { file, name, shape: "chatgpt", ...read };
  });
}

function turnsOf(way: readonly { id: string; message: unknown }[], named: string | undefined): Turn[] {
  let open: { id: string; tool: string } | undefined;
  return way.flatMap(({ id, message }): Turn[] => {
    if (!isObject(message) || !isObject(message.author)) return [];
    const { author, recipient, metadata } = message;
    const parts = piecesOf(message.content);
    if (author.role === "tool") {
      const answered = open;
      open = undefined;
      if (answered)
        return [{ role: "tool", parts: [{ kind: "result", id: answered.id, output: textOf(parts) }, ...media(parts)] }];
      // A tool that nobody called: a picture that was made, a file that was searched.
      return parts.length > 0 ? [{ role: "user", parts }] : [];
    }
    const model = isObject(metadata) && typeof metadata.model_slug === "string" ? metadata.model_slug : named;
    if (author.role === "assistant" && typeof recipient === "string" && recipient !== "all") {
      open = { id, tool: recipient };
      const thought = parts.filter(({ kind }) => kind === "reasoning");
      return [
        {
          role: "assistant",
          model,
          parts: [...thought, { kind: "call", id, name: recipient, input: inputOf(textOf(parts)) }],
        },
      ];
    }
    if (author.role === "assistant") return [{ role: "assistant", model, parts }];
    return [{ role: author.role === "system" ? "system" : "user", parts }];
  });
}

/** What is sent to a tool: a value, or a program. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : { input: value };
  } catch {
    return { input: text };
  }
}

const textOf = (parts: readonly Piece[]) =>
  parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
const media = (parts: readonly Piece[]) => parts.filter((part) => "data" in part);

function piecesOf(content: unknown): Piece[] {
  if (!isObject(content)) return [];
  const { content_type, parts, text, result, thoughts, user_profile, user_instructions } = content;
  if (content_type === "thoughts" || content_type === "reasoning_recap") {
    const all = Array.isArray(thoughts) ? thoughts.filter(isObject) : [];
    return all.map(({ summary, content }) => ({
      kind: "reasoning",
      text: [summary, content].filter(Boolean).join("\n"),
    }));
  }
  if (Array.isArray(parts)) return parts.flatMap(partOf);
  const said = [user_profile, user_instructions, text, result].filter((one) => typeof one === "string" && one !== "");
  return said.map((one) => ({ kind: "text", text: String(one) }));
}

function partOf(part: unknown): Piece[] {
  if (typeof part === "string") return part === "" ? [] : [{ kind: "text", text: part }];
  if (!isObject(part)) return [];
  const { asset_pointer, content_type, text } = part;
  if (typeof text === "string") return [{ kind: "text", text }];
  if (typeof asset_pointer !== "string") return [];
  return [
    {
      kind: String(content_type).startsWith("audio") ? "audio" : "image",
      data: `file:${asset_pointer}`,
      type: undefined,
    },
  ];
}
