import type { Format, Reader } from "precis";
import { isPart, joinTexts, type Part, withoutParts, withPart } from "../formats/parts.ts";

/** A message of pi's, or one that a program has added to them. */
export interface PiMessage {
  readonly role: string;
}

/**
 * Messages of pi (`AgentMessage`). Those that a program has added are read as what `convertToLlm` makes of them, by default as
 * nothing, because pi sends nothing of them.
 */
// biome-ignore lint/suspicious/noExplicitAny: every version declares messages of its own.
export function piFormat(convertToLlm?: (message: PiMessage) => PiMessage | undefined): Format<PiMessage, any> {
  return {
    name: "pi",
    // A message that says nothing is left out by pi itself.
    takesEmpty: true,

    read(message, to) {
      const given = message as unknown as Part;
      if (ROLES.has(message.role)) readMessage(given, to);
      else {
        const sent = convertToLlm?.(message);
        if (sent && ROLES.has(sent.role)) readMessage({ ...(sent as unknown as Part), isAdded: true }, to);
        else to.role("user");
      }
    },

    summary: (text) => ({ role: "user", content: text, timestamp: 0 }),

    without: (message, parts) => withoutParts(message as PiMessage & { content?: unknown }, parts),

    result: (id, name, text) => ({
      ...{ role: "toolResult", toolCallId: id, toolName: name, isError: true, timestamp: 0 },
      content: [{ type: "text", text }],
    }),

    replace(message, part, text) {
      const { role, content } = message as unknown as Part;
      if (role === "toolResult") return { ...message, content: [{ type: "text", text }] };
      if (!Array.isArray(content)) return { ...message, content: text };
      return withPart(message as PiMessage & { content?: unknown }, part, (one) =>
        one.type === "toolCall" ? { ...one, arguments: JSON.parse(text) } : { ...TEXT_OF(one), type: "text", text },
      );
    },
  };
}

const ROLES: ReadonlySet<string> = new Set(["system", "user", "assistant", "toolResult"]);
/** Of a text its other members; of a picture none. */
const TEXT_OF = (part: Part): Part => (part.type === "text" ? part : {});

/** Whether pi leaves a reply out of every request: one that failed or was aborted. */
export const isUnsent = ({ role, stopReason }: { role?: unknown; stopReason?: unknown }): boolean =>
  role === "assistant" && (stopReason === "error" || stopReason === "aborted");

function readMessage(message: Part, to: Reader): void {
  const { role, content } = message;
  to.role(role === "toolResult" ? "tool" : (role as "system" | "user" | "assistant"));
  if (isUnsent(message)) return;
  if (role === "toolResult") readResult(message, to);
  else if (role === "system") readSystem(message, to);
  else if (typeof content === "string") readText(0, content, message, to);
  else if (Array.isArray(content)) for (const [at, block] of content.entries()) readBlock(at, block, message, to);
}

/** Of a message that a program has added no part may be shortened: only its program knows how it is written. */
function readText(at: number, text: string, { isAdded }: Part, to: Reader): void {
  if (isAdded === true) to.opaque(text);
  else to.text(at, text);
}

/** Instructions, sections of them, and declarations of tools. */
function readSystem({ content, sections, toolsAdded, toolsRemoved }: Part, to: Reader): void {
  if (typeof content === "string") to.text(0, content);
  else if (Array.isArray(content)) to.text(0, joinTexts(content));
  for (const more of [sections, toolsAdded, toolsRemoved]) if (more !== undefined) to.opaque(more);
}

function readBlock(at: number, block: unknown, message: Part, to: Reader): void {
  const { type, text, thinking, thinkingSignature, textSignature, thoughtSignature, redacted } = isPart(block)
    ? block
    : ({} as Part);
  const { id, name, arguments: input, data, mimeType } = isPart(block) ? block : ({} as Part);
  if (type === "text" && typeof text === "string") readText(at, text, message, to);
  else if (type === "thinking")
    to.reasoning(typeof thinking === "string" ? thinking : "", redacted === true || isText(thinkingSignature), at);
  else if (type === "toolCall") to.call(id as string, name as string, input, at);
  else if (type === "image") to.media("image", data, mimeType as string, message.isAdded ? undefined : at);
  else to.opaque(block);
  // The provider knows the block by a signature: it is sent as it is or not at all.
  if (isText(textSignature) || isText(thoughtSignature)) to.reasoning("", true);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

function readResult({ content, toolCallId, toolName, isError }: Part, to: Reader): void {
  const blocks = Array.isArray(content) ? content : [];
  to.result(0, toolCallId as string, joinTexts(blocks), isError === true, toolName as string);
  for (const block of blocks) {
    const { type, data, mimeType } = isPart(block) ? block : ({} as Part);
    if (type === "image") to.media("image", data, mimeType as string, 0);
    else if (type !== "text") to.opaque(block);
  }
}
