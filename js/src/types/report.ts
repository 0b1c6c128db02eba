/**
 * What precis reports: how full the context is, what was changed, what it costs, and what a plan would do.
 *
 * @module
 */
import type { Action, Outcome, PARTS, Rung, Source, ThinkingSource, WarningCode } from "../contract.ts";

/** How full the context is. All numbers are tokens unless said otherwise. */
export interface ContextUsage {
  /** The size of the request, as reported by the provider or estimated from its last report. */
  readonly tokens: number;
  /** The size as the estimator counts it, before calibration. */
  readonly raw: number;
  /** The context window. */
  readonly window: number;
  /** The size at which compaction starts. */
  readonly trigger: number;
  /** `tokens` divided by `window`: not a number of tokens. */
  readonly fraction: number;
  /** How much can be added before compaction starts. */
  readonly untilCompaction: number;
  /**
   * What `tokens` is based on: usage that the provider `reported`; the engine's estimate; or, `rough`, a quarter of the bytes,
   * which is what `createMeter` counts where the engine is not loaded.
   */
  readonly source: Source | "rough";
  /** How much larger than `tokens` the request may be. */
  readonly bound: number;
  /** What `tokens` consists of. */
  readonly parts: { readonly [Part in (typeof PARTS)[number]]: number };
}

/** What was decided and why: for logs, a UI, tests. */
export interface Report {
  /**
   * `unchanged`: the view is the history. `reused`: earlier compactions were applied, nothing new was needed.
   * `compacted`: something new was shortened or summarized. `tight`: the view fits the window, but not below the trigger.
   * `infeasible`: no legal view fits; `reason` names what is too large.
   */
  readonly outcome: Outcome;
  /** The last step of the ladder that was taken; null if none was. */
  readonly rung: Rung | null;
  /** One sentence for people. */
  readonly reason: string;
  /** The size of the request before this call. */
  readonly before: ContextUsage;
  /** The size of the view. */
  readonly after: ContextUsage;
  /** The longest reply that fits now, in tokens: window - tokens - bound. Send the smaller of this and your own limit. */
  readonly replyRoom: number;
  /**
   * The tokens that compactions, this one and earlier ones, keep out of the request: what the whole history would take, less
   * the view. 0 if nothing was compacted; less than there is if the state was made by a version that did not note it.
   */
  readonly saved: number;
  /** What reading the request costs. Only with `tune.prices`. */
  readonly cost?: Cost;
  /** What was done to which messages in this call, in this order. Empty if nothing was. Of a plan: what it will do. */
  readonly changes: readonly Change[];
  /** Index of the first message that differs from the previous request, where the provider's prompt cache ends; null if none does. */
  readonly firstChanged: number | null;
  /** Index of the first message that you must load for the next call: see {@link Compactor.keepFrom}. */
  readonly keepFrom: number;
  /** The id of this request; pass it to {@link Compactor.afterModel}. */
  readonly request: string;
  /**
   * How often the summarizer was asked, why the last answer was not used, and the usage that it reported. `skipped`: why it
   * was not called although one is configured and code covered messages.
   */
  readonly summarizer: {
    readonly calls: number;
    readonly failed: string | null;
    readonly skipped: string | null;
    readonly usage: unknown;
  };
  /**
   * Set if the history is not the one that the state was made from: why, and the index where the newest compaction ended, which
   * no longer holds. What was changed lies before `at`; where exactly is not known.
   */
  readonly diverged: null | { readonly reason: string; readonly at: number };
  /** What is known of thinking that is no longer sent; null while all of it is. */
  readonly thinking: Thinking | null;
  /**
   * What to set in this request if you call the provider's API yourself; null if nothing. Members of `body` belong into
   * those of your own body of the same names. Leave it out where your `thinking` is of the type `disabled` or `between_tools`.
   */
  readonly provider: ProviderSettings | null;
  readonly warnings: readonly Warning[];
}

/** Thinking that a provider would refuse, because something before it is no longer sent as it was. */
export interface Thinking {
  /** `bound`: a signed block of thinking may only be sent behind what it was produced behind. `free`: behind anything. */
  readonly rule: "bound" | "free";
  /**
   * How the rule is known: by a refusal (`learned`), by the option `thinking` (`host`), by the model's id (`model`), or not
   * at all (`default`).
   */
  readonly source: ThinkingSource;
  /** Indices in the history of messages whose signed thinking is left out, for good: runs from one up to, but not including, another. */
  readonly leftOut: readonly { readonly from: number; readonly to: number }[];
  /**
   * What the provider did to thinking in the answer to this request, as it reported it (`input_transformations`). Only in the
   * reports of a run of `precis/ai-sdk`, once the step is finished.
   */
  readonly transformations?: readonly unknown[];
}

/** What to add to a request. */
export interface ProviderSettings {
  /** Headers. If you send `anthropic-beta` already, append the value behind a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Members of the body. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * What reading a request costs, in tokens times the unit of `tune.prices`, rounded down: with prices in dollars for a million
 * tokens, in millionths of a dollar. What the request before had in common is counted as cached. The reply is not in it.
 */
export interface Cost {
  /** As it is sent. */
  readonly request: number;
  /** With all that compactions keep out of it, as if nothing had ever been compacted. */
  readonly without: number;
}

/** What one step of the ladder does to messages of the history. */
export interface Change {
  /**
   * `cover`: a summary stands in place of the messages. `clear`: placeholders stand in place of old tool results, inputs
   * and media, or old reasoning is left out (`drop-reasoning`). `clip`: the middle of long texts is left out.
   */
  readonly action: Action;
  /** The step that does it: why it is done. */
  readonly rung: Exclude<Rung, "pass">;
  /** Indices in the history: runs from one up to, but not including, another. Empty if only a summary is replaced. */
  readonly messages: readonly { readonly from: number; readonly to: number }[];
  /** How many messages these are. */
  readonly count: number;
  /** The tokens that they take without it, and an earlier summary that is replaced. */
  readonly tokens: number;
  /** The tokens of what is sent instead. Of a plan that asks for a summary: the most that it may have. */
  readonly after: number;
}

/** Something a host may want to know; nothing failed. */
export interface Warning {
  readonly code: WarningCode;
  readonly path: string | null;
  readonly advice: string;
}

/** What happens during a compaction. `id` is the same from `start` to `done`; `before` is the request as it would have been. */
export type CompactionEvent =
  | { readonly type: "start"; readonly id: string; readonly reason: string; readonly before: ContextUsage }
  /**
   * `text`: what a streaming summarizer has just added. Of a past in pieces also each time an answer is complete, without
   * a text. `done`: summarizer calls that are answered; `total`: those that the compaction takes at most, as far as is known.
   */
  | {
      readonly type: "progress";
      readonly id: string;
      readonly text: string;
      readonly done: number;
      readonly total: number;
      readonly before: ContextUsage;
    }
  | { readonly type: "retry" | "fallback"; readonly id: string; readonly reason: string; readonly before: ContextUsage }
  | { readonly type: "done"; readonly id: string; readonly report: Report };

/** Small JSON: positions, edits, what to ask; no text, no messages. */
export interface Plan {
  readonly version: number;
  readonly requests: readonly { readonly id: string; readonly kind: string; readonly maxOutputTokens: number }[];
  /** Summarizer calls that it takes at most, as far as is known: those of earlier rounds, these, and those to come. */
  readonly total?: number | undefined;
  /** Messages that a summary will stand for. */
  readonly covers: readonly Change[];
  /** Messages whose old tool results will become placeholders, or whose reasoning will be left out. */
  readonly clears: readonly Change[];
  /** Messages of which long texts will be cut. */
  readonly clips: readonly Change[];
  /** What it will come to: exactly, if nobody has to be asked; else with a summary of the size that is asked for. */
  readonly report: Report;
}
