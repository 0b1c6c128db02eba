import type { Format, Reader } from "precis";
import { isEmpty, isPart, listed, mediaKind, type Part, readSpeaker, roles } from "./parts.ts";
import { encodedLike, textOfFile } from "./text-files.ts";

/** What precis reads of a `Content`. */
export type GeminiContent = { role?: unknown; parts?: unknown };

/**
 * `Content`s of Google's Gemini API and of ADK, in the spelling of JavaScript (`functionCall`) or Python (`function_call`).
 * Turns have to alternate there, so a summary and the user's message after it become one.
 */
// biome-ignore lint/suspicious/noExplicitAny: every client declares messages of its own.
export const gemini: Format<GeminiContent, any> = {
  name: "gemini",
  thinking: "free",
  alternation: "strict",
  opening: "user",
  takesEmpty: true,

  read(message, to) {
    const { role, parts } = message;
    const is = role === undefined ? "user" : roleOf(role);
    const none = (parts === undefined || parts === null) && role !== undefined;
    if (!is || !(Array.isArray(parts) || (none && isEmpty(message as Part)))) {
      to.opaque(message);
      return;
    }
    to.role(is);
    if (is !== "tool") readSpeaker(message as Part, to);
    if (Array.isArray(parts)) readParts(parts, to);
  },

  summary: (text) => ({ role: "user", parts: [{ text }] }),

  merge: (first, second) => ({ ...second, parts: [...listed(first.parts), ...listed(second.parts)] }),

  without(message, indices) {
    const parts = message.parts as readonly unknown[];
    const rest = parts.filter((_, i) => !indices.includes(i));
    const first = parts.findIndex(isCall);
    return { ...message, parts: indices.includes(first) && isSigned(parts[first]) ? withDummy(rest) : rest };
  },

  result: (id, name, text) => ({
    role: "user",
    parts: [{ functionResponse: { ...(id !== "" && { id }), name, response: { result: text } } }],
  }),

  replace(message, part, text) {
    const parts = message.parts as readonly unknown[];
    return { ...message, parts: parts.map((one, i) => (i === part && isPart(one) ? shortened(one, text) : one)) };
  },
};

const roleOf = /* @__PURE__ */ roles({
  model: "assistant",
  user: "user",
  function: "tool",
  tool: "tool",
  system: "system",
});

function readParts(parts: readonly unknown[], to: Reader): void {
  let signed = false;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    // Parts of this API have no type; those of UI messages do.
    if (!isPart(part) || typeof part.type === "string") {
      to.opaque(part);
      continue;
    }
    const call = member(part, "functionCall", "function_call");
    const answer = member(part, "functionResponse", "function_response");
    const inline = member(part, "inlineData", "inline_data");
    const file = member(part, "fileData", "file_data");
    const signature = part.thoughtSignature ?? part.thought_signature;
    signed ||= typeof signature === "string" && signature !== "";
    if (part.thought === true) to.reasoning(typeof part.text === "string" ? part.text : "", signature !== undefined, i);
    else if (typeof part.text === "string") to.text(i, part.text);
    else if (call) to.call(call.id as string, call.name as string, call.args ?? {}, i);
    else if (answer) readAnswer(i, answer, to);
    else if (inline && textOfInline(inline) !== undefined)
      to.document(i, textOfInline(inline) as string, (inline.displayName ?? inline.display_name) as string | undefined);
    else if (inline) readMedia(i, inline, inline.data, to);
    else if (file) readMedia(i, file, file.fileUri ?? file.file_uri, to);
    else to.opaque(part);
  }
  // A signature is checked against what it was given with: like signed reasoning, the message stays as it is.
  if (signed) to.reasoning("", true);
}

/** Calls often carry no id: what ties a response to its call is the name, and the order. */
function readAnswer(index: number, { id, name, response, parts }: Part, to: Reader): void {
  const failed = isPart(response) && response.error !== undefined && response.error !== null;
  to.result(index, id as string, textOf(response), failed, name as string);
  if (!Array.isArray(parts)) return;
  for (const part of parts) {
    const inline = isPart(part) && member(part, "inlineData", "inline_data");
    const file = isPart(part) && member(part, "fileData", "file_data");
    if (inline) readMedia(index, inline, inline.data, to);
    else if (file) readMedia(index, file, file.fileUri ?? file.file_uri, to);
    else to.opaque(part);
  }
}

/** A response that is one text and nothing else is that text: many tools answer so, and so does what was shortened. */
function textOf(response: unknown): unknown {
  if (!isPart(response)) return response ?? "";
  const text = response.result ?? response.error;
  return typeof text === "string" && Object.keys(response).length === 1 ? text : response;
}

function readMedia(index: number, part: Part, data: unknown, to: Reader): void {
  const type = (part.mimeType ?? part.mime_type) as string | undefined;
  const name = (part.displayName ?? part.display_name) as string | undefined;
  to.media(mediaKind(type, name), data, type, index, name);
}

/** The text of a file that is one. */
const textOfInline = (inline: Part): string | undefined =>
  textOfFile(inline, inline.data, inline.mimeType ?? inline.mime_type);

const isCall = (part: unknown): boolean => isPart(part) && member(part, "functionCall", "function_call") !== undefined;

function isSigned(part: unknown): boolean {
  const signature = isPart(part) && (part.thoughtSignature ?? part.thought_signature);
  return typeof signature === "string" && signature !== "";
}

/** What Google documents for a call whose signature nobody has. */
const DUMMY = "skip_thought_signature_validator";

/** The signature of parallel calls is that of the first. Where that one has gone, the next is not refused with this. */
function withDummy(parts: readonly unknown[]): readonly unknown[] {
  const first = parts.findIndex(isCall);
  if (first < 0 || isSigned(parts[first])) return parts;
  return parts.map((part, i) => (i === first ? { ...(part as Part), thoughtSignature: DUMMY } : part));
}

function shortened(part: Part, text: string): Part {
  for (const key of ["inlineData", "inline_data"]) {
    const inline = part[key];
    if (isPart(inline) && textOfInline(inline) !== undefined)
      return { ...part, [key]: { ...inline, data: encodedLike(inline.data, text) } };
  }
  for (const key of ["functionCall", "function_call"]) {
    if (isPart(part[key])) return { ...part, [key]: { ...part[key], args: JSON.parse(text) } };
  }
  for (const key of ["functionResponse", "function_response"]) {
    const answer = part[key];
    if (!isPart(answer)) continue;
    // Media inside an answer leave together with it.
    const { parts: _, response, ...rest } = answer;
    const failed = isPart(response) && response.error !== undefined && response.error !== null;
    return { ...part, [key]: { ...rest, response: failed ? { error: text } : { result: text } } };
  }
  return typeof part.text === "string" ? { ...part, text } : { text };
}

function member(part: Part, camel: string, snake: string): Part | undefined {
  const value = part[camel] ?? part[snake];
  return isPart(value) ? value : undefined;
}
