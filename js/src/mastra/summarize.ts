import { input, type Summarize } from "precis";

/** An agent of Mastra's that writes summaries, as far as it is used here. */
export interface SummaryAgent {
  // biome-ignore lint/suspicious/noExplicitAny: the parameters differ from version to version.
  generate(messages: any, options?: any): PromiseLike<any>;
}

/**
 * A summarizer that asks an agent of Mastra's: one with a model, and no memory, tools or processors of its own.
 *
 * @throws PrecisError `invalid-option` without an agent.
 */
export function summarizeWith(agent: SummaryAgent): Summarize {
  if (typeof (agent as Partial<SummaryAgent> | null)?.generate !== "function")
    throw input.wrong("invalid-option", "summarize", "an agent of Mastra's, or a function", agent);
  return async ({ system, prompt, maxOutputTokens }, { signal }) => {
    const answer = await agent.generate(prompt, {
      instructions: system,
      modelSettings: { maxOutputTokens, maxRetries: 0 },
      abortSignal: signal,
      maxSteps: 1,
    });
    return { text: answer.text, finishReason: answer.finishReason ?? "unknown", usage: answer.usage };
  };
}
