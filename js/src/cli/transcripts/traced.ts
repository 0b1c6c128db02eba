import type { Turn } from "./chat.ts";
import { blocks, isMessage, isObject, type JsonObject } from "./conversation.ts";
import { type Piece, parsedValue, recorded } from "./pieces.ts";
import { isItem } from "./records.ts";

/** What a tracing tool wrote of one call of a model, in whatever words the framework behind it has. */
export interface Traced {
  readonly turns: readonly Turn[];
  readonly system?: unknown;
  readonly tools?: unknown;
}

/**
 * Reads the messages of a request or a reply: lists of messages of the APIs and of LangChain, items of Responses, `contents` of
 * Gemini, parts of OpenTelemetry; bare, as JSON in a text, or in the members in which requests and responses keep them. A
 * text that is none of it was said by `speaker`.
 */
export function traced(value: unknown, speaker: "user" | "assistant"): Traced {
  const read = typeof value === "string" ? parsedValue(value) : value;
  if (typeof read === "string") return { turns: read.trim() === "" ? [] : [said(speaker, read)] };
  if (Array.isArray(read)) return listed(read, speaker);
  if (!isObject(read)) return { turns: [] };
  const message = messageOf(read);
  if (message) return { turns: [turnOf(message)] };
  const found = INSIDE.map((name) => read[name]).find((inner) => inner !== undefined && inner !== null);
  const { turns, system, tools } = found === undefined ? { turns: [] } : traced(found, speaker);
  const config = isObject(read.config) ? read.config : {};
  return {
    turns,
    system: system ?? read.system ?? read.instructions ?? read.system_instruction ?? config.system_instruction,
    tools: tools ?? read.tools ?? config.tools,
  };
}

/** Where requests and responses keep their messages. */
const INSIDE = [
  "messages",
  "contents",
  "input",
  "prompt",
  "generations",
  "choices",
  "candidates",
  "output",
  "message",
  "content",
  "text",
];

function listed(list: readonly unknown[], speaker: "user" | "assistant"): Traced {
  // One of a batch.
  if (list.length > 0 && list.every(Array.isArray)) return listed(list[0] as unknown[], speaker);
  const values = list.filter(isObject);
  const tools = values.flatMap(({ role, content }) => (role === "tool" && isDeclared(content) ? [content] : []));
  const spoken = values.filter(({ role, content }) => !(role === "tool" && isDeclared(content)));
  const turns = spoken.flatMap((one): readonly Turn[] => {
    const message = messageOf(one);
    if (message) return [turnOf(message)];
    const parts = recorded({ role: speaker, content: [one] }).parts;
    const isCall = typeof one.toolCallId === "string" && typeof one.toolName === "string" && one.output === undefined;
    if (isCall)
      return [
        { role: "assistant", parts: recorded({ role: "assistant", content: [{ type: "tool-call", ...one }] }).parts },
      ];
    if (parts.some(({ kind }) => kind !== "opaque")) return [{ role: speaker, parts }];
    return traced(one, speaker).turns;
  });
  return { turns: paired(merged(turns)), ...(tools.length > 0 && { tools }) };
}

/**
 * Results whose ids no call has, as where the id of an item stands with the call and that of the call with its result: they
 * answer what the reply before them calls, in its order.
 */
function paired(turns: readonly Turn[]): Turn[] {
  const ids = (kind: "call" | "result", list: readonly Turn[]) =>
    list.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === kind ? [part.id] : [])));
  const called = new Set(ids("call", turns));
  const answered = new Set(ids("result", turns));
  let open: string[] = [];
  return turns.map((turn) => {
    if (turn.role === "assistant") open = ids("call", [turn]).filter((id) => !answered.has(id));
    const parts = turn.parts.map((part) =>
      part.kind === "result" && !called.has(part.id) ? { ...part, id: open.shift() ?? part.id } : part,
    );
    return { ...turn, parts };
  });
}

/** A tool that was declared among the messages. */
const isDeclared = (content: unknown) => isObject(content) && content.type === "function" && isObject(content.function);

const said = (role: Turn["role"], text: string): Turn => ({ role, parts: [{ kind: "text", text }] });

/** Items of one reply, one behind another, are one turn. */
function merged(turns: readonly Turn[]): Turn[] {
  const found: Turn[] = [];
  for (const turn of turns) {
    const last = found.at(-1);
    const goesOn =
      last?.role === "assistant" && turn.role === "assistant" && last.parts.every(({ kind }) => kind !== "text");
    if (last && goesOn) found[found.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] };
    else found.push(turn);
  }
  return found;
}

/** LangChain's names of those who speak. */
const SPEAKERS: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  HumanMessageChunk: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  system: "system",
  SystemMessage: "system",
  tool: "tool",
  ToolMessage: "tool",
};

/** A message with a role, whatever it is wrapped in. */
function messageOf(value: JsonObject): JsonObject | undefined {
  // LangChain's constructors, and what it dumps.
  if (isObject(value.kwargs) && Array.isArray(value.id))
    return messageOf({ ...value.kwargs, role: SPEAKERS[String(value.id.at(-1))] });
  if (isObject(value.data) && SPEAKERS[String(value.type)] !== undefined)
    return messageOf({ ...value.data, role: SPEAKERS[String(value.type)] });
  if (isMessage(value)) return { ...value, ...beside(value) };
  if (isItem(value)) return value;
  if (value.role === undefined && "content" in value && SPEAKERS[String(value.type)] !== undefined)
    return messageOf({ ...value, role: SPEAKERS[String(value.type)] });
  return isObject(value.message) && ("index" in value || "generation_info" in value || Object.keys(value).length === 1)
    ? messageOf(value.message)
    : undefined;
}

/** Calls that LangChain keeps beside a message. */
function beside({ tool_calls, additional_kwargs }: JsonObject): JsonObject {
  const calls = isObject(additional_kwargs) ? additional_kwargs.tool_calls : undefined;
  const hasOwn = Array.isArray(tool_calls) && tool_calls.length > 0;
  return !hasOwn && Array.isArray(calls) ? { tool_calls: calls } : {};
}

function turnOf({ type, ...rest }: JsonObject): Turn {
  // LangChain's messages say who speaks by their type as well.
  const message: JsonObject = rest.role === undefined ? { type, ...rest } : rest;
  const { role, parts } = recorded({ ...message, ...spelled(message) });
  const id = message.tool_call_id;
  const isResult = role === "tool" && typeof id === "string" && parts.every(({ kind }) => kind !== "result");
  if (!isResult) return { role, parts };
  const output = parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
  return { role, parts: [{ kind: "result", id, output }, ...parts.filter((part): part is Piece => "data" in part)] };
}

/** OpenTelemetry calls the text of a part its content. */
function spelled(message: JsonObject): JsonObject {
  const list = Array.isArray(message.parts) ? message.parts : blocks(message);
  if (list.length === 0) return {};
  const parts = list.map((part: unknown) =>
    isObject(part) && /^(text|reasoning|thinking)$/.test(String(part.type)) && typeof part.content === "string"
      ? { type: part.type, text: part.content }
      : part,
  );
  return { content: parts };
}
