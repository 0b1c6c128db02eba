import type { Format, Reader } from "precis";
import {
  CHAT_ROLES,
  isEmpty,
  isPart,
  joinTexts,
  mediaKind,
  type Part,
  readSpeaker,
  roles,
  typeOfUrl,
  withPart,
} from "./parts.ts";
import { encodedLike, textOfFile } from "./text-files.ts";

/** What precis reads of a `ChatCompletionMessageParam`. */
export type OpenAIChatMessage = { role: string; content?: unknown };

/** Messages of OpenAI's Chat Completions API, and of the many that take the same. */
// biome-ignore lint/suspicious/noExplicitAny: every client declares messages of its own.
export const openaiChat: Format<OpenAIChatMessage, any> = {
  name: "openai-chat",
  thinking: "free",

  read(message, to) {
    const { role, content } = message;
    const is = roleOf(role);
    if (!is || !isUnderstood(message as Part, content)) {
      to.opaque(message);
      return;
    }
    to.role(is);
    if (is !== "tool") readSpeaker(message as Part, to);
    if (is === "assistant") readAssistant(message as Part, to);
    else if (is === "tool") readResult(message as Part, to);
    else if (content !== null && content !== undefined) readContent(content, to);
    readImages(message as Part, to);
  },

  summary: (text) => ({ role: "user", content: text }),

  result(id, name, text, message) {
    const { function_call, tool_calls } = (message ?? {}) as Part;
    if (isPart(function_call) && !Array.isArray(tool_calls)) return { role: "function", name, content: text };
    // Where calls have no ids, a result has none either. Ollama's own API has arguments as values.
    const isOllama = Array.isArray(tool_calls) && tool_calls.some((call) => isPart(call?.function?.arguments));
    const tie = id !== "" ? { tool_call_id: id } : isOllama ? { tool_name: name } : { name };
    return { role: "tool", ...tie, content: text };
  },

  without(message, parts) {
    const { content, tool_calls, function_call, reasoning_content, reasoning, reasoning_details, thinking, ...rest } =
      message as Part & { role: string };
    const calls = Array.isArray(tool_calls) ? tool_calls.filter((_, i) => !parts.includes(CALLS + i)) : [];
    return {
      ...rest,
      ...(!parts.includes(REASONING) && {
        ...(reasoning_content !== undefined && { reasoning_content }),
        ...(reasoning !== undefined && { reasoning }),
        ...(thinking !== undefined && { thinking }),
        ...(reasoning_details !== undefined && { reasoning_details }),
      }),
      ...(content !== undefined && {
        content: Array.isArray(content) ? content.filter((_, i) => !parts.includes(i)) : content,
      }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(function_call !== undefined && !parts.includes(FUNCTION_CALL) && { function_call }),
    };
  },

  replace(message, part, text) {
    if (part >= CALLS) return withInput(message, part - CALLS, text);
    if (!Array.isArray(message.content) || message.role === "tool") return { ...message, content: text };
    return withPart(message, part, (part) => {
      if (part.type === "text") return { ...part, text };
      if (textOfPart(part) !== undefined) {
        const file = part.file as Part;
        return { ...part, file: { ...file, file_data: encodedLike(file.file_data, text) } };
      }
      return part.type === "refusal" ? { ...part, refusal: text } : { type: "text", text };
    });
  },
};

const roleOf = /* @__PURE__ */ roles({ ...CHAT_ROLES, developer: "system", function: "tool" });

/** Members of an assistant's message that replace content, or come with it. */
const BESIDE = [
  "tool_calls",
  "function_call",
  "refusal",
  "audio",
  "reasoning",
  "reasoning_content",
  "reasoning_details",
];

function isUnderstood(message: Part, content: unknown): boolean {
  const { role, tool_call_id, name } = message;
  if (role === "tool" || role === "function") {
    // A list in which nothing is known, without a word of which call it belongs to, is the result of another shape.
    if (content === null || content === undefined) return isEmpty(message);
    const named = tool_call_id !== undefined || name !== undefined;
    return named || !Array.isArray(content) || content.length === 0 || content.some(isTextPart);
  }
  if (typeof content === "string" || Array.isArray(content) || isEmpty(message)) return true;
  const none = content === null || content === undefined;
  return none && role === "assistant" && BESIDE.some((name) => isPart(message[name]) || isText(message[name]));
}

const isTextPart = (part: unknown): boolean => isPart(part) && part.type === "text" && typeof part.text === "string";
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

function readAssistant(message: Part, to: Reader): void {
  const { reasoning_details, content, refusal, audio, tool_calls, function_call } = message;
  const thoughts = message.reasoning_content ?? message.reasoning ?? message.thinking;
  // Details are what some providers sign or encrypt, and want back as they were.
  const signed = Array.isArray(reasoning_details) && reasoning_details.length > 0;
  if (typeof thoughts === "string" || signed)
    to.reasoning(typeof thoughts === "string" ? thoughts : "", signed, REASONING);
  if (content !== null && content !== undefined) readContent(content, to);
  if (refusal) to.opaque(refusal);
  if (audio) readAudio(audio, to);
  if (Array.isArray(tool_calls)) for (let i = 0; i < tool_calls.length; i++) readCall(CALLS + i, tool_calls[i], to);
  if (isPart(function_call)) {
    to.call(undefined, function_call.name as string, argumentsOf(function_call), FUNCTION_CALL);
  }
}

/** What an assistant said aloud: sent back by its id, or kept with its data, which is no text to anybody. */
function readAudio(audio: unknown, to: Reader): void {
  const { data, format, transcript } = isPart(audio) ? audio : {};
  if (typeof data !== "string") to.opaque(audio);
  else {
    to.media("audio", data, audioType(format));
    to.opaque(transcript);
  }
}

/** Images of Ollama's own API. */
function readImages({ images }: Part, to: Reader): void {
  if (Array.isArray(images)) for (const image of images) to.media("image", image, undefined);
}

/** Calls are numbered from here on, so that no part of the content has their numbers. */
const CALLS = 1 << 16;
const FUNCTION_CALL = 1 << 20;
const REASONING = 1 << 21;

function withInput<M extends { role: string }>(message: M, index: number, json: string): M {
  const { tool_calls, function_call } = message as Part;
  if (index === FUNCTION_CALL - CALLS) return { ...message, function_call: withArguments(function_call as Part, json) };
  const calls = (tool_calls as Part[]).map((call, i) => {
    if (i !== index) return call;
    if (isPart(call.function)) return { ...call, function: withArguments(call.function, json) };
    return { ...call, custom: { ...(call.custom as Part), input: JSON.parse(json) } };
  });
  return { ...message, tool_calls: calls };
}

/** A function that is called with other arguments, in the form that they had: JSON as text, or a value. */
export function withArguments(call: Part, json: string): Part {
  return { ...call, arguments: argumentsOf(call) === call.arguments ? JSON.parse(json) : json };
}

/** Some servers send no id, and a function's result of old has none: a name, and the order, tie it to the call. */
function readResult({ tool_call_id, name, tool_name, content }: Part, to: Reader): void {
  const parts = Array.isArray(content) ? content : NONE;
  const text = Array.isArray(content) ? joinTexts(content) : (content ?? "");
  to.result(0, tool_call_id as string, text, false, (name ?? tool_name) as string);
  // Some gateways take media here; whatever it is, it is counted.
  for (const part of parts) if (typeof part !== "string" && !isTextPart(part)) readPart(0, part, to);
}

const NONE: readonly unknown[] = [];

function readCall(number: number, call: unknown, to: Reader): void {
  const { id, function: called, custom } = isPart(call) ? call : {};
  if (isPart(called)) to.call(id as string, called.name as string, argumentsOf(called), number);
  else if (isPart(custom)) to.call(id as string, custom.name as string, custom.input, number);
  else to.opaque(call);
}

function readContent(content: unknown, to: Reader): void {
  if (typeof content === "string") to.text(0, content);
  else if (!Array.isArray(content)) to.opaque(content);
  else
    for (let i = 0; i < content.length; i++) {
      const text = textOfPart(content[i]);
      if (text === undefined) readPart(i, content[i], to);
      else to.document(i, text, content[i].file.filename);
    }
}

/** The text of a file that is one. */
function textOfPart(part: unknown): string | undefined {
  const { type, file } = isPart(part) ? part : {};
  return type === "file" && isPart(file) ? textOfFile(file, file.file_data, undefined) : undefined;
}

function readPart(index: number, part: unknown, to: Reader): void {
  const { type, text, refusal, image_url, input_audio, file } = isPart(part) ? part : {};
  if (type === "text" && typeof text === "string") to.text(index, text);
  else if (type === "refusal" && typeof refusal === "string") to.text(index, refusal);
  else if (type === "image_url") to.media("image", isPart(image_url) ? image_url.url : image_url, undefined, index);
  else if (type === "input_audio" && isPart(input_audio))
    to.media("audio", input_audio.data, audioType(input_audio.format), index);
  else if (type === "file" && isPart(file)) readFile(index, file, to);
  else to.opaque(part);
}

function readFile(index: number, file: Part, to: Reader): void {
  const { file_data: data, filename } = file;
  const type = typeOfUrl(data);
  const name = filename as string | undefined;
  to.media(mediaKind(type, filename), typeof data === "string" ? data : file, type, index, name);
}

const audioType = (format: unknown): string | undefined => (typeof format === "string" ? `audio/${format}` : undefined);

/** Arguments as values, parsed once as long as their text stays the same. */
const parsed = /* @__PURE__ */ new WeakMap<object, { readonly text: string; readonly value: unknown }>();

/** The arguments of a function that is called: those that are text as a value, the same one as long as it stays the same. */
export function argumentsOf(call: Part): unknown {
  const { arguments: text } = call;
  if (typeof text !== "string") return text;
  const known = parsed.get(call);
  if (known?.text === text) return known.value;
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {}
  parsed.set(call, { text, value });
  return value;
}
