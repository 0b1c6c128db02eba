import type { Reported } from "./boundary/glue.ts";

/**
 * The prompt and output tokens in the usage object of any provider, in the answer that holds it, or in the events of a
 * stream; null when it reports none. The engine decides whether they can be trusted. Never throws.
 */
export function readUsage(usage: unknown): Reported | null {
  return found(usage) ?? null;
}

/** The same for the engine, which is also told whether nothing could be read from what was given. */
export function reportOf(usage: unknown): Reported {
  const reported = found(usage);
  if (reported === undefined && isNothing(usage)) return NONE;
  return { ...(reported ?? NONE), unread: reported === undefined };
}

const NONE: Reported = { prompt: null, output: null };

/** What was read of a value: null if it is known to report nothing, undefined if its shape is unknown. */
type Read = Reported | null | undefined;

function found(usage: unknown): Read {
  try {
    return Array.isArray(usage) ? readEvents(usage) : readObject(usage, 0);
  } catch {
    return undefined;
  }
}

/** What a host passes that has no usage: nothing, or an object or list with nothing in it. */
function isNothing(usage: unknown): boolean {
  if (usage === undefined || usage === null) return true;
  try {
    return typeof usage === "object" && Object.keys(usage).length === 0;
  } catch {
    return false;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** What is reported along a stream is cumulative, so the last of each counts; the prompt may be reported only at its start. */
function readEvents(events: readonly unknown[]): Read {
  let last: Read;
  for (const event of events) {
    const before: Read = last;
    const found = readObject(event, 0);
    if (found && !(found.aggregated && before)) last = found;
    else if (before) last = { ...before, output: outputAlone(event) ?? before.output };
    else if (found === null) last = null;
  }
  return last;
}

function outputAlone(event: unknown): number | null {
  const tokens = (event as { usage?: Members } | null)?.usage?.output_tokens;
  return isCount(tokens) ? tokens : null;
}

function readObject(value: unknown, depth: number): Read {
  if (typeof value !== "object" || value === null) return undefined;
  const usage = value as Members;
  const aggregated =
    isAggregated(usage.iterations) || isAggregated((usage.raw as Members | null | undefined)?.iterations);
  const own = anthropicStep(usage);
  if (own !== undefined) return own;
  for (const read of [openaiChat, snakeCase, gemini, camelCase, ollama]) {
    const found = read(usage);
    if (found !== undefined) return found && aggregated ? { ...found, aggregated } : found;
  }
  // Several steps of the AI SDK are several requests: the newest is the one to learn from.
  const step = Array.isArray(usage.steps) ? usage.steps.at(-1) : undefined;
  const inner = step ?? usage.usage ?? usage.usageMetadata ?? usage.tokens ?? usage.message ?? usage.response;
  // The last event of Bedrock's and of Cohere's streams.
  const found = depth < 3 ? readObject(inner ?? usage.metadata ?? usage.delta, depth + 1) : undefined;
  // An answer whose provider reports none says so.
  return found === undefined && isNone(usage) ? null : found;
}

function isNone(answer: Members): boolean {
  const named = ["usage", "usageMetadata"].filter((name) => name in answer);
  return named.length > 0 && named.every((name) => isNothing(answer[name]));
}

/**
 * A step of the AI SDK whose provider is Anthropic: version 5 leaves what was cached out of the input, the provider's own
 * usage beside it is whole. While streaming its output is not, so that is the SDK's.
 */
function anthropicStep({ usage, providerMetadata }: Members): Read {
  const { anthropic } = (providerMetadata ?? {}) as { anthropic?: Members };
  const own = anthropic?.usage as Members | null | undefined;
  if (typeof own !== "object" || own === null || !("input_tokens" in own)) return undefined;
  const found = readObject(own, 1);
  const output = total((usage as Members | null | undefined)?.outputTokens);
  return found && { ...found, output: isCount(output) && output > 0 ? output : found.output };
}

/** More than one pass of a model in one request: the prompt that is reported is not the one that was sent. */
function isAggregated(iterations: unknown): boolean {
  if (!Array.isArray(iterations) || iterations.length === 0) return false;
  return iterations.length > 1 || (iterations[0] as Members | null)?.type !== "message";
}

type Shape = (usage: Members) => Read;

const openaiChat: Shape = (usage) => {
  if (!("prompt_tokens" in usage)) return undefined;
  return reported(usage.prompt_tokens, usage.completion_tokens, usage.completion_tokens_details);
};

/** OpenAI Responses, where cached tokens are part of the input, and Anthropic, where they come on top. */
const snakeCase: Shape = (usage) => {
  if (!("input_tokens" in usage)) return undefined;
  const prompt = sum(usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
  return reported(prompt, usage.output_tokens, usage.output_tokens_details);
};

const gemini: Shape = (usage) => {
  if (!("promptTokenCount" in usage)) return undefined;
  const { candidatesTokenCount, thoughtsTokenCount } = usage;
  return reported(usage.promptTokenCount, sum(candidatesTokenCount ?? 0, thoughtsTokenCount), thoughtsTokenCount);
};

/** The AI SDK, of which version 7 has objects with a total inside, and Bedrock, where cached tokens come on top. */
const camelCase: Shape = (usage) => {
  if (!("inputTokens" in usage)) return undefined;
  const input = total(usage.inputTokens);
  // Version 5 reports some providers' input without what was cached.
  const cached = usage.inputTokenDetails === undefined ? usage.cachedInputTokens : undefined;
  const prompt = sum(input, usage.cacheReadInputTokens, usage.cacheWriteInputTokens);
  const output = total(usage.outputTokens);
  const { outputTokenDetails, reasoningTokens, outputTokens } = usage;
  const details = outputTokenDetails ?? reasoningTokens ?? (output === outputTokens ? null : outputTokens);
  const found = reported(prompt, output, details);
  return found && isCount(cached) ? { ...found, cached } : found;
};

const ollama: Shape = (usage) => {
  if (!("prompt_eval_count" in usage)) return undefined;
  return reported(usage.prompt_eval_count, usage.eval_count, null);
};

const total = (tokens: unknown): unknown =>
  typeof tokens === "object" && tokens !== null ? (tokens as Members).total : tokens;

/** The first, which must be a count, and the others, which may be missing. */
function sum(first: unknown, ...others: unknown[]): unknown {
  return others.reduce<unknown>((sum, other) => {
    if (other === undefined || other === null) return sum;
    return isCount(sum) && isCount(other) ? sum + other : Number.NaN;
  }, first);
}

/** `reasoning`: a number, or the details that hold it. */
function reported(prompt: unknown, output: unknown, reasoning: unknown): Read {
  // Zero stands for nothing at the start of streams.
  if (prompt === undefined || prompt === null || prompt === 0) return null;
  if (!isCount(prompt)) return undefined;
  const details = (typeof reasoning === "object" && reasoning) || {};
  const { reasoning_tokens, reasoningTokens, reasoning: own } = details as Members;
  const thought = isCount(reasoning) ? reasoning : (reasoning_tokens ?? reasoningTokens ?? own);
  return { prompt, output: counted(output), reasoning: counted(thought) };
}

const counted = (value: unknown): number | null => (isCount(value) && value > 0 ? value : null);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
