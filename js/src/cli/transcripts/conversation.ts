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
  /** The model's id, and who runs it; as far as they were recorded. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Everything that was sent is here: nothing hidden, nothing referred to, nothing the provider's own tools added. */
  readonly complete?: boolean;
  /** What the provider reported for the request that the assistant message at this index answers. */
  readonly usageAfter: ReadonlyMap<number, Usage>;
  /** Beside the conversation of the file: what a sub-agent did, or what was said before a compaction. */
  readonly aside?: boolean;
  /** Other branches of the same chat (before a rewind, an edit, a second answer), newest first; read when they are asked for. */
  readonly branches?: readonly (() => Conversation)[];
  /** What is not as it should be in the file, for people: a message without the one it follows. */
  readonly doubts?: readonly string[];
  /** The file with other messages. Without it they are written as a plain list; not at all where that has no reader. */
  readonly save?: ((messages: readonly object[]) => string) | null;
}

export type Shape =
  | "openai-chat"
  | "openai-responses"
  | "gemini"
  | "ai-sdk"
  | "anthropic"
  | "aider"
  | "chat-table"
  | "chatgpt"
  | "claude-ai"
  | "claude-code"
  | "codex"
  | "copilot-cli"
  | "gemini-cli"
  | "langfuse"
  | "langsmith"
  | "librechat"
  | "mini-swe-agent"
  | "open-webui"
  | "opencode"
  | "opentelemetry"
  | "pi-session"
  | "provider-pairs"
  | "sharegpt"
  | "swe-agent"
  | "tau-bench";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** Nothing in the file can be replayed; the message says why. */
export class TranscriptError extends Error {}

/** It is JSON, and of something else; or of a chat whose other parts lie in other files. */
export class NoConversation extends TranscriptError {
  constructor(
    message: string,
    readonly parts: readonly JsonObject[] = [],
  ) {
    super(message);
  }
}

/**
 * One usage from the spellings of OpenAI, Anthropic, Bedrock, Gemini, Cohere, the AI SDK and pi; `undefined` where nothing
 * (or a placeholder) was recorded, or more than one pass of the model.
 */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const number = (...names: string[]) => names.map((name) => value[name]).find((one) => typeof one === "number") ?? 0;
  const tokens = value.tokens;
  if (isObject(tokens)) return usageOf(tokens);
  if (Array.isArray(value.iterations) && value.iterations.length > 1) return undefined;
  // OpenAI's spelling has what was cached inside the prompt, whoever adds Anthropic's members to it.
  const cached =
    "prompt_tokens" in value
      ? 0
      : number("cache_read_input_tokens", "cacheReadInputTokens", "cacheRead") +
        number("cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWrite");
  const prompt_tokens =
    number("prompt_tokens", "input_tokens", "inputTokens", "promptTokenCount", "prompt", "input") + cached;
  const thought = number("thoughtsTokenCount");
  const completion_tokens =
    number("completion_tokens", "output_tokens", "outputTokens", "candidatesTokenCount", "completion", "output") +
    thought;
  if (prompt_tokens <= 1) return undefined;
  const details = value.completion_tokens_details ?? value.output_tokens_details;
  const told = isObject(details) ? details.reasoning_tokens : undefined;
  const reasoning_tokens = typeof told === "number" ? told : thought;
  if (!reasoning_tokens) return { prompt_tokens, completion_tokens };
  return { prompt_tokens, completion_tokens, completion_tokens_details: { reasoning_tokens } };
}

/** Who makes a model, by its id. */
export function makerOf(model: string | undefined): string | undefined {
  const makers = {
    anthropic: /claude/,
    openai: /gpt|(^|\/)o\d/,
    google: /gemini|gemma/,
    deepseek: /deepseek/,
    xai: /grok/,
    qwen: /qwen/,
    mistral: /mistral|mixtral|codestral|voxtral/,
  };
  return model && Object.entries(makers).find(([, pattern]) => pattern.test(model.toLowerCase()))?.[0];
}

/** The usage recorded on the messages themselves. */
export function recordedUsage(messages: readonly object[]): Map<number, Usage> {
  const found = new Map<number, Usage>();
  messages.forEach((message, index) => {
    const { role, usage: own, metrics } = message as JsonObject;
    const usage = role === "assistant" ? (usageOf(own) ?? usageOf(metrics)) : undefined;
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
