/**
 * What a summarizer is asked and answers.
 *
 * @module
 */

/**
 * Asks a model for a summary. Returns a promise of the answer, or a stream of its text. A past that is larger than the
 * model's window is sent in pieces, at most 8 at the same time.
 */
export type Summarize = (
  request: SummaryRequest<unknown>,
  context: {
    /** Aborted when the call is aborted or the time is up. */
    readonly signal: AbortSignal;
    /** 1 for the first attempt; one more each time a summarizer of this call failed, or its answer could not be used. */
    readonly attempt: number;
  },
) => PromiseLike<SummaryAnswer> | SummaryStream;

/** One request to the summarizing model. */
export interface SummaryRequest<_M> {
  /** Equal requests have equal ids. */
  readonly id: string;
  /** A whole summary, notes on one piece of the past, notes put together, or a correction of an unusable answer. */
  readonly kind: "summary" | "chunk" | "merge" | "correction";
  /** The system prompt to send. */
  readonly system: string;
  /** The user message to send. */
  readonly prompt: string;
  /** The reply limit to send, in tokens. */
  readonly maxOutputTokens: number;
}

/** A summary: its complete text, or its text and why it ended. `stop`, `end_turn` and `completed` mean complete. */
export type SummaryAnswer = string | { readonly text: string; readonly finishReason: string; readonly usage?: unknown };

/** A summary as a stream. Its last item must say why it ended. */
export type SummaryStream = AsyncIterable<string | { readonly finishReason: string; readonly usage?: unknown }>;
