import { input, PrecisError, type Summarize } from "precis";

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
 * @throws PrecisError `invalid-option` without the function or the model.
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
  const call = "Call it as summarizeWith(generateText, { model }).";
  if (typeof generateText !== "function") {
    throw input.wrong("invalid-option", "generateText", "the AI SDK's function generateText", generateText, call);
  }
  const model: unknown = (settings as Partial<SummarizerSettings> | null | undefined)?.model;
  if (model === undefined || model === null) {
    throw input.wrong("invalid-option", "settings.model", "the model that writes summaries", model, call);
  }
  for (const name of ABOUT_SUMMARIES)
    if ((settings as unknown as Record<string, unknown>)[name] !== undefined) {
      const advice = `How summaries are written is set once, for every summarizer: pass it as \`summary: { ${name === "summary" ? "…" : name} }\` to \`compaction\`.`;
      throw new PrecisError("unknown-option", `settings.${name}`, advice);
    }
  return async ({ system, prompt, maxOutputTokens }, { signal }) => {
    const answer = await generateText({ ...settings, system, prompt, maxOutputTokens, abortSignal: signal });
    return { text: answer.text, finishReason: answer.finishReason, usage: answer.usage };
  };
}

/** What belongs to the option `summary`; version 7 would take `instructions` for a system prompt. */
const ABOUT_SUMMARIES = ["summary", "instructions", "sections", "language", "frame"];
