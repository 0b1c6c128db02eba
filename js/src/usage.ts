import type { Reported } from "./boundary/glue.ts";

/**
 * The prompt and output tokens in the usage object of any provider, in the answer that holds it, or in the events of a
 * stream; null when it reports none. The engine decides whether they can be trusted. Never throws.
 */
export function readUsage(usage: unknown): Reported | null {
  try {
    return Array.isArray(usage) ? readEvents(usage) : readObject(usage, 0);
  } catch {
    return null;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** What is reported along a stream is cumulative, so the last of each counts; the prompt may be reported only at its start. */
function readEvents(events: readonly unknown[]): Reported | null {
  let last: Reported | null = null as Reported | null;
  for (const event of events) {
    const before: Reported | null = last;
    const found = readObject(event, 0);
    if (found && !(found.aggregated && before)) last = found;
    else if (before) last = { ...before, output: outputAlone(event) ?? before.output };
  }
  return last;
}

function outputAlone(event: unknown): number | null {
  const tokens = (event as { usage?: Members } | null)?.usage?.output_tokens;
  return isCount(tokens) ? tokens : null;
}

function readObject(value: unknown, depth: number): Reported | null {
  if (typeof value !== "object" || value === null) return null;
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
  return depth < 3 ? readObject(inner ?? usage.metadata ?? usage.delta, depth + 1) : null;
}

/**
 * A step of the AI SDK whose provider is Anthropic: version 5 leaves what was cached out of the input, the provider's own
 * usage beside it is whole. While streaming its output is not, so that is the SDK's.
 */
function anthropicStep({ usage, providerMetadata }: Members): Reported | null | undefined {
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

type Shape = (usage: Members) => Reported | null | undefined;

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
function reported(prompt: unknown, output: unknown, reasoning: unknown): Reported | null {
  // Zero stands for nothing at the start of streams.
  if (!isCount(prompt) || prompt === 0) return null;
  const details = (typeof reasoning === "object" && reasoning) || {};
  const { reasoning_tokens, reasoningTokens, reasoning: own } = details as Members;
  const thought = isCount(reasoning) ? reasoning : (reasoning_tokens ?? reasoningTokens ?? own);
  return { prompt, output: counted(output), reasoning: counted(thought) };
}

const counted = (value: unknown): number | null => (isCount(value) && value > 0 ? value : null);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
