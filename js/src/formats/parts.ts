/**
 * What the shapes of messages have in common: content that is text, or a list of typed parts.
 */
import type { MediaKind, Reader, Role } from "precis";

export type Part = Readonly<Record<string, unknown>>;

export const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null;

/** The roles that most shapes have, under their usual names. */
export const CHAT_ROLES = { system: "system", user: "user", assistant: "assistant", tool: "tool" } as const;

/** Looks up what a message says of its role, which may be anything. */
export function roles(known: Readonly<Record<string, Role>>): (name: unknown) => Role | undefined {
  return (name) => (typeof name === "string" && Object.hasOwn(known, name) ? known[name] : undefined);
}

/** The parts of a content that is a list; those of a message without content are none. */
export const listed = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : []);

/** Text of a list of parts that a tool answered with; a list of one is that one's own string. */
export function joinTexts(parts: readonly unknown[]): string {
  let joined: string | undefined;
  for (const part of parts) {
    const text = isPart(part) && part.type === "text" ? part.text : part;
    if (typeof text === "string") joined = joined === undefined ? text : `${joined}\n${text}`;
  }
  return joined ?? "";
}

/** A copy of a message whose content is a list, with one of its parts exchanged; the other parts are the same objects. */
export function withPart<M extends { content?: unknown }>(
  message: M,
  index: number,
  exchange: (part: Part) => unknown,
): M {
  const parts = message.content as readonly unknown[];
  return { ...message, content: parts.map((part, i) => (i === index && isPart(part) ? exchange(part) : part)) };
}

/** A copy of a message whose content is a list, without some of its parts. */
export function withoutParts<M extends { content?: unknown }>(message: M, indices: readonly number[]): M {
  const parts = message.content as readonly unknown[];
  return { ...message, content: parts.filter((_, i) => !indices.includes(i)) };
}

/** What a media type, or a file's name, says a piece of media is. */
export function mediaKind(mediaType: unknown, name?: unknown): MediaKind {
  const type = typeof mediaType === "string" ? mediaType : "";
  if (type.startsWith("image")) return "image";
  if (type.startsWith("audio")) return "audio";
  if (type.startsWith("video")) return "video";
  return type === "application/pdf" || (typeof name === "string" && /\.pdf$/i.test(name)) ? "pdf" : "file";
}

/** The media type that a data URL names. */
export function typeOfUrl(data: unknown): string | undefined {
  return typeof data === "string" ? /^data:([\w.+-]+\/[\w.+-]+)/.exec(data.slice(0, 100))?.[1] : undefined;
}

/** Longest text of a member that may be a name, an id or a date rather than what somebody said. */
const LONGEST_LABEL = 64;

/** Whether a message without content says nothing in its other members either, and so is only empty. */
export function isEmpty(message: Part): boolean {
  if (message.content !== null && message.content !== undefined) return false;
  for (const name of Object.keys(message)) {
    const value = message[name];
    if (typeof value === "string" ? value.length > LONGEST_LABEL : isPart(value) && Object.keys(value).length > 0)
      return false;
  }
  return true;
}

/** Names whoever wrote a message. A tool's name is none of a speaker. */
export function readSpeaker({ name }: Part, to: Reader): void {
  if (typeof name === "string" && name !== "") to.speaker(name);
}
