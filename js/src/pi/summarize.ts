import { input, type Summarize } from "precis";

/** What writes summaries: a model of pi's, and the function that asks it. */
export interface PiSummarizer {
  readonly model: object;
  // biome-ignore lint/suspicious/noExplicitAny: the parameters differ from version to version.
  readonly streamFn: (model: any, context: any, options?: any) => any;
  /** More of the options for `streamFn`: `apiKey`, `reasoning`, `temperature`. */
  readonly options?: object | undefined;
}

/**
 * A summarizer that asks a model of pi's.
 *
 * @throws PrecisError `invalid-option` without a model or a function.
 */
export function summarizeWith({ model, streamFn, options }: PiSummarizer): Summarize {
  if (typeof model !== "object" || model === null)
    throw input.wrong("invalid-option", "model", "a model of pi's", model);
  input.checkKind(input.FUNCTION, streamFn, "invalid-option", "streamFn");
  return async ({ system, prompt, maxOutputTokens }, { signal }) => {
    const messages = [
      { role: "system", content: system, timestamp: 0 },
      { role: "user", content: prompt, timestamp: 0 },
    ];
    const stream = await streamFn(model, { messages }, { ...options, maxTokens: maxOutputTokens, signal });
    const answer = await stream.result();
    if (answer.stopReason === "error" || answer.stopReason === "aborted")
      throw new Error(String(answer.errorMessage ?? answer.stopReason));
    const texts = answer.content.filter(({ type }: { type: string }) => type === "text");
    const text = texts.map(({ text }: { text: string }) => text).join("");
    return { text, finishReason: answer.stopReason, usage: usageOf(answer) };
  };
}

/** pi reports what was cached apart from the input. */
export function usageOf({ usage }: { readonly usage?: unknown }): object | null {
  const { input, output, cacheRead, cacheWrite, reasoning } = (usage ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof input !== "number") return null;
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    ...(typeof reasoning === "number" && { output_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
