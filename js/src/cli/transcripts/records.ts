import {
  isMessage,
  isObject,
  type JsonObject,
  type Message,
  recordedUsage,
  type Usage,
  usageOf,
} from "./conversation.ts";
import type { Save, Source } from "./source.ts";
import { asLines, asValue } from "./source.ts";

/** A list of chat messages found in a file, before its dialect is known. */
export interface Recorded {
  readonly messages: readonly Message[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly model?: string | undefined;
  readonly usageAfter: ReadonlyMap<number, Usage>;
  readonly save: Save;
}

/** Where requests keep their messages: Chat Completions, Anthropic and the AI SDK; Gemini; Responses. */
const LISTS = ["messages", "contents", "input"] as const;

/** How they name the system prompt; Cline, in its sessions, the last way. */
const SYSTEMS = ["system", "instructions", "systemInstruction", "system_instruction", "system_prompt"] as const;

/** Finds message lists wherever the usual logs keep them: bare, under `messages`, as request and response, one a line or in an array. */
export function records(source: Source): Recorded[] {
  const { values } = source;
  if (values.length > 1 && isList(values)) return [record(values, {}, asLines)];
  return values.flatMap((value) => found(value, 3, source));
}

function found(value: unknown, depth: number, source: Source): Recorded[] {
  const save = asValue(source);
  if (isList(value)) return [record(value, {}, save)];
  if (Array.isArray(value)) return depth > 0 ? value.flatMap((item) => found(item, depth - 1, source)) : [];
  if (!isObject(value)) return [];
  const request = isObject(value.request) ? value.request : value;
  const member = LISTS.find((name) => isList(request[name]));
  if (member === undefined) return [];
  const messages = request[member] as readonly Message[];
  const reply = repliesOf(value.response);
  // A reply that joined the messages is not written twice.
  const { response: _, ...beside } = request;
  const kept = reply.length > 0 ? beside : request;
  const within = (messages: readonly object[]) => save({ ...kept, [member]: messages });
  const usage = reply.length > 0 ? usageIn(value) : undefined;
  return [record([...messages, ...reply], request, within, usage && [messages.length, usage])];
}

function record(messages: readonly Message[], request: JsonObject, save: Save, last?: [number, Usage]): Recorded {
  const { tools, model } = request;
  const system = SYSTEMS.map((name) => request[name]).find((one) => one !== undefined && one !== null);
  const usageAfter = recordedUsage(messages);
  if (last) usageAfter.set(...last);
  const named = typeof model === "string" ? { model } : {};
  return { messages, system, tools: tools ?? undefined, ...named, usageAfter, save };
}

function usageIn({ usage, response }: JsonObject): Usage | undefined {
  const told = isObject(response) ? (response.usage ?? response.usageMetadata) : undefined;
  return usageOf(usage) ?? usageOf(told);
}

/** What the model answered, inside a provider's response: one message, or the items of Responses. */
function repliesOf(response: unknown): Message[] {
  if (!isObject(response)) return [];
  const [choice]: unknown[] = Array.isArray(response.choices) ? response.choices : [];
  if (isObject(choice) && isMessage(choice.message)) return [choice.message];
  const [candidate]: unknown[] = Array.isArray(response.candidates) ? response.candidates : [];
  if (isObject(candidate) && isMessage(candidate.content)) return [candidate.content];
  if (isList(response.output)) return [...response.output];
  if (!isMessage(response) || response.role !== "assistant") return [];
  return [{ role: response.role, content: response.content }];
}

/** A list of messages, among them items of Responses that have no role. */
export function isList(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.some(isMessage) && value.every((one) => isMessage(one) || isItem(one));
}

/** An item of OpenAI's Responses API that is not a message: a call, its output, reasoning. */
export function isItem(value: unknown): boolean {
  return isObject(value) && value.role === undefined && ITEMS.test(String(value.type));
}

const ITEMS = /(_call|_output|_approval_request|_approval_response)$|^(reasoning|item_reference|compaction)$/;
