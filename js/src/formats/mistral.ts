import type { Format, Reader } from "precis";
import { argumentsOf, withArguments } from "./openai-chat.ts";
import { CHAT_ROLES, isEmpty, isPart, joinTexts, type Part, roles, withoutParts, withPart } from "./parts.ts";
import { strict } from "./strict.ts";

/** What precis reads of a message of Mistral's SDK. */
export type MistralMessage = { role?: string; content?: unknown };

/**
 * Messages of Mistral's SDK for TypeScript, which spells what the API has in camelCase (`toolCalls`, `toolCallId`); OpenRouter's
 * are spelled so as well. Mistral refuses two messages of users in a row.
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDKs declare messages of their own.
export const mistral: Format<MistralMessage, any> = {
  name: "mistral",
  thinking: "free",
  alternation: "strict",
  opening: "user",

  merge: (first, second) => strict.merge(first, second),

  read(message, to) {
    const { role, content, toolCalls } = message as Part;
    const is = roleOf(role);
    if (
      !is ||
      !(Array.isArray(content) || typeof content === "string" || Array.isArray(toolCalls) || isEmpty(message as Part))
    ) {
      to.opaque(message);
      return;
    }
    to.role(is);
    if (is === "tool") {
      readResult(message as Part, to);
      return;
    }
    if (typeof content === "string") {
      if (content !== "" || !Array.isArray(toolCalls)) to.text(0, content);
    } else if (Array.isArray(content)) for (const [at, chunk] of content.entries()) readChunk(at, chunk, to);
    if (Array.isArray(toolCalls)) for (const [at, call] of toolCalls.entries()) readCall(CALLS + at, call, to);
  },

  summary: (text) => ({ role: "user", content: text }),

  result: (id, name, text) => ({ role: "tool", toolCallId: id, name, content: text }),

  replace(message, part, text) {
    const { role, content } = message as Part;
    if (part >= CALLS) return withInput(message, part - CALLS, text);
    if (role === "tool" || !Array.isArray(content)) return { ...message, content: text };
    return withPart(message, part, (chunk) => (chunk.type === "text" ? { ...chunk, text } : { type: "text", text }));
  },

  without(message, parts) {
    const { toolCalls, content } = message as Part;
    const calls = Array.isArray(toolCalls) ? toolCalls.filter((_, at) => !parts.includes(CALLS + at)) : [];
    const { toolCalls: _, ...rest } = (Array.isArray(content) ? withoutParts(message, parts) : message) as Part;
    return { ...rest, ...(calls.length > 0 && { toolCalls: calls }) };
  },
};

/** Calls are numbered from here on, so that no chunk of the content has their numbers. */
const CALLS = 1 << 16;

const roleOf = /* @__PURE__ */ roles({ ...CHAT_ROLES, developer: "system" });

function readChunk(at: number, chunk: unknown, to: Reader): void {
  const { type, text, thinking, imageUrl, documentUrl, documentName, inputAudio, fileId } = isPart(chunk)
    ? chunk
    : ({} as Part);
  if (type === "text" && typeof text === "string") to.text(at, text);
  else if (type === "thinking")
    to.reasoning(typeof thinking === "string" ? thinking : joinTexts((thinking as unknown[]) ?? []), false, at);
  else if (type === "image_url") to.media("image", isPart(imageUrl) ? imageUrl.url : imageUrl, undefined, at);
  else if (type === "document_url") to.media("pdf", documentUrl, undefined, at, documentName as string | undefined);
  else if (type === "input_audio") to.media("audio", isPart(inputAudio) ? inputAudio.data : inputAudio, undefined, at);
  else if (type === "file") to.media("file", { file_id: fileId }, undefined, at);
  else to.opaque(chunk);
}

function readCall(part: number, call: unknown, to: Reader): void {
  const { id, function: called } = isPart(call) ? call : ({} as Part);
  if (isPart(called)) to.call(id as string, called.name as string, argumentsOf(called), part);
  else to.opaque(call);
}

function readResult({ content, toolCallId, name }: Part, to: Reader): void {
  const chunks = Array.isArray(content) ? content : [];
  to.result(
    0,
    toolCallId as string,
    Array.isArray(content) ? joinTexts(chunks) : (content ?? ""),
    false,
    name as string,
  );
  for (const chunk of chunks) if (isPart(chunk) && chunk.type !== "text") readChunk(0, chunk, to);
}

function withInput<M extends MistralMessage>(message: M, index: number, json: string): M {
  const toolCalls = ((message as Part).toolCalls as Part[]).map((call, at) =>
    at === index ? { ...call, function: withArguments(call.function as Part, json) } : call,
  );
  return { ...message, toolCalls };
}
