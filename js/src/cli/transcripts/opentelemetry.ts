import { isObject, type JsonObject, type Usage, usageOf } from "./conversation.ts";
import { parsedValue } from "./pieces.ts";
import type { TranscriptReader } from "./reader.ts";
import { type Call, joined } from "./requests.ts";
import { traced } from "./traced.ts";

/**
 * Spans of OpenTelemetry about calls of models, as OTLP JSON or as exporters print them: the conventions for generative AI
 * (messages as attributes of the span or of its events, or as events), those before them, OpenInference, the AI SDK's
 * telemetry, and the requests that Google's ADK writes down.
 */
export const openTelemetry: TranscriptReader = {
  title: "OpenTelemetry gen_ai spans",
  owns: (value) => isSpan(value),
  read({ file, values }) {
    const calls = values.map(callOf).filter(({ sent }) => sent.length > 0);
    return joined(
      file,
      "opentelemetry",
      calls.toSorted((one, other) => one.start - other.start),
    );
  },
};

const isSpan = (value: JsonObject) =>
  ["spanId", "span_id", "context", "spanContext"].some((name) => name in value) &&
  Object.keys(attributesOf(value.attributes)).some((name) => /^(gen_ai|llm|ai)\./.test(name));

/** In the order in which they are looked for: the messages of a request, and of its reply. */
const SENT = [
  "gen_ai.input.messages",
  "gen_ai.prompt",
  "llm.input_messages",
  "ai.prompt.messages",
  "ai.prompt",
  "gcp.vertex.agent.llm_request",
  "input.value",
];
const REPLY = [
  "gen_ai.output.messages",
  "gen_ai.completion",
  "llm.output_messages",
  "gcp.vertex.agent.llm_response",
  "output.value",
];
const MODEL = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"];
const PROMPT = [
  "gen_ai.usage.input_tokens",
  "gen_ai.usage.prompt_tokens",
  "llm.token_count.prompt",
  "ai.usage.inputTokens",
  "ai.usage.promptTokens",
];
const COMPLETION = [
  "gen_ai.usage.output_tokens",
  "gen_ai.usage.completion_tokens",
  "llm.token_count.completion",
  "ai.usage.outputTokens",
  "ai.usage.completionTokens",
];

function callOf(span: JsonObject): Call & { start: number } {
  const inEvents = listed(span.events).map((event) => attributesOf(event.attributes));
  const attributes: JsonObject = Object.assign({}, ...inEvents, attributesOf(span.attributes));
  const first = (names: readonly string[]) =>
    names.map((name) => grown(attributes, name)).find((one) => one !== undefined);
  const events = eventsOf(span, attributes);
  const sent = traced(first(SENT) ?? events.sent, "user");
  const said = first(REPLY) ?? events.reply;
  const calls = parsedValue(attributes["ai.response.toolCalls"]);
  const reply = [
    ...(said === undefined ? [] : traced(said, "assistant").turns),
    ...traced(attributes["ai.response.text"], "assistant").turns,
    ...(Array.isArray(calls) ? traced(calls, "assistant").turns : []),
  ];
  const system = parsedValue(attributes["gen_ai.system_instructions"]) ?? sent.system;
  const tools = parsedValue(attributes["gen_ai.tool.definitions"] ?? attributes["ai.prompt.tools"]) ?? sent.tools;
  const model = first(MODEL);
  return {
    ...{
      name: String(span.name ?? "span"),
      sent: sent.turns,
      reply,
      usage: usageIn(whole(first(PROMPT), attributes), first(COMPLETION)),
    },
    ...{
      system: systemText(system),
      tools,
      model: typeof model === "string" ? model : undefined,
      start: startOf(span),
    },
    ...{ id: idOf(span), within: span.parentSpanId ?? span.parent_span_id ?? span.parent_id },
  };
}

const CACHED = /^(gen_ai\.usage|llm\.token_count|ai\.usage)\..*cache/i;

/**
 * A prompt with what of it was read from the cache or written to it. It should count both; where it is less than they are, it
 * counts what came beside them, as Anthropic does.
 */
function whole(prompt: unknown, attributes: JsonObject): number {
  const counted = Number(prompt) || 0;
  const cached = Object.entries(attributes).filter(([name]) => CACHED.test(name));
  // The same number may stand there under several names.
  const most = (isWritten: boolean) =>
    Math.max(
      0,
      ...cached.flatMap(([name, value]) => (/writ|creat/i.test(name) === isWritten ? [Number(value) || 0] : [])),
    );
  const both = most(true) + most(false);
  return counted < both ? counted + both : counted;
}

function usageIn(prompt: unknown, completion: unknown): Usage | undefined {
  return usageOf({ prompt_tokens: Number(prompt) || 0, completion_tokens: Number(completion) || 0 });
}

function systemText(system: unknown): unknown {
  if (!Array.isArray(system)) return system;
  return system.map((part) => (isObject(part) ? (part.content ?? part.text) : part)).join("\n");
}

function idOf({ spanId, span_id, context, spanContext }: JsonObject): unknown {
  const inner = [context, spanContext].find(isObject);
  return spanId ?? span_id ?? inner?.spanId ?? inner?.span_id;
}

function startOf(span: JsonObject): number {
  const time =
    span.startTimeUnixNano ?? span.start_time_unix_nano ?? span.startTime ?? span.start_time ?? span.timestamp;
  if (Array.isArray(time)) return Number(time[0]) * 1e9 + Number(time[1]);
  return Number(time) || Date.parse(String(time)) || 0;
}

/** Attributes as OTLP has them, a list of keys and typed values, or an object. */
function attributesOf(attributes: unknown): JsonObject {
  if (isObject(attributes)) return attributes;
  return Object.fromEntries(listed(attributes).map(({ key, value }) => [String(key), typed(value)]));
}

const listed = (value: unknown): JsonObject[] => (Array.isArray(value) ? value : []).filter(isObject);

function typed(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { arrayValue, kvlistValue, stringValue, intValue, doubleValue, boolValue } = value;
  if (isObject(arrayValue)) return (Array.isArray(arrayValue.values) ? arrayValue.values : []).map(typed);
  if (isObject(kvlistValue)) return attributesOf(kvlistValue.values);
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue;
}

/** An attribute, or what was written as one attribute for each member: `gen_ai.prompt.0.role`. */
function grown(attributes: JsonObject, name: string): unknown {
  if (attributes[name] !== undefined) return attributes[name];
  const members = Object.entries(attributes).filter(([key]) => key.startsWith(`${name}.`));
  if (members.length === 0) return undefined;
  const root: JsonObject = {};
  for (const [key, value] of members) {
    const path = key.slice(name.length + 1).split(".");
    let at = root;
    for (const step of path.slice(0, -1)) {
      if (!isObject(at[step])) at[step] = {};
      at = at[step] as JsonObject;
    }
    at[path.at(-1) as string] = value;
  }
  return folded(root);
}

/** Objects whose members are numbered are lists; what OpenInference wraps each message and call in is taken off. */
function folded(value: unknown): unknown {
  if (!isObject(value)) return value;
  const keys = Object.keys(value);
  if (
    keys.length === 1 &&
    isObject(value[keys[0] as string]) &&
    /^(message|tool_call|message_content)$/.test(keys[0] as string)
  )
    return folded(value[keys[0] as string]);
  if (keys.every((key) => /^\d+$/.test(key)))
    return keys.sort((one, other) => Number(one) - Number(other)).map((key) => folded(value[key]));
  return Object.fromEntries(keys.map((key) => [key, folded(value[key])]));
}

const EVENT = /^gen_ai\.(?<role>system|user|assistant|tool)\.message$/;

/** Messages as events of the span, or in an attribute that holds them. */
function eventsOf(span: JsonObject, attributes: JsonObject): { sent: JsonObject[]; reply: JsonObject[] | undefined } {
  const kept = parsedValue(attributes.events);
  const events = [
    ...listed(span.events).map((event) => ({ ...attributesOf(event.attributes), "event.name": event.name })),
    ...(Array.isArray(kept) ? kept.filter(isObject) : []),
  ] as JsonObject[];
  const sent: JsonObject[] = [];
  const reply: JsonObject[] = [];
  for (const event of events) {
    const name = String(event["event.name"]);
    const role = EVENT.exec(name)?.groups?.role;
    const { content, tool_calls, id, message } = event;
    const body = {
      content: parsedValue(content) ?? "",
      ...(tool_calls !== undefined && { tool_calls: parsedValue(tool_calls) }),
    };
    if (role) sent.push({ role, ...body, ...(role === "tool" && { tool_call_id: id }) });
    if (name === "gen_ai.choice")
      reply.push({
        role: "assistant",
        ...(isObject(parsedValue(message)) ? (parsedValue(message) as JsonObject) : body),
      });
  }
  return { sent, reply: reply.length > 0 ? reply : undefined };
}
