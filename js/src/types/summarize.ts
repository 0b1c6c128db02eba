/**
 * What a summarizer is asked and answers.
 *
 * @module
 */
import type { Signal } from "../globals.ts";

/**
 * Asks a model for a summary. Returns a promise of the answer, or a stream of its text. A past that is larger than the
 * model's window is sent in pieces, at most 8 at the same time.
 */
export type Summarize = (
  request: SummaryRequest<unknown>,
  context: {
    /** Aborted when the call is aborted or the time is up. */
    readonly signal: Signal;
    /** 1 for the first attempt; one more each time a summarizer of this call failed, or its answer could not be used. */
    readonly attempt: number;
    /**
     * The conversation itself, for a provider that summarizes it by its own means: see `precis/native`. Only for a whole summary
     * of what was sent so far.
     */
    readonly chat?: CoveredChat | undefined;
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
  /**
   * With {@link CompactorOptions.summaryRequest} `"append"`: the chat as it is sent, with one message behind it that asks for the
   * summary. Send it in place of `system` and `prompt`, to the chat's own model with its other settings. Undefined where that is
   * not possible; then these two are to be sent.
   */
  readonly append?: CoveredChat | undefined;
}

/** What is handed on to a client, which has types of its own. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Handed = any;

/** Messages as they are sent, and what the call said of them. */
export interface CoveredChat {
  readonly messages: Handed[];
  readonly system?: Handed;
  readonly tools?: Handed;
  readonly model?: Handed;
}

/**
 * A summary: its complete text, or its text and why it ended. `stop`, `end_turn` and `completed` mean complete. `block` is what
 * the provider itself made: its `content` is the text, or it has none and `text` is empty. See `precis/native`.
 */
export type SummaryAnswer =
  | string
  | {
      readonly text: string;
      readonly finishReason: string;
      readonly usage?: unknown;
      readonly block?: NativeBlock | undefined;
    };

/**
 * A provider's own summary, which stands in the view as it came: plain data of at most 24,000 bytes beside its text. Of one that
 * only the provider can read there is no text.
 */
export interface NativeBlock {
  readonly content?: string | undefined;
  readonly [member: string]: unknown;
}

/** A summary as a stream. Its last item must say why it ended. */
export type SummaryStream = AsyncIterable<string | { readonly finishReason: string; readonly usage?: unknown }>;
