import type { Format, Reader } from "precis";
import { isEmpty, isPart, joinTexts, listed, mediaKind, type Part, withoutParts, withPart } from "./parts.ts";

/** What precis reads of a `Message` of the Converse API. */
export type BedrockMessage = { role?: string; content?: unknown };

/**
 * Messages of Amazon Bedrock's Converse API, as its SDK for JavaScript has them. A block is named by its one member. The user
 * begins there, and roles alternate.
 */
// biome-ignore lint/suspicious/noExplicitAny: the SDK declares messages of its own.
export const bedrock: Format<BedrockMessage, any> = {
  name: "bedrock-converse",
  alternation: "strict",
  opening: "user",

  read(message, to) {
    const { role, content } = message;
    const known = role === "user" || role === "assistant" || role === "system";
    if (!known || !(Array.isArray(content) || isEmpty(message as Part))) {
      to.opaque(message);
      return;
    }
    to.role(role);
    if (Array.isArray(content)) for (const [at, block] of content.entries()) readBlock(at, block, to);
  },

  summary: (text) => ({ role: "user", content: [{ text }] }),

  without: withoutParts,

  merge: (first, second) => ({ ...second, content: [...listed(first.content), ...listed(second.content)] }),

  result: (id, _name, text) => ({
    role: "user",
    content: [{ toolResult: { toolUseId: id, content: [{ text }], status: "error" } }],
  }),

  replace: (message, part, text) =>
    withPart(message, part, (block) => {
      const { toolUse, toolResult, document } = block;
      if (isPart(toolUse)) return { ...block, toolUse: { ...toolUse, input: JSON.parse(text) } };
      if (isPart(toolResult)) return { ...block, toolResult: { ...toolResult, content: [{ text }] } };
      if (textOfDocument(document) !== undefined)
        return { ...block, document: { ...(document as Part), source: { text } } };
      return typeof block.text === "string" ? { ...block, text } : { text };
    }),
};

const MEDIA = ["image", "document", "video", "audio"] as const;

function readBlock(at: number, block: unknown, to: Reader): void {
  const { text, toolUse, toolResult, reasoningContent } = isPart(block) ? block : ({} as Part);
  const media = MEDIA.find((kind) => isPart(block) && isPart(block[kind]));
  if (typeof text === "string") to.text(at, text);
  else if (isPart(toolUse)) readCall(at, toolUse, to);
  else if (isPart(toolResult)) readResult(at, toolResult, to);
  else if (isPart(reasoningContent)) readReasoning(at, reasoningContent, to);
  else if (media) readMedia(at, media, (block as Part)[media] as Part, to);
  else to.opaque(block);
}

/** What Bedrock's own tools are called with is the provider's. */
function readCall(at: number, { toolUseId, name, input, type }: Part, to: Reader): void {
  if (type === "server_tool_use") to.call(toolUseId as string, name as string, input, undefined, true);
  else to.call(toolUseId as string, name as string, input, at);
}

function readResult(at: number, { toolUseId, content, status, type }: Part, to: Reader): void {
  const blocks = Array.isArray(content) ? content.filter(isPart) : [];
  if (typeof type === "string") {
    // What a tool of the provider's answered has a form that the API checks.
    to.result(at, toolUseId as string, "", status === "error");
    to.opaque(content);
    return;
  }
  const [values, texts] = [blocks.flatMap(({ json }) => (json === undefined ? [] : [json])), blocks.flatMap(textsIn)];
  const only = values.length === 1 && texts.length === 0 ? values[0] : undefined;
  to.result(
    at,
    toolUseId as string,
    only ?? joinTexts([...texts, ...values.map((value) => JSON.stringify(value))]),
    status === "error",
  );
  for (const block of blocks) {
    const media = MEDIA.find((kind) => isPart(block[kind]));
    if (textsIn(block).length > 0 || block.json !== undefined) continue;
    if (media) readMedia(at, media, block[media] as Part, to);
    else to.opaque(block);
  }
}

/** The text of a block of a result; a document that is text is one, and so is what a search found, with what names it. */
function textsIn({ text, document, searchResult }: Part): string[] {
  const found = typeof text === "string" ? text : (textOfDocument(document) ?? textOfSearchResult(searchResult));
  return found === undefined ? [] : [found];
}

function textOfSearchResult(result: unknown): string | undefined {
  const { title, source, content } = isPart(result) ? result : ({} as Part);
  const texts = Array.isArray(content) ? content.map((block) => (isPart(block) ? block.text : undefined)) : [];
  const isText = (text: unknown) => typeof text === "string";
  return texts.length > 0 && texts.every(isText) ? joinTexts([title, source, ...texts]) : undefined;
}

function readReasoning(at: number, { reasoningText, redactedContent }: Part, to: Reader): void {
  if (isPart(reasoningText)) {
    const { text, signature } = reasoningText;
    to.reasoning(typeof text === "string" ? text : "", typeof signature === "string" && signature !== "", at);
  } else {
    to.reasoning("", true, at);
    to.opaque(redactedContent);
  }
}

/** A document's text, where it is given as one. */
function textOfDocument(document: unknown): string | undefined {
  const source = isPart(document) && isPart(document.source) ? document.source : {};
  return typeof (source as Part).text === "string" ? ((source as Part).text as string) : undefined;
}

function readMedia(at: number, is: (typeof MEDIA)[number], { format, name, source }: Part, to: Reader): void {
  const { bytes, s3Location } = isPart(source) ? source : ({} as Part);
  const text = is === "document" ? textOfDocument({ source }) : undefined;
  if (text !== undefined) {
    to.document(at, text, name as string | undefined);
    return;
  }
  const type = is === "document" ? `application/${String(format)}` : `${is}/${String(format)}`;
  to.media(
    is === "document" ? mediaKind(type) : is,
    bytes ?? s3Location ?? source,
    type,
    at,
    name as string | undefined,
  );
}
