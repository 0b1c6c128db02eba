import type { ReadableFormat, Reader } from "precis";
import { isPart, mediaKind, type Part } from "./parts.ts";

/** What precis reads of a `UIMessage`. */
export type AiSdkUIMessage = { role: string; parts: readonly unknown[] };

/**
 * `UIMessage`s of the AI SDK's `useChat`, versions 5 to 7, for reading only: `createMeter` with this format is a
 * meter for a chat as a browser holds it. What is sent to a model is made of model messages: use `aiSdk` there.
 */
export const aiSdkUI: ReadableFormat<AiSdkUIMessage> = {
  name: "ai-sdk-ui",

  read(message, to) {
    const { role, parts } = message;
    if ((role !== "system" && role !== "user" && role !== "assistant") || !Array.isArray(parts)) {
      to.opaque(message);
      return;
    }
    to.role(role);
    for (let i = 0; i < parts.length; i++) readPart(i, parts[i], to);
  },

  id: (message) => (message as Part).id as string | undefined,
};

function readPart(index: number, part: unknown, to: Reader): void {
  const { type, text } = isPart(part) ? part : {};
  if (!isPart(part) || typeof type !== "string") to.opaque(part);
  else if (type === "text") readText(index, part, to);
  else if (type === "custom" && String(part.kind).endsWith(".compaction")) to.compaction(index, undefined, part);
  else if (type === "reasoning") to.reasoning((text ?? "") as string, isPart(part.providerMetadata));
  else if (type === "file") readFile(index, part, to);
  else if (type === "dynamic-tool" || type.startsWith("tool-")) readTool(index, type, part, to);
  // Steps, sources and data of the host's own are shown to people and not sent to the model.
  else if (!UNSENT.test(type)) to.opaque(part);
}

function readText(index: number, { text, providerMetadata }: Part, to: Reader): void {
  const of = isPart(providerMetadata) && isPart(providerMetadata.anthropic) ? providerMetadata.anthropic : {};
  if (of.type === "compaction") to.compaction(index, (text ?? "") as string, undefined);
  else to.text(index, (text ?? "") as string);
}

const UNSENT = /^(step-start|source-url|source-document|data-.*)$/;

function readFile(index: number, { mediaType, url, filename }: Part, to: Reader): void {
  to.media(mediaKind(mediaType, filename), url, mediaType as string, index, filename as string | undefined);
}

/** A call and its outcome, as far as they have come: while the input is streaming there may be a part of it, or nothing. */
function readTool(index: number, type: string, part: Part, to: Reader): void {
  const { toolCallId, toolName, state, input, rawInput, output, errorText, providerExecuted } = part;
  const id = toolCallId as string;
  const name = (toolName ?? type.slice("tool-".length)) as string;
  to.call(id, name, input ?? rawInput ?? {}, undefined, providerExecuted === true || undefined);
  if (state === "output-available") to.result(index, id, output ?? "", false, name);
  else if (state === "output-error") to.result(index, id, errorText ?? "", true, name);
  else if (state === "output-denied") to.result(index, id, "", true, name);
}
