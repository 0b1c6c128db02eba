import { aiSdk } from "precis/formats";
import { blocks, isObject, type JsonObject, type Message } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import type { Recorded } from "./records.ts";

/** `ModelMessage`s of the AI SDK, and stored `UIMessage`s, which become what the SDK would send. */
export const aiSdkDialect: Dialect = {
  shape: "ai-sdk",
  accepts: ({ messages }) => messages.some((message) => isUi(message) || blocks(message).some(isOwnPart)),
  convert: (record) =>
    record.messages.some(isUi)
      ? {
          ...withoutSave(record),
          messages: record.messages.flatMap(toModelMessages),
          usageAfter: new Map(),
          format: aiSdk,
        }
      : { ...record, format: aiSdk },
};

/** What a UI stores is not written again: the messages become a list of `ModelMessage`s. */
const withoutSave = ({ save: _, ...record }: Recorded) => record;

function isOwnPart(part: JsonObject): boolean {
  if (part.type === "tool-call" || part.type === "tool-result") return true;
  if (part.type === "reasoning") return typeof part.text === "string";
  return (part.type === "file" && "mediaType" in part) || (part.type === "image" && "image" in part);
}

function isUi(message: Message): boolean {
  return Array.isArray(message.parts);
}

function toModelMessages(message: Message): Message[] {
  const parts = (Array.isArray(message.parts) ? message.parts : []).filter(isObject);
  if (message.role === "system") return [{ role: "system", content: parts.map((part) => part.text ?? "").join("") }];
  if (message.role === "user") return [{ role: "user", content: parts.flatMap(plainPart) }];
  return steps(parts).flatMap(stepMessages);
}

/** An assistant message of the UI holds all steps of a turn. */
function steps(parts: readonly JsonObject[]): JsonObject[][] {
  const found: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") found.push([]);
    else found.at(-1)?.push(part);
  }
  return found.filter((step) => step.length);
}

function stepMessages(step: readonly JsonObject[]): Message[] {
  const content = step.flatMap((part) => (isTool(part) ? [toolCall(part)] : plainPart(part)));
  const results = step.filter((part) => isTool(part) && ("output" in part || "errorText" in part)).map(toolResult);
  if (!content.length) return [];
  const assistant = { role: "assistant", content };
  return results.length ? [assistant, { role: "tool", content: results }] : [assistant];
}

function plainPart(part: JsonObject): JsonObject[] {
  if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, text: part.text }];
  return part.type === "file" ? [{ type: "file", data: part.url, mediaType: part.mediaType }] : [];
}

function isTool(part: JsonObject): boolean {
  return part.type === "dynamic-tool" || String(part.type).startsWith("tool-");
}

function toolName(part: JsonObject): unknown {
  return part.type === "dynamic-tool" ? part.toolName : String(part.type).slice("tool-".length);
}

function toolCall(part: JsonObject): JsonObject {
  return { type: "tool-call", toolCallId: part.toolCallId, toolName: toolName(part), input: part.input ?? {} };
}

function toolResult(part: JsonObject): JsonObject {
  const output =
    "errorText" in part ? { type: "error-text", value: part.errorText } : { type: "json", value: part.output };
  return { type: "tool-result", toolCallId: part.toolCallId, toolName: toolName(part), output };
}
