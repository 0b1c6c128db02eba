import type { Format, Reader } from "precis";
import { isEmpty, isPart, joinTexts, mediaKind, type Part, readSpeaker, withoutParts, withPart } from "./parts.ts";
import { encodedLike, textOfFile } from "./text-files.ts";

/** What precis reads of a `ModelMessage`. */
export type AiSdkMessage = { role: string; content: unknown };

/** `ModelMessage`s of the AI SDK, versions 5 to 7. */
// biome-ignore lint/suspicious/noExplicitAny: every client declares messages of its own.
export const aiSdk: Format<AiSdkMessage, any> = {
  name: "ai-sdk",

  read(message, to) {
    const { role, content } = message;
    const known = role === "system" || role === "user" || role === "assistant" || role === "tool";
    if (!known || !(Array.isArray(content) || (typeof content === "string" && role !== "tool") || isEmpty(message))) {
      to.opaque(message);
      return;
    }
    to.role(role);
    if (role !== "tool") readSpeaker(message as Part, to);
    if (typeof content === "string") to.text(0, content);
    else if (Array.isArray(content)) readParts(content, role, to);
  },

  summary: (text) => ({ role: "user", content: text }),

  block({ content, ...part }) {
    const whole: Part = content === undefined ? part : { ...part, text: content };
    const isOwn = whole.type === "text" ? isCompaction(whole) : whole.kind === "openai.compaction";
    return isOwn ? { role: "assistant", content: [whole] } : undefined;
  },

  without: (message, parts) => released(withoutParts(withoutDetails(message, parts), parts)),

  result: (id, name, text) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: id, toolName: name, output: { type: "error-text", value: text } }],
  }),

  replace(message, part, text) {
    if (!Array.isArray(message.content)) return { ...message, content: text };
    return withPart(released(message), part, (part) => {
      switch (part.type) {
        case "tool-result":
          return { ...part, output: replacedOutput(part.output, text) };
        case "tool-call":
          return { ...part, input: JSON.parse(text) };
        case "text":
          return { ...part, text };
        case "file":
          return textOfPart(part) === undefined ? { type: "text", text, ...optionsOf(part) } : withFileText(part, text);
        default:
          return { type: "text", text, ...optionsOf(part) };
      }
    });
  },
};

function readParts(parts: readonly unknown[], role: string, to: Reader): void {
  let bound = false;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (isPart(part)) readPart(i, part, role, to);
    else to.opaque(part);
    if (role === "assistant" && isPart(part) && part.type !== "reasoning") bound ||= isBound(part.providerOptions);
  }
  // A provider knows this message by an id or a signature: like signed reasoning, it stays as it is.
  if (bound) to.reasoning("", true);
}

function readPart(index: number, part: Part, role: string, to: Reader): void {
  const { type, text, providerOptions } = part;
  if (type === "text" && typeof text === "string") {
    if (isCompaction(part)) to.compaction(index, text, undefined);
    else to.text(index, text);
  } else if (type === "custom" && isPart(part) && String(part.kind).endsWith(".compaction"))
    to.compaction(index, undefined, part);
  else if (type === "tool-call") readCall(index, part, to);
  else if (type === "tool-result" && role === "tool") readResult(index, part, to);
  else if (type === "tool-result") readProviderResult(index, part, to);
  else if (type === "reasoning") readReasoning(index, text as string, providerOptions, to);
  else if (type === "tool-approval-request") to.approvalRequest(index, part.approvalId as string, part);
  else if (type === "tool-approval-response") to.approvalResponse(index, part.approvalId as string, part);
  else if (type === "image") to.media("image", part.image, part.mediaType as string | undefined, index);
  else if (type === "file") {
    const text = textOfPart(part);
    if (text === undefined) readFile(index, part, to);
    else to.document(index, text, part.filename as string | undefined);
  } else if (type === "reasoning-file") readFile(undefined, part, to);
  else to.opaque(part);
}

/**
 * Anthropic signs reasoning (also behind Bedrock and OpenRouter), and it can be left out. Google's signature stays. What
 * OpenAI knows by an id is no signature: it goes when something of the message is edited.
 */
function readReasoning(index: number, text: string, providerOptions: unknown, to: Reader): void {
  if (hasAny(providerOptions, ["signature", "redactedData", "reasoning_details"])) to.reasoning(text, true, index);
  else if (isStored(providerOptions)) to.reasoning(text, false);
  else if (isPart(providerOptions)) to.reasoning(text, true);
  else to.reasoning(text, false, index);
}

/** What a provider's own tool was called with is the provider's. Version 4 has `args`, which no later one sends. */
function readCall(index: number, part: Part, to: Reader): void {
  const { toolCallId, toolName, input, args, providerExecuted } = part;
  if (providerExecuted === true) to.call(toolCallId as string, toolName as string, input, undefined, true);
  else to.call(toolCallId as string, toolName as string, input, index);
  if (input === undefined) to.opaque(args);
}

function readResult(index: number, { toolCallId, toolName, output, result }: Part, to: Reader): void {
  const { type, value, reason } = isPart(output) ? output : { type: "text", value: output };
  const inner = type === "content" && Array.isArray(value) ? value : NONE;
  const text = type === "execution-denied" ? reason : type === "content" ? joinTexts(inner) : value;
  to.result(index, toolCallId as string, text ?? "", isFailed(output), toolName as string);
  if (output === undefined) to.opaque(result);
  for (const part of inner) if (isPart(part) && part.type !== "text") readInner(index, part, to);
}

/** What a provider's own tool answered: its output has a form that the provider checks, so it is counted and left alone. */
function readProviderResult(index: number, part: Part, to: Reader): void {
  const { output } = part;
  to.result(index, part.toolCallId as string, "", isFailed(output), part.toolName as string);
  to.opaque(isPart(output) ? output.value : output);
}

/** Media in a tool's output, as versions 5 (`media`), 6 (`file-data`, `image-url`, …) and 7 (`file`) have it. */
function readInner(index: number, part: Part, to: Reader): void {
  const { type, data, url, mediaType, filename } = part;
  const kind = typeof type === "string" && type.startsWith("image") ? "image" : mediaKind(mediaType);
  const [is, named] = [mediaType as string | undefined, filename as string | undefined];
  if (type === "file") readFile(index, part, to);
  else if (type === "media" || typeof data === "string" || typeof url === "string")
    to.media(kind, data ?? url, is, index, named);
  else if (typeof type === "string" && /-(id|reference)$/.test(type))
    to.media(kind, part.fileId ?? part.reference ?? part, is, index, named);
  else to.opaque(part);
}

/** The text of a file that is one: given as text, or as data of such a type. */
function textOfPart(part: Part): string | undefined {
  const { data, mediaType } = part;
  if (isPart(data) && data.type === "text") return typeof data.text === "string" ? data.text : undefined;
  return textOfFile(part, isPart(data) && data.type === "data" ? data.data : data, mediaType);
}

function withFileText(part: Part, text: string): Part {
  const { data } = part;
  if (isPart(data) && data.type === "text") return { ...part, data: { ...data, text } };
  const isInner = isPart(data) && data.type === "data";
  return { ...part, data: isInner ? { ...data, data: encodedLike(data.data, text) } : encodedLike(data, text) };
}

function readFile(index: number | undefined, part: Part, to: Reader): void {
  const { data, mediaType, filename } = part;
  const text = isPart(data) && data.type === "text" ? data.text : undefined;
  if (typeof text === "string") to.opaque(text);
  else
    to.media(
      mediaKind(mediaType, filename),
      isPart(data) ? (data.data ?? data.url ?? data) : data,
      mediaType as string | undefined,
      index,
      filename as string | undefined,
    );
}

function replacedOutput(output: unknown, text: string): Part {
  const { type } = isPart(output) ? output : ({} as Part);
  const kept = isPart(output) ? optionsOf(output) : {};
  if (type === "execution-denied") return { type, reason: text, ...kept };
  return { type: isFailed(output) ? "error-text" : "text", value: text, ...kept };
}

function optionsOf({ providerOptions }: Part): Part {
  return providerOptions === undefined ? {} : { providerOptions };
}

function isFailed(output: unknown): boolean {
  const type = isPart(output) && output.type;
  return type === "error-text" || type === "error-json" || type === "execution-denied";
}

/** A summary of Anthropic's own, which must come back as it was. */
function isCompaction(part: Part): boolean {
  const options = part.providerOptions;
  return isPart(options) && isPart(options.anthropic) && options.anthropic.type === "compaction";
}

/** What a provider has signed of a part that is no reasoning. */
const isBound = (providerOptions: unknown): boolean => hasAny(providerOptions, ["thoughtSignature", "signature"]);

const STORED = ["itemId", "reasoningEncryptedContent"] as const;

/** Whether a provider has stored this under an id: it uses what it has stored, whatever the part says by now. */
const isStored = (providerOptions: unknown): boolean => hasAny(providerOptions, STORED);

function hasAny(providerOptions: unknown, names: readonly string[]): boolean {
  if (!isPart(providerOptions)) return false;
  for (const provider of Object.values(providerOptions)) {
    if (isPart(provider) && names.some((name) => provider[name] !== undefined && provider[name] !== null)) return true;
  }
  return false;
}

/** A copy of a part or message without some members of what providers are to know of it. */
function withoutOptions<P extends object>(part: P, names: readonly string[]): P {
  const { providerOptions } = part as Part;
  if (!hasAny(providerOptions, names)) return part;
  const left = Object.entries(providerOptions as Part).map(([provider, options]) => [
    provider,
    isPart(options) ? Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name))) : options,
  ]);
  return { ...part, providerOptions: Object.fromEntries(left) };
}

/**
 * An assistant's message of which something is edited, as new content: without the ids under which a provider has stored
 * what it was, and without the reasoning that only goes with those items. The SDK sends nothing of reasoning without an id.
 */
function released(message: AiSdkMessage): AiSdkMessage {
  const { role, content } = message;
  const isItem = (part: unknown) => isPart(part) && isStored(part.providerOptions);
  if (role !== "assistant" || !Array.isArray(content) || !content.some(isItem)) return message;
  const left = content.map((part) => {
    if (!isItem(part)) return part;
    const free = withoutOptions(part as Part, STORED);
    return free.type === "reasoning" ? { ...free, text: "" } : free;
  });
  return { ...message, content: left };
}

/**
 * Without the other places from which OpenRouter takes reasoning that is left out: those of the message and of its calls.
 */
function withoutDetails(message: AiSdkMessage, parts: readonly number[]): AiSdkMessage {
  const content = message.content as readonly unknown[];
  if (!parts.some((part) => (content[part] as Part | undefined)?.type === "reasoning")) return message;
  const DETAILS = ["reasoning_details"];
  const left = content.map((part) =>
    isPart(part) && part.type === "tool-call" ? withoutOptions(part, DETAILS) : part,
  );
  return { ...withoutOptions(message, DETAILS), content: left };
}

const NONE: readonly unknown[] = [];
