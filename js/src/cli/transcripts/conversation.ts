import type { Format } from "precis";

/** A recorded chat, in messages that one of the formats reads. */
export interface Conversation {
  readonly file: string;
  /** Which one of the file's conversations, for people. */
  readonly name: string;
  readonly shape: Shape;
  // biome-ignore lint/suspicious/noExplicitAny: each shape has its own message type, and a replay only hands them on
  readonly format: Format<any>;
  readonly messages: readonly object[];
  readonly system?: unknown;
  readonly tools?: unknown;
  /** What the provider reported for the request that the assistant message at this index answers. */
  readonly usageAfter: ReadonlyMap<number, Usage>;
}

export type Shape =
  | "openai-chat"
  | "ai-sdk"
  | "anthropic"
  | "pi-session"
  | "tau-bench"
  | "swe-agent"
  | "mini-swe-agent";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** Nothing in the file can be replayed; the message says why. */
export class TranscriptError extends Error {}

/** One usage from the spellings of OpenAI, Anthropic, the AI SDK and pi; `undefined` where nothing (or a placeholder) was recorded. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const number = (...names: string[]) => names.map((name) => value[name]).find((one) => typeof one === "number") ?? 0;
  const cached = number("cache_read_input_tokens", "cacheRead") + number("cache_creation_input_tokens", "cacheWrite");
  const prompt_tokens = number("prompt_tokens", "input_tokens", "inputTokens", "input") + cached;
  const completion_tokens = number("completion_tokens", "output_tokens", "outputTokens", "output");
  return prompt_tokens > 1 ? { prompt_tokens, completion_tokens } : undefined;
}

/** The usage recorded on the messages themselves. */
export function recordedUsage(messages: readonly object[]): Map<number, Usage> {
  const found = new Map<number, Usage>();
  messages.forEach((message, index) => {
    const usage =
      "role" in message && message.role === "assistant" && "usage" in message ? usageOf(message.usage) : undefined;
    if (usage) found.set(index, usage);
  });
  return found;
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Message extends JsonObject {
  role: string;
}

export function isMessage(value: unknown): value is Message {
  return (
    isObject(value) &&
    typeof value.role === "string" &&
    ["content", "parts", "tool_calls"].some((member) => member in value)
  );
}

/** The blocks of a message's content; none when it is plain text. */
export function blocks(message: JsonObject): JsonObject[] {
  return Array.isArray(message.content) ? message.content.filter(isObject) : [];
}
