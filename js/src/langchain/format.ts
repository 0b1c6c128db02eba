import type { Format, Reader, Role } from "precis";
import { CHAT_ROLES, isPart, joinTexts, mediaKind, type Part, roles, typeOfUrl } from "../formats/parts.ts";

/** A message of LangChain's, or a plain object with the same members. */
export interface LangChainMessage {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}

/**
 * Messages of LangChain (`HumanMessage`, `AIMessage`, `ToolMessage`, `SystemMessage`, also as chunks). Messages that precis
 * makes are plain objects, which every model of LangChain takes as well.
 */
// biome-ignore lint/suspicious/noExplicitAny: every version declares messages of its own.
export const langchain: Format<LangChainMessage, any> = {
  name: "langchain",

  read(message, to) {
    const given = message as Part;
    const role = roleOf(given);
    const { content } = given;
    if (
      !role ||
      (content !== undefined && content !== null && typeof content !== "string" && !Array.isArray(content))
    ) {
      to.opaque(message);
      return;
    }
    to.role(role);
    if (role === "tool") {
      readResult(given, to);
      return;
    }
    // The name of an agent's message is that of its node.
    if (role === "user" && typeof given.name === "string" && given.name !== "") to.speaker(given.name);
    if (role === "assistant") readKwargs(given, to);
    if (typeof content === "string") {
      if (content !== "") to.text(0, content);
    } else if (Array.isArray(content)) for (const [at, block] of content.entries()) readBlock(at, block, given, to);
    if (role === "assistant")
      for (const [at, call] of callsOf(given).entries()) to.call(call.id, call.name, call.args, CALLS + at);
  },

  summary: (text) => ({ type: "human", role: "user", content: text }),

  result: (id, name, text) => ({ type: "tool", role: "tool", tool_call_id: id, name, content: text, status: "error" }),

  replace(message, part, text) {
    if (part >= CALLS) return withInput(message, part - CALLS, text);
    const { content } = message as Part;
    if (roleOf(message as Part) === "tool" || !Array.isArray(content)) return copyOf(message, { content: text });
    const blocks = content.map((block, at) => (at === part ? shortened(block, text) : block));
    return copyOf(message, { content: blocks });
  },

  without(message, parts) {
    const { content, tool_calls, additional_kwargs } = message as Part;
    const gone = new Set(
      callsOf(message as Part).flatMap(({ id }, at) => (parts.includes(CALLS + at) && id ? [id] : [])),
    );
    const changed: Record<string, unknown> = {};
    if (Array.isArray(content))
      changed.content = content.filter((block, at) => !parts.includes(at) && !gone.has(callIdOf(block) ?? ""));
    if (Array.isArray(tool_calls)) changed.tool_calls = tool_calls.filter((_, at) => !parts.includes(CALLS + at));
    if (isPart(additional_kwargs)) {
      const { reasoning_content, tool_calls: raw, ...rest } = additional_kwargs;
      changed.additional_kwargs = {
        ...rest,
        ...(reasoning_content !== undefined && !parts.includes(REASONING) && { reasoning_content }),
        ...(Array.isArray(raw) && { tool_calls: raw.filter((call) => !gone.has(String((call as Part | null)?.id))) }),
      };
    }
    return copyOf(message, changed);
  },

  id: (message) => ((message as Part).id as string | undefined) ?? undefined,
};

/** Calls are numbered from here on, so that no block of the content has their numbers. */
const CALLS = 1 << 16;
const REASONING = 1 << 21;

const roleNamed = /* @__PURE__ */ roles({
  ...CHAT_ROLES,
  developer: "system",
  human: "user",
  ai: "assistant",
  function: "tool",
});

function roleOf({ type, role }: Part): Role | undefined {
  // A message of the type "generic" has a role of its own.
  return roleNamed(typeof type === "string" && type !== "generic" ? type : role);
}

interface Call {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
}

/** The calls of a message; those that only stand in what the provider sent are read from there. */
function callsOf({ tool_calls, additional_kwargs }: Part): Call[] {
  if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls as Call[];
  const raw = isPart(additional_kwargs) ? additional_kwargs.tool_calls : undefined;
  return (Array.isArray(raw) ? raw : []).flatMap((call) => {
    const called = isPart(call) ? call.function : undefined;
    return isPart(called) ? [{ id: call.id, name: called.name, args: called.arguments } as Call] : [];
  });
}

/** The call that a block of the content shows a second time. */
function callIdOf(block: unknown): string | undefined {
  const { type, id } = isPart(block) ? block : {};
  return typeof id === "string" && CALL_BLOCK.test(String(type)) ? id : undefined;
}

const CALL_BLOCK = /^(tool_use|tool_call|tool-call|function_call|functionCall)$/;

/** What a provider wants back of a message, and what some put beside its content. */
function readKwargs({ additional_kwargs }: Part, to: Reader): void {
  if (!isPart(additional_kwargs)) return;
  for (const [name, value] of Object.entries(additional_kwargs)) {
    if (name === "reasoning_content" && typeof value === "string") to.reasoning(value, false, REASONING);
    else if (isPart(value) && (name === "reasoning" || /signature/i.test(name)) && Object.keys(value).length > 0) {
      to.reasoning("", true);
      to.opaque(value);
    }
  }
}

function readBlock(at: number, block: unknown, message: Part, to: Reader): void {
  if (!isPart(block)) {
    if (typeof block === "string") to.text(at, block);
    else to.opaque(block);
    return;
  }
  const { type, text, thinking, reasoning, reasoningText, signature, extras } = block;
  if ((type === "text" || type === "output_text" || type === "input_text") && typeof text === "string")
    to.text(at, text);
  else if (type === "text-plain" && typeof text === "string") to.document(at, text, block.title as string | undefined);
  else if (type === "thinking" && typeof thinking === "string") to.reasoning(thinking, signature !== undefined, at);
  else if (type === "redacted_thinking") {
    to.reasoning("", true, at);
    to.opaque(block.data);
  } else if (type === "reasoning")
    to.reasoning(typeof reasoning === "string" ? reasoning : "", isPart(extras) || "id" in block, at);
  else if (type === "reasoning_content" && isPart(reasoningText))
    to.reasoning(String(reasoningText.text ?? ""), reasoningText.signature !== undefined, at);
  else if (isMedia(block)) readMedia(at, block, to);
  // A call that stands among the message's calls as well counts there.
  else if (!callsOf(message).some(({ id }) => id !== undefined && id === callIdOf(block))) to.opaque(block);
}

const MEDIA = /^(image|image_url|input_image|audio|input_audio|video|file|document|media)$/;
const isMedia = ({ type }: Part): boolean => MEDIA.test(String(type));

/** Media as LangChain's standard blocks and those of providers have them. */
function readMedia(at: number, block: Part, to: Reader): void {
  const { type, source, file, input_audio, image_url, url, data, fileId, mimeType, mime_type, media_type, filename } =
    block;
  const inner = [source, file, input_audio, image_url].find(isPart) ?? {};
  const shown = data ?? url ?? (typeof image_url === "string" ? image_url : undefined);
  const found = shown ?? inner.data ?? inner.url ?? inner.file_data ?? fileId ?? inner.file_id ?? inner;
  const is = (mimeType ?? mime_type ?? media_type ?? inner.media_type ?? typeOfUrl(found)) as string | undefined;
  const name = (filename ?? inner.filename) as string | undefined;
  const kind = /image/.test(String(type)) ? "image" : /audio/.test(String(type)) ? "audio" : mediaKind(is, name);
  to.media(kind, found, is, at, name);
}

function readResult(message: Part, to: Reader): void {
  const { content, tool_call_id, name, status } = message;
  const blocks = Array.isArray(content) ? content : [];
  const text = Array.isArray(content) ? joinTexts(blocks) : (content ?? "");
  to.result(0, tool_call_id as string, text, status === "error", name as string | undefined);
  for (const block of blocks) {
    if (typeof block === "string" || (isPart(block) && block.type === "text")) continue;
    if (isPart(block) && isMedia(block)) readMedia(0, block, to);
    else to.opaque(block);
  }
}

/** A block with a text in place of its own, or of what it shows. */
function shortened(block: unknown, text: string): unknown {
  if (typeof block === "string") return text;
  return isPart(block) && typeof block.text === "string" ? { ...block, text } : { type: "text", text };
}

/** A call with shorter arguments, wherever the message has them. */
function withInput<M extends LangChainMessage>(message: M, at: number, json: string): M {
  const { content, tool_calls, additional_kwargs } = message as Part;
  const id = callsOf(message as Part)[at]?.id;
  const args: unknown = JSON.parse(json);
  const changed: Record<string, unknown> = {};
  if (Array.isArray(tool_calls))
    changed.tool_calls = tool_calls.map((call, i) => (i === at ? { ...call, args } : call));
  if (Array.isArray(content) && id !== undefined)
    changed.content = content.map((block) => (callIdOf(block) === id ? withArguments(block as Part, args) : block));
  if (isPart(additional_kwargs) && Array.isArray(additional_kwargs.tool_calls)) {
    const raw = additional_kwargs.tool_calls.map((call: unknown) =>
      isPart(call) && call.id === id && isPart(call.function)
        ? { ...call, function: { ...call.function, arguments: typeof args === "string" ? args : json } }
        : call,
    );
    changed.additional_kwargs = { ...additional_kwargs, tool_calls: raw };
  }
  return copyOf(message, changed);
}

function withArguments(block: Part, args: unknown): Part {
  for (const name of ["input", "args", "arguments"]) if (block[name] !== undefined) return { ...block, [name]: args };
  return block;
}

/** A copy of the same class, with other members. `lc_kwargs` is what LangChain writes a message from. */
function copyOf<M extends object>(message: M, changed: Readonly<Record<string, unknown>>): M {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(message) as object) as object, message, changed);
  const { lc_kwargs } = message as Part;
  if (isPart(lc_kwargs)) Object.assign(copy, { lc_kwargs: { ...lc_kwargs, ...changed } });
  return copy as M;
}
