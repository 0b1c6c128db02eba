import type { Reported } from "./glue.ts";

/**
 * The prompt and output tokens in the usage object of any provider, or in the answer that holds it; null when it says
 * nothing that can be trusted. Never throws.
 */
export function readUsage(usage: unknown): Reported | null {
  try {
    return readObject(usage, 0);
  } catch {
    return null;
  }
}

type Members = Readonly<Record<string, unknown>>;

function readObject(value: unknown, depth: number): Reported | null {
  if (typeof value !== "object" || value === null) return null;
  const usage = value as Members;
  if (isAggregated(usage.iterations) || isAggregated((usage.raw as Members | null | undefined)?.iterations))
    return null;
  const step = depth === 0 ? anthropicStep(usage) : undefined;
  if (step !== undefined) return step;
  for (const read of [openaiChat, snakeCase, gemini, camelCase]) {
    const found = read(usage);
    if (found !== undefined) return found;
  }
  return depth === 0 ? readObject(usage.usage ?? usage.usageMetadata ?? usage.tokens, 1) : null;
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
  return reported(usage.prompt_tokens, usage.completion_tokens);
};

/** OpenAI Responses, where cached tokens are part of the input, and Anthropic, where they come on top. */
const snakeCase: Shape = (usage) => {
  if (!("input_tokens" in usage)) return undefined;
  const prompt = sum(usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens);
  return reported(prompt, usage.output_tokens);
};

const gemini: Shape = (usage) => {
  if (!("promptTokenCount" in usage)) return undefined;
  return reported(usage.promptTokenCount, sum(usage.candidatesTokenCount, usage.thoughtsTokenCount));
};

/** The AI SDK, of which version 7 has objects with a total inside, and Bedrock, where cached tokens come on top. */
const camelCase: Shape = (usage) => {
  if (!("inputTokens" in usage)) return undefined;
  const input = total(usage.inputTokens);
  // Version 5 reports some providers' input without what was cached; then it is not the prompt.
  const cached = usage.inputTokenDetails === undefined ? usage.cachedInputTokens : undefined;
  if (isCount(input) && isCount(cached) && cached > input) return null;
  return reported(sum(input, usage.cacheReadInputTokens, usage.cacheWriteInputTokens), total(usage.outputTokens));
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

function reported(prompt: unknown, output: unknown): Reported | null {
  if (!isCount(prompt) || prompt === 0) return null;
  return { prompt, output: isCount(output) && output > 0 ? output : null };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
