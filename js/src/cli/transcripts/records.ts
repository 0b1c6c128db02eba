import { isMessage, isObject, type Message, recordedUsage, type Usage, usageOf } from "./conversation.ts";
import type { Source } from "./source.ts";

/** A list of chat messages found in a file, before its dialect is known. */
export interface Recorded {
  readonly messages: readonly Message[];
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly usageAfter: ReadonlyMap<number, Usage>;
}

/** Finds message lists wherever the usual logs keep them: bare, under `messages`, as request and response, one a line or in an array. */
export function records({ values }: Source): Recorded[] {
  if (values.length > 1 && values.every(isMessage)) return [record(values)];
  return values.flatMap((value) => within(value, 3));
}

function within(value: unknown, depth: number): Recorded[] {
  if (Array.isArray(value)) {
    if (value.length && value.every(isMessage)) return [record(value)];
    return depth > 0 ? value.flatMap((item) => within(item, depth - 1)) : [];
  }
  if (!isObject(value)) return [];
  const request = isObject(value.request) ? value.request : value;
  if (!isMessages(request.messages)) return [];
  const { system, tools } = request;
  const reply = replyOf(value.response);
  if (!reply) return [record(request.messages, system, tools)];
  const usage = usageOf(value.usage) ?? usageOf(isObject(value.response) ? value.response.usage : undefined);
  return [record([...request.messages, reply], system, tools, usage)];
}

function record(messages: readonly Message[], system?: unknown, tools?: unknown, last?: Usage): Recorded {
  const usageAfter = recordedUsage(messages);
  if (last) usageAfter.set(messages.length - 1, last);
  return { messages, system: system ?? undefined, tools: tools ?? undefined, usageAfter };
}

/** The assistant message inside a provider's response. */
function replyOf(response: unknown): Message | undefined {
  if (!isObject(response)) return undefined;
  const choice: unknown = Array.isArray(response.choices) ? response.choices[0] : undefined;
  if (isObject(choice) && isMessage(choice.message)) return choice.message;
  return isMessage(response) && response.role === "assistant"
    ? { role: response.role, content: response.content }
    : undefined;
}

function isMessages(value: unknown): value is Message[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}
