/**
 * Which format or SDK a message was made for, recognized by what only one of them has. Nothing is decided by it but
 * whether a history is refused of which a format would lose something, and what the error names.
 */
import { MISREAD, SHOWN } from "./contract.ts";
import { PrecisError } from "./errors.ts";
import type { ReadableFormat, Reader } from "./format.ts";

/** Names of formats, as `Format.name` says them. */
type FormatName =
  | "ai-sdk"
  | "ai-sdk-ui"
  | "anthropic"
  | "bedrock-converse"
  | "gemini"
  | "mistral"
  | "openai-chat"
  | "openai-responses";

/** What of a message tells its dialect. */
interface Marks {
  readonly message: Part;
  /** Types of its parts, and names of members of parts without a type. */
  readonly types: ReadonlySet<string>;
  readonly untyped: ReadonlySet<string>;
  /** Its parts, and what stands in `tool_calls`. */
  readonly parts: readonly Part[];
  readonly calls: readonly Part[];
}

/** A way to write messages: that of a format, or one that no format reads. */
interface Dialect {
  readonly name: FormatName | string;
  /** What it is and what to use, in a sentence or two. */
  readonly advice: string;
  is(marks: Marks): boolean;
}

const holds = (set: ReadonlySet<string>, ...names: string[]): boolean => names.some((name) => set.has(name));

/** Items of the Responses API. */
const ITEM = /_call(_output)?$|^(reasoning|item_reference|compaction|program(_output)?|tool_search_output|mcp_\w+)$/;

/** The dialects that are known, those with the narrowest marks first. */
const DIALECTS: readonly Dialect[] = [
  {
    name: "ai-sdk-ui",
    advice:
      "They look like UI messages of the AI SDK: convert them with `convertToModelMessages` and use the format `aiSdk`. (To measure them as they are, use `createMeter` with the format `aiSdkUI`.)",
    is: ({ message, types }) => Array.isArray(message.parts) && types.size > 0,
  },
  {
    name: "ai-sdk-ui-4",
    advice:
      "They look like UI messages of version 4 of the AI SDK: bring them into the form of later versions (`parts`), convert them with `convertToModelMessages` and use the format `aiSdk`.",
    is: ({ message }) => Array.isArray(message.toolInvocations) || Array.isArray(message.experimental_attachments),
  },
  {
    name: "gemini",
    advice: "They look like contents of the Gemini API: use the format `gemini`.",
    is: ({ message, untyped }) =>
      Array.isArray(message.parts) ||
      message.role === "model" ||
      holds(untyped, "functionCall", "function_call", "functionResponse", "function_response"),
  },
  {
    name: "openai-agents",
    advice:
      "They look like items of the OpenAI Agents SDK (`callId`, `function_call_result`): use the format `openaiAgents` of `precis/openai-agents`, or its models.",
    is: ({ message: { callId, type } }) =>
      typeof callId === "string" || (typeof type === "string" && /_call_result$|^hosted_tool_call$/.test(type)),
  },
  {
    name: "openai-responses",
    advice: "They look like items of OpenAI's Responses API: use the format `openaiResponses`.",
    is: ({ message: { type }, types }) =>
      (typeof type === "string" && ITEM.test(type)) || holds(types, "input_text", "output_text", "input_image"),
  },
  {
    name: "bedrock-converse",
    advice:
      "They look like messages of Amazon Bedrock's Converse API (`toolUse`, `toolResult`): use the format `bedrock`.",
    is: ({ untyped }) => holds(untyped, "text", "toolUse", "toolResult", "reasoningContent", "cachePoint"),
  },
  {
    name: "ai-sdk-4",
    advice:
      "They look like messages of version 4 of the AI SDK (`args` and `result` of tools): name these `input` and `output`, as versions 5 to 7 do, and use the format `aiSdk`.",
    is: ({ parts }) =>
      parts.some(
        ({ type, args, input, result, output }) =>
          (type === "tool-call" && input === undefined && args !== undefined) ||
          (type === "tool-result" && output === undefined && result !== undefined),
      ),
  },
  {
    name: "mistral",
    advice:
      "They look like messages in the camelCase of an SDK, such as those of Mistral and OpenRouter for TypeScript (`toolCalls`, `toolCallId`): use the format `mistral`, or pass them as the API spells them (`tool_calls`, `tool_call_id`) and use the format `openaiChat`.",
    is: ({ message: { toolCalls, toolCallId, functionCall }, parts }) =>
      Array.isArray(toolCalls) ||
      typeof toolCallId === "string" ||
      isPart(functionCall) ||
      parts.some(({ imageUrl, documentUrl, inputAudio }) => (imageUrl ?? documentUrl ?? inputAudio) !== undefined),
  },
  {
    name: "langchain",
    advice:
      "They look like messages of LangChain: use the format `langchain` of `precis/langchain`, or its middleware.",
    is: ({ message, calls }) =>
      "lc_kwargs" in message ||
      isPart(message.kwargs) ||
      calls.some(({ args, function: called, custom }) => isPart(args) && !isPart(called) && !isPart(custom)),
  },
  {
    name: "cohere",
    advice:
      "They look like messages of Cohere's own API (`tool_plan`), which no format reads: use its endpoint for OpenAI's Chat Completions and the format `openaiChat`, or write a format of your own (docs/formats.md).",
    is: ({ message }) => typeof message.tool_plan === "string",
  },
  {
    name: "ollama",
    advice: "They look like messages of Ollama's own API: use the format `openaiChat`, which reads them too.",
    is: ({ message: { tool_name, images, thinking }, calls }) =>
      typeof tool_name === "string" ||
      Array.isArray(images) ||
      typeof thinking === "string" ||
      calls.some(({ id, function: called }) => id === undefined && isPart(called) && isPart(called.arguments)),
  },
  {
    name: "openai-chat",
    advice: "They look like messages of OpenAI's Chat Completions: use the format `openaiChat`.",
    is: ({ message: { tool_calls, tool_call_id, function_call }, types }) =>
      Array.isArray(tool_calls) ||
      typeof tool_call_id === "string" ||
      isPart(function_call) ||
      holds(types, "image_url", "input_audio"),
  },
  {
    name: "anthropic",
    advice: "They look like messages of Anthropic's API: use the format `anthropic`.",
    is: ({ types, parts }) =>
      holds(types, "tool_use", "tool_result", "server_tool_use", "redacted_thinking") ||
      parts.some(
        ({ type, thinking, source }) =>
          (type === "thinking" && typeof thinking === "string") ||
          ((type === "image" || type === "document") && isPart(source)),
      ),
  },
  {
    name: "ai-sdk",
    advice: "They look like model messages of the AI SDK: use the format `aiSdk`.",
    is: ({ types, parts }) =>
      holds(types, "tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning") ||
      parts.some(
        ({ type, image, data, mediaType, file }) =>
          (type === "image" && image !== undefined) ||
          (type === "file" && (data ?? mediaType) !== undefined && file === undefined),
      ),
  },
];

/** What each format reads of what may hold calls and results. Formats of the host's own are not judged. */
const READS: Readonly<Record<FormatName, readonly string[]>> = {
  "ai-sdk": [],
  "ai-sdk-ui": ["parts"],
  anthropic: [],
  "bedrock-converse": [],
  gemini: ["parts"],
  mistral: ["toolCalls", "toolCallId"],
  "openai-chat": ["tool_calls", "tool_call_id", "tool_name", "function_call", "images", "thinking"],
  "openai-responses": ["call_id", "tools"],
};

/** Dialects that a format reads beside its own. */
const ALSO: Readonly<Record<string, readonly string[]>> = { "openai-chat": ["ollama"] };

/** Names of members that hold calls, results, their ids, or what was said, however they are spelled. */
const CARRIER =
  /^(tool_?(calls?|invocations?|results?|uses?|responses?|name|plan|call_?id|use_?id)|function_?(calls?|responses?|results?)|call_?id|parts|kwargs|images|thinking|experimental_attachments)$/i;
/** Those that tie an output to its call. */
const TIE = /^call_?id$/i;
/** What holds a text where there is no content. */
const SAYS = /^(text|message|body)$/;

/**
 * Whether a message holds something in a member that its format does not read: it would neither be counted nor kept
 * together, and be gone without a word.
 */
export function holdsUnread(message: object, format: string): boolean {
  if (!isKnown(format)) return false;
  const members = message as Part;
  const { type, content, parts } = members;
  // Items of the Responses API carry members of many names. They are passed on whole; what ties them has to be read.
  const carrier = format === "openai-responses" && typeof type === "string" && type !== "message" ? TIE : CARRIER;
  const silent = carrier === CARRIER && isNothing(content) && isNothing(parts);
  for (const name in members) {
    if (name === "role" || name === "content" || name === "type" || name === "id") continue;
    if (!carrier.test(name) && !(silent && SAYS.test(name))) continue;
    if (READS[format].includes(name) || isNothing(members[name])) continue;
    // The same in two spellings, or once more as the parts of a text.
    const twin = READS[format].find((read) => read.replace(/_/g, "") === name.replace(/_/g, "").toLowerCase());
    if (twin !== undefined && !isNothing(members[twin])) continue;
    if (name === "parts" && !isNothing(content) && Array.isArray(parts) && parts.every(isShown)) continue;
    return true;
  }
  return false;
}

/** A part of a UI message that its content repeats, or that is shown to people only. */
const isShown = (part: unknown): boolean => /^(text|step-start|source\S*|data-\S*)$/.test(String(typeOf(part)));

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" ? Object.keys(value).length === 0 : typeof value !== "string");

/** The dialect of a message, if it has what only one of them has. */
function dialectOf(message: Part): Dialect | undefined {
  const { content, parts, tool_calls } = message;
  const list = (Array.isArray(parts) ? parts : Array.isArray(content) ? content : []).filter(isPart);
  const types = new Set<string>();
  const untyped = new Set<string>();
  for (const part of list) {
    const { type } = part;
    // One that has a type and nothing else says nothing.
    const names = Object.keys(part);
    if (typeof type === "string" && names.length > 1) types.add(type);
    if (type === undefined) for (const name of names) untyped.add(name);
  }
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isPart) : [];
  return DIALECTS.find((dialect) => dialect.is({ message, types, untyped, parts: list, calls }));
}

/** The roles that formats know. */
const ROLES = ["system", "developer", "user", "assistant", "tool", "function", "model"];

/** The first message with a role that no format knows, in a sentence. */
function strangeRole(messages: readonly unknown[]): string | null {
  const roleOf = (message: unknown) => (message as { role?: unknown } | null | undefined)?.role;
  const at = messages.findIndex((message) => {
    const role = roleOf(message);
    return typeof role === "string" && !ROLES.includes(role);
  });
  if (at < 0) return null;
  const shown = JSON.stringify(String(roleOf(messages[at])).slice(0, SHOWN));
  return `messages[${at}] has the role ${shown}. Known are ${ROLES.slice(0, 5).join(", ")}, and in Gemini's contents user and model.`;
}

const isKnown = (format: string): format is FormatName => Object.hasOwn(READS, format);

/** Whether a message is in a dialect that the format does not read. */
function isOther(dialect: Dialect | undefined, format: string): boolean {
  return dialect !== undefined && dialect.name !== format && !ALSO[format]?.includes(dialect.name);
}

/**
 * Whether a message that a format read was made for another one, and would lose something. `partly`: the format did not
 * know some of what it read. Of a format of the host's own nothing is known.
 */
export function isForeign(message: object, format: string, partly: boolean): boolean {
  if (!isKnown(format)) return false;
  return holdsUnread(message, format) || (partly && isOther(dialectOf(message as Part), format));
}

/**
 * The refusal of a history of which `misread` messages are in no form that the format knows: of one of which they are
 * the most, and of one in another dialect, of which only what it has in common with others can be read. A few strange
 * messages in a history of the right dialect are passed on as they are.
 */
export function wrongFormat(
  messages: readonly unknown[],
  misread: number,
  of: ReadableFormat<never>,
): PrecisError | null {
  const format = of.name;
  const votes = new Map<Dialect, number>();
  let [own, others] = [0, 0];
  for (const message of messages) {
    const dialect = dialectOf(message as Part);
    if (dialect === undefined) continue;
    // Results of several dialects look the same: what counts is who called.
    if (!isOther(dialect, format)) own += (message as Part).role === "tool" ? 0 : 1;
    else {
      votes.set(dialect, (votes.get(dialect) ?? 0) + 1);
      others += 1;
    }
  }
  if (misread * MISREAD <= messages.length && !(isKnown(format) && others > own)) return null;
  let [most, likely]: [number, Dialect | null] = [0, null];
  for (const [dialect, count] of votes) if (count > most) [most, likely] = [count, dialect];
  const advice =
    (isKnown(format) ? null : thrownBy(messages, of)) ??
    likely?.advice ??
    strangeRole(messages) ??
    "No format of precis/formats can read them. Write a format of your own (docs/formats.md).";
  return new PrecisError(
    "wrong-format",
    "messages",
    `${misread} of ${messages.length} messages cannot be read by the format "${format}". ${advice}`,
  );
}

/** What a format of the host's own throws at the first message that it cannot read. */
function thrownBy(messages: readonly unknown[], format: ReadableFormat<never>): string | null {
  const to = new Proxy({}, { get: () => () => {} }) as Reader;
  for (const [at, message] of messages.entries())
    try {
      format.read(message as never, to);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return `Its \`read\` throws at messages[${at}]: ${said}. \`checkFormat\` of precis/testing tries a format.`;
    }
  return null;
}

type Part = Readonly<Record<string, unknown>>;

const isPart = (value: unknown): value is Part => typeof value === "object" && value !== null;

const typeOf = (part: unknown): unknown => (isPart(part) ? part.type : undefined);
