import { openaiChat } from "precis/formats";
import { type Conversation, isObject, type JsonObject, makerOf, type Usage } from "./conversation.ts";
import type { Piece } from "./pieces.ts";

/** What one side said at a time, whatever program wrote it down. Results may stand behind the calls that they answer. */
export interface Turn {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly Piece[];
  /** What the provider reported for the request that this answers. */
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
}

type Chat = Pick<Conversation, "format" | "messages" | "model" | "provider" | "usageAfter">;

/** Turns as messages of Chat Completions, the form that most programs take. What is empty is left out. */
export function chatOf(turns: readonly Turn[]): Chat {
  const messages: JsonObject[] = [];
  const usageAfter = new Map<number, Usage>();
  let model: string | undefined;
  for (const turn of turns) {
    const made = turn.role === "assistant" ? assistantMessages(turn.parts) : otherMessages(turn);
    if (made.length > 0 && turn.usage) usageAfter.set(messages.length, turn.usage);
    messages.push(...made);
    model = turn.model ?? model;
  }
  return { format: openaiChat, messages, model, provider: makerOf(model), usageAfter };
}

/** One message for what was said before a result, one for each result, and so on. */
function assistantMessages(parts: readonly Piece[]): JsonObject[] {
  const made: JsonObject[] = [];
  let open: Piece[] = [];
  const close = () => {
    const message = assistantMessage(open);
    if (message) made.push(message);
    open = [];
  };
  for (const part of parts) {
    if (part.kind === "result") {
      close();
      made.push(toolMessage(part));
    } else open.push(part);
  }
  close();
  return made;
}

function assistantMessage(parts: readonly Piece[]): JsonObject | null {
  const tool_calls = parts.flatMap((part) => (part.kind === "call" ? [toolCall(part)] : []));
  const reasoning = parts.flatMap((part) => (part.kind === "reasoning" ? [part.text] : [])).join("\n");
  const content = contentOf(parts);
  if (tool_calls.length === 0 && content === "" && reasoning.trim() === "") return null;
  return {
    role: "assistant",
    content: content === "" && tool_calls.length > 0 ? null : content,
    ...(reasoning.trim() !== "" && { reasoning_content: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
  };
}

function otherMessages({ role, parts }: Turn): JsonObject[] {
  const results = parts.flatMap((part) => (part.kind === "result" ? [toolMessage(part)] : []));
  const content = contentOf(parts);
  const said = { role: role === "system" ? "system" : "user", content };
  return content === "" ? results : [...results, said];
}

const toolCall = ({ id, name, input }: Extract<Piece, { kind: "call" }>) => ({
  id,
  type: "function",
  function: { name, arguments: typeof input === "string" ? input : (JSON.stringify(input) ?? "{}") },
});

const toolMessage = ({ id, output }: Extract<Piece, { kind: "result" }>) => ({
  role: "tool",
  tool_call_id: id,
  content: typeof output === "string" ? output : (JSON.stringify(output) ?? ""),
});

/** Texts joined, or parts where there is more than text. */
function contentOf(parts: readonly Piece[]): string | JsonObject[] {
  const content = parts.flatMap((part) => {
    if (part.kind === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    if (part.kind === "call" || part.kind === "result" || part.kind === "reasoning") return [];
    return part.kind === "opaque" ? [isObject(part.value) ? part.value : { value: part.value }] : [mediaPart(part)];
  });
  const texts = content.flatMap((part) => (part.type === "text" ? [String((part as JsonObject).text)] : []));
  return texts.length === content.length ? texts.join("\n") : content;
}

type Media = Extract<Piece, { data: unknown }>;

function mediaPart({ kind, data, type }: Media): JsonObject {
  const text = String(data);
  const url = /^(data:|https?:|file:)/.test(text) ? text : `data:${type ?? "application/octet-stream"};base64,${text}`;
  if (kind === "image") return { type: "image_url", image_url: { url } };
  if (kind === "audio")
    return { type: "input_audio", input_audio: { data: text, format: type?.split("/")[1] ?? "wav" } };
  return { type: "file", file: { file_data: url } };
}
