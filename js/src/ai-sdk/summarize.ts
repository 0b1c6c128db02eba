import type { Summarize } from "precis";

/** The summarizing model and how it is called: handed to `generateText` as they are. */
export interface SummarizerSettings {
  readonly model: unknown;
  readonly temperature?: number;
  readonly maxRetries?: number;
  readonly providerOptions?: unknown;
}

/**
 * A summarizer that asks through the AI SDK. `generateText` itself is handed in, so that this package imports nothing.
 *
 * An answer that did not end by itself (`length`, `content-filter`, `error`, …) is never stored.
 */
export function summarizeWith(
  // biome-ignore lint/suspicious/noExplicitAny: the parameter differs from version to version.
  generateText: (options: any) => PromiseLike<{
    readonly text: string;
    readonly finishReason: string;
    readonly usage: unknown;
  }>,
  settings: SummarizerSettings,
): Summarize {
  return async ({ system, prompt, maxOutputTokens }, { signal }) => {
    const answer = await generateText({ ...settings, system, prompt, maxOutputTokens, abortSignal: signal });
    return { text: answer.text, finishReason: answer.finishReason, usage: answer.usage };
  };
}
