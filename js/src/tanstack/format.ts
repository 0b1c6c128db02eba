import type { Format, Reader } from "precis";
import { argumentsOf } from "../formats/openai-chat.ts";
import { CHAT_ROLES, isEmpty, isPart, mediaKind, type Part, roles, withoutParts, withPart } from "../formats/parts.ts";

/** A `ModelMessage` of TanStack AI. */
export interface TanStackMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: unknown;
  readonly thinking?: unknown;
}

/** Messages of TanStack AI (`ModelMessage`), which its adapters write for each provider. */
// biome-ignore lint/suspicious/noExplicitAny: every version declares messages of its own.
export const tanstack: Format<TanStackMessage, any> = {
  name: "tanstack",

  read(message, to) {
    const given = message as unknown as Part;
    const { content, toolCalls, thinking } = given;
    const role = roleOf(message.role);
    const known = Array.isArray(content) || typeof content === "string" || Array.isArray(toolCalls) || isEmpty(given);
    if (!role || !known) {
      to.opaque(message);
      return;
    }
    to.role(role);
    if (role === "tool") {
      readResult(given, to);
      return;
    }
    if (Array.isArray(thinking)) for (const [at, one] of thinking.entries()) readThinking(THINKING + at, one, to);
    if (typeof content === "string") {
      if (content !== "" || !Array.isArray(toolCalls)) to.text(0, content);
    } else if (Array.isArray(content)) for (const [at, part] of content.entries()) readPart(at, part, to);
    if (Array.isArray(toolCalls)) for (const [at, call] of toolCalls.entries()) readCall(CALLS + at, call, to);
  },

  summary: (text) => ({ role: "user", content: text }),

  result: (id, name, text) => ({ role: "tool", toolCallId: id, name, content: text, error: text }),

  replace(message, part, text) {
    const { role, content, toolCalls } = message;
    if (part >= CALLS) {
      const calls = (toolCalls as Part[]).map((call, at) =>
        at === part - CALLS ? { ...call, function: { ...(call.function as Part), arguments: text } } : call,
      );
      return { ...message, toolCalls: calls };
    }
    if (role === "tool" || !Array.isArray(content)) return { ...message, content: text };
    return withPart(message, part, (one) => ({ ...(one.type === "text" ? one : {}), type: "text", content: text }));
  },

  without(message, parts) {
    const { toolCalls, thinking, content } = message;
    const left = (list: unknown, from: number) =>
      Array.isArray(list) ? list.filter((_, at) => !parts.includes(from + at)) : [];
    const [calls, thoughts] = [left(toolCalls, CALLS), left(thinking, THINKING)];
    const kept = (Array.isArray(content) ? withoutParts(message, parts) : message) as TanStackMessage;
    const { toolCalls: _, thinking: __, ...rest } = kept;
    return {
      ...rest,
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(thoughts.length > 0 && { thinking: thoughts }),
    };
  },

  id: (message) => (message as { id?: string }).id ?? undefined,
};

/** Calls, and what was thought, are numbered from here on, so that no part of the content has their numbers. */
const CALLS = 1 << 16;
const THINKING = 1 << 21;

const roleOf = /* @__PURE__ */ roles(CHAT_ROLES);

function readThinking(part: number, one: unknown, to: Reader): void {
  const { content, signature } = isPart(one) ? one : ({} as Part);
  to.reasoning(typeof content === "string" ? content : "", typeof signature === "string" && signature !== "", part);
}

function readPart(at: number, part: unknown, to: Reader): void {
  const { type, content, source } = isPart(part) ? part : ({} as Part);
  const { value, mimeType } = isPart(source) ? source : ({} as Part);
  if (type === "text" && typeof content === "string") to.text(at, content);
  else if (typeof value === "string") {
    const is =
      type === "image" || type === "audio" || type === "video" ? type : mediaKind(mimeType ?? "application/pdf");
    to.media(is, value, mimeType as string | undefined, at);
  } else to.opaque(part);
}

/** A call whose provider has signed it, or executed it, stays as it is. */
function readCall(part: number, call: unknown, to: Reader): void {
  const { id, function: called, metadata } = isPart(call) ? call : ({} as Part);
  if (!isPart(called)) {
    to.opaque(call);
    return;
  }
  to.call(id as string, called.name as string, argumentsOf(called), isPart(metadata) ? undefined : part);
  if (isPart(metadata)) {
    to.reasoning("", true);
    to.opaque(metadata);
  }
}

function readResult({ content, toolCallId, name, error }: Part, to: Reader): void {
  const parts = Array.isArray(content) ? content.filter(isPart) : [];
  const texts = parts.flatMap(({ type, content }) => (type === "text" && typeof content === "string" ? [content] : []));
  const text = typeof content === "string" ? content : texts.join("\n");
  to.result(0, toolCallId as string, text, typeof error === "string", name as string | undefined);
  for (const part of parts) if (part.type !== "text") readPart(0, part, to);
}
