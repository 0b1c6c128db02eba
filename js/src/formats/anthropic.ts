import type { Format, Reader } from "precis";
import { isEmpty, isPart, joinTexts, mediaKind, type Part, readSpeaker, withoutParts, withPart } from "./parts.ts";

/** What precis reads of a `MessageParam`. */
export type AnthropicMessage = { role: string; content: unknown };

/** Messages of Anthropic's Messages API. */
// biome-ignore lint/suspicious/noExplicitAny: every client declares messages of its own.
export const anthropic: Format<AnthropicMessage, any> = {
  name: "anthropic",

  read(message, to) {
    const { role, content } = message;
    const known = role === "user" || role === "assistant" || role === "system";
    if (!known || !(Array.isArray(content) || typeof content === "string" || isEmpty(message))) {
      to.opaque(message);
      return;
    }
    to.role(role);
    readSpeaker(message as Part, to);
    if (typeof content === "string") to.text(0, content);
    else if (Array.isArray(content)) for (let i = 0; i < content.length; i++) readBlock(i, content[i], to);
  },

  summary: (text) => ({ role: "user", content: text }),

  block: (block) =>
    block.type === "compaction" && typeof block.content === "string" ? { role: "user", content: [block] } : undefined,

  without: withoutParts,

  result: (id, _name, text) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: text, is_error: true }],
  }),

  replace(message, part, text) {
    if (!Array.isArray(message.content)) return { ...message, content: text };
    return withPart(message, part, (block) => {
      switch (block.type) {
        case "text":
          return { ...block, text };
        case "search_result":
          return { ...block, content: [{ ...(block.content as Part[])[0], text }] };
        case "tool_use":
          return { ...block, input: JSON.parse(text) };
        case "image":
        case "document":
          if (textOfDocument(block) !== undefined) return withText(block, text);
          return {
            type: "text",
            text,
            ...(block.cache_control !== undefined && { cache_control: block.cache_control }),
          };
        default:
          return { ...block, content: text };
      }
    });
  },
};

function readBlock(index: number, block: unknown, to: Reader): void {
  const { type, id, name } = (isPart(block) ? block : {}) as { type?: unknown; id: string; name: string };
  const part = block as Part;
  if (type === "text" && typeof part.text === "string") to.text(index, part.text);
  else if (type === "tool_use") to.call(id, name, part.input, index);
  else if (type === "server_tool_use" || type === "mcp_tool_use") to.call(id, name, part.input, undefined, true);
  else if (type === "tool_result" || type === "mcp_tool_result") readResult(index, part, to);
  else if (type === "thinking") to.reasoning(part.thinking as string, isSigned(part.signature), index);
  else if (type === "redacted_thinking") to.reasoning(part.data as string, true, index);
  else if (type === "image" || type === "document") readSource(index, part, to);
  else if (type === "search_result") readSearchResult(index, part, to);
  else if (type === "compaction") readCompaction(index, part, to);
  else if (type === "container_upload") to.media("file", part, undefined);
  else if (typeof type === "string" && type.endsWith("_tool_result")) readServerResult(index, part, to);
  else to.opaque(block);
}

/** One without text and without anything encrypted is what the API left of a compaction that failed; it ignores it. */
function readCompaction(index: number, part: Part, to: Reader): void {
  const { content, encrypted_content } = part;
  if (typeof content === "string" && (content !== "" || !encrypted_content)) to.compaction(index, content, undefined);
  else if (encrypted_content) to.compaction(index, undefined, part);
  else to.opaque(part);
}

function readResult(index: number, { tool_use_id, content, is_error }: Part, to: Reader): void {
  const blocks = Array.isArray(content) ? content : NONE;
  const texts = blocks.map((block) => (isPart(block) && textWithin(block)) || block);
  const output = Array.isArray(content) ? joinTexts(texts) : (content ?? "");
  to.result(index, tool_use_id as string, output, is_error === true);
  for (const block of blocks) {
    const type = isPart(block) && block.type;
    if (isPart(block) && textWithin(block) !== undefined) continue;
    if (type === "image" || type === "document") readSource(index, block, to);
    else if (type !== "text") to.opaque(block);
  }
}

/** What a tool of Anthropic's own answered: its content has a form that the API checks, so it is counted and left alone. */
function readServerResult(index: number, block: Part, to: Reader): void {
  const { tool_use_id: id, content } = block;
  const error = isPart(content) && typeof content.type === "string" && content.type.endsWith("_error");
  to.result(index, id as string, "", error);
  to.opaque(content);
}

function readSource(index: number, block: Part, to: Reader): void {
  const source = isPart(block.source) ? block.source : {};
  const { type, media_type, data, url, content } = source;
  const mediaType = typeof media_type === "string" ? media_type : undefined;
  const kind = block.type === "image" ? "image" : mediaKind(mediaType ?? "application/pdf");
  const text = textOfDocument(block);
  if (text !== undefined) to.document(index, text, block.title as string | undefined);
  else if (type === "text" || type === "content") to.opaque(data ?? content);
  else to.media(kind, data ?? url ?? source, mediaType, index, block.title as string | undefined);
}

/** What a search found, with what names it: the text of a result that the API can cite. */
function readSearchResult(index: number, block: Part, to: Reader): void {
  const text = textOfBlocks(block.content);
  if (text === undefined) to.opaque(block);
  else to.document(index, text, typeof block.title === "string" ? block.title : undefined);
}

/** A document that is text, or what a search found, is a text among those of a result. */
function textWithin(block: Part): string | undefined {
  if (block.type === "document") return textOfDocument(block);
  const text = block.type === "search_result" ? textOfBlocks(block.content) : undefined;
  return text === undefined ? undefined : joinTexts([block.title, block.source, text]);
}

/** The text of blocks that are all text. */
function textOfBlocks(content: unknown): string | undefined {
  const isText = (block: unknown) => isPart(block) && block.type === "text";
  return Array.isArray(content) && content.every(isText) ? joinTexts(content) : undefined;
}

/** The text of a document that is one: plain text, or blocks of text. */
function textOfDocument({ source }: Part): string | undefined {
  const { type, data, content } = isPart(source) ? source : {};
  if (type === "text") return typeof data === "string" ? data : undefined;
  if (typeof content === "string") return content;
  return type === "content" ? textOfBlocks(content) : undefined;
}

function withText(block: Part, text: string): Part {
  const source = block.source as Part;
  const content = typeof source.content === "string" ? text : [{ type: "text", text }];
  return { ...block, source: { ...source, ...(source.type === "text" ? { data: text } : { content }) } };
}

/** Thinking without a signature comes from others that speak this API, and is not checked. */
const isSigned = (signature: unknown): boolean => typeof signature === "string" && signature !== "";

const NONE: readonly unknown[] = [];
