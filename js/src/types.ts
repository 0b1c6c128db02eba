/**
 * The public types of `precis`.
 *
 * @module
 */
import type { WarningCode } from "./codes.ts";
import type { Format } from "./format.ts";

/** What a chat remembers between requests. Plain JSON and opaque: store it, hand it back. */
export interface SessionState {
  /** Of the state's form. A state of a newer version is refused. */
  readonly version: number;
  /** Grows by one whenever what is sent changes: store with compare-and-set on it. */
  readonly revision: number;
}

/** What {@link createCompactor} takes. */
export interface CompactorOptions<Base> {
  /** The shape of your messages: `openaiChat`, `anthropic`, `aiSdk`, … or your own. */
  readonly format: Format<Base>;
  /** Tokens the model takes, or a function of the call's `model`. Not knowing is an error, never a guess. */
  readonly contextWindow: number | ((model: string | undefined) => number | undefined);
  /** The reply limit you send, in tokens. The trigger leaves room for it. */
  readonly maxOutputTokens?: number | undefined;
  /** Asks a model for a summary. Without it every compaction makes the digest, which needs no model. */
  readonly summarize?: Summarize | undefined;
  /** What is known of the model behind `summarize`. */
  readonly summarizer?: SummarizerOptions | undefined;
  /** What summaries are to be like. */
  readonly summary?: SummaryOptions | undefined;
  /** Told what happens. What it throws is ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
  /**
   * Whether what a history brings that a provider would refuse is repaired in the view: results without their call, given
   * twice or too early, calls without a result or made twice, empty messages, an assistant's message that comes first where
   * the format says that it must not. Each is a warning, repaired or not. Default true. (The preset repairs nothing.)
   */
  readonly repair?: boolean | undefined;
  /** For those who want other numbers. */
  readonly tune?: Tuning | undefined;
}

/** The model behind {@link CompactorOptions.summarize}. */
export interface SummarizerOptions {
  /** Tokens it takes. Default: the chat's window. */
  readonly contextWindow?: number | undefined;
  /** The most tokens a summary may have. Default: a share of the room. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * How often one `beforeModel` or `compact` may ask, merges and corrections among them. Default 8. If a past needs more,
   * its newest part is summarized, and a digest made by code stands for the rest (`summary-limited`). `requests` has no
   * such limit.
   */
  readonly maxCalls?: number | undefined;
  /** Milliseconds one answer may take. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** What summaries are to be like. */
export interface SummaryOptions {
  /**
   * The language they are written in, by name (`"German"`) or code (`"de"`); `false`: any, nothing is checked. Default:
   * the language of the conversation; an answer in another one is asked for again. The preset `contextguard` has none.
   */
  readonly language?: string | false | undefined;
}

/** Other numbers than the defaults. */
export interface Tuning {
  /** The behaviour of another system, exactly. Excludes `strategy`. */
  readonly preset?: "contextguard" | undefined;
  /** What a compaction keeps. Default `"tail"`. */
  readonly strategy?: "tail" | "full" | "sliding-window" | "last-tool-batch" | undefined;
  /** Tokens kept free for the reply. */
  readonly reserve?: number | undefined;
  /** A provider's limit on the input alone, in tokens. */
  readonly maxInputTokens?: number | undefined;
  /** How tokens are counted. */
  readonly tokens?: TokenOptions | undefined;
  /** Shares of the room by name, each between 0 and 1. */
  readonly shares?: Readonly<Record<string, number>> | undefined;
}

/** How tokens are counted. */
export interface TokenOptions {
  /**
   * The tokenizer family: `"o200k"`, `"cl100k"`, `"claude"` or `"gemini"`, if it is not clear from the model's id. With
   * `"bytes4"` and counters of your own any name: what was learned of tokens holds for one family.
   */
  readonly family?: string | undefined;
  /**
   * The estimator, or your own counter: called once per text. Where it throws or answers no number, a quarter of the
   * bytes is counted. Default `"lexical"`, which counts by the shape of words, without a vocabulary; with the preset
   * `contextguard` it is `"bytes4"`, a quarter of the bytes. See docs/tokens.md.
   */
  readonly estimator?: "lexical" | "bytes4" | ((text: string) => number) | undefined;
  /** Tokens a provider adds to every request unseen. */
  readonly overhead?: number | undefined;
}

/**
 * Asks a model for a summary: answers a promise, or a stream of the text. A past larger than the model's window comes in
 * pieces, of which at most 8 are asked for at the same time.
 */
export type Summarize = (
  request: SummaryRequest<unknown>,
  context: {
    /** Aborted when the call is, or when the time is up. */
    readonly signal: AbortSignal;
    /** 1, and one more each time an answer of this call could not be used. */
    readonly attempt: number;
  },
) => PromiseLike<SummaryAnswer> | SummaryStream;

/** One question for the summarizing model. */

export interface SummaryRequest<_M> {
  /** The same question has the same id. */
  readonly id: string;
  /** A whole summary, a piece of one, pieces put together, or another try. */
  readonly kind: "summary" | "chunk" | "merge" | "correction";
  /** The system prompt to send. */
  readonly system: string;
  /** The user message to send. */
  readonly prompt: string;
  /** The reply limit to send, in tokens. */
  readonly maxOutputTokens: number;
}

/** A summary: text that is whole, or text and how it ended (`stop`, `end_turn` and `completed` are whole). */
export type SummaryAnswer = string | { readonly text: string; readonly finishReason: string; readonly usage?: unknown };

/** A stream is an answer only when its last item says how it ended. */
export type SummaryStream = AsyncIterable<string | { readonly finishReason: string; readonly usage?: unknown }>;

/** One request about to go to the model. */
export interface ModelCall<M> {
  /** The history, oldest first. Never changed. */
  readonly messages: readonly M[];
  /** What the last call answered; none for a new chat. */
  readonly state?: SessionState | null | undefined;
  /** Messages at the start that the host did not load (see {@link Compactor.keepFrom}). */
  readonly offset?: number | undefined;
  /** The model's name, for `contextWindow` and for calibration. */
  readonly model?: string | undefined;
  /** The reply limit of this request, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** The system prompt, if it is not in `messages`: text, blocks, or messages. Counted, never sent. */
  readonly system?: unknown;
  /** The tools of the request. Counted, never sent. */
  readonly tools?: unknown;
  /** Stays in every view, whole (the preset does not heed it). */
  readonly pin?: ((message: M, index: number) => boolean) | undefined;
  /** A person wrote it (default: role user, no tool results, nothing of ours). */
  readonly isTyped?: ((message: M, index: number) => boolean) | undefined;
  /**
   * Literal strings that must stay in the view: a summary or digest that would lose one gets it appended, as does the
   * notice of what was clipped or cleared, within 200 bytes. If one is lost all the same, a warning says which (`must-keep-lost`).
   */
  readonly mustKeep?: readonly string[] | undefined;
  /** The task list, kept in the summary. */
  readonly todos?: readonly Todo[] | undefined;
  /** `"soft"`: compact earlier than needed, ahead of time. */
  readonly threshold?: "soft" | undefined;
  /**
   * A plan whose summary is being written elsewhere. No other one is asked for meanwhile; what does not fit is made to
   * by code, at the plan's own cut, so that the summary still applies when it comes.
   */
  readonly inFlight?: Plan | undefined;
  /**
   * What the provider threw at the last request, whatever it is: the error of an SDK, its body, a text. If it says that
   * the request was too long, what is sent now is smaller, and the real limit is remembered in the state. Another error
   * changes nothing (`not-an-overflow`). `true`: it was too long, in words of your own.
   * (The preset does not heed it.)
   */
  readonly overflow?: unknown;
  /** Aborted: the call rejects with its reason and nothing has changed. */
  readonly signal?: AbortSignal | undefined;
  /** Told what happens in this call, after the listener of {@link CompactorOptions}. What it throws is ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** What a compaction by hand takes beside a call. */
export interface CompactNow {
  /** What the summary should dwell on. */
  readonly focus?: string | undefined;
  /**
   * What stays whole: so many of the newest turns (a message that a person typed, with all that follows it), so many of
   * the newest messages, or the more of both. Default: one turn; of a turn larger than a tail may be, as much as the
   * strategy keeps.
   */
  readonly keep?: { readonly turns?: number | undefined; readonly messages?: number | undefined } | undefined;
}

/** One entry of a task list. */
export interface Todo {
  readonly content: string;
  readonly status: string;
}

/** What to send, and what to store. */
export interface Prepared<M> {
  /** What to send; never store it as history. A new array of the host's own objects. */
  readonly view: M[];
  /** Store it before the request goes out. */
  readonly state: SessionState;
  /** Whether `view` differs from `messages`. */
  readonly changed: boolean;
  readonly report: Report;
  /**
   * Another round that would make it better: notes on pieces to be put together, an answer to be corrected. To be
   * asked and committed like any plan, with this state or a later one. Without it what is here stays good.
   */
  readonly next?: Plan | undefined;
}

/** How full the context is. All numbers are tokens unless said otherwise. */
export interface ContextUsage {
  /** The request: reported, or estimated from what was reported. */
  readonly tokens: number;
  /** The same by the estimator, before calibration. */
  readonly raw: number;
  readonly window: number;
  /** Where compaction starts. */
  readonly trigger: number;
  /** `tokens` of `window`, 0 to 1. */
  readonly fraction: number;
  readonly untilCompaction: number;
  readonly source: "reported" | "estimated";
  /** How far off `tokens` may be. */
  readonly bound: number;
  readonly parts: {
    readonly system: number;
    readonly tools: number;
    readonly user: number;
    readonly assistant: number;
    readonly toolResults: number;
    readonly media: number;
    readonly summary: number;
  };
}

/** What was decided and why: for logs, a UI, tests. */
export interface Report {
  readonly outcome: "unchanged" | "projected" | "compacted" | "squeezed" | "infeasible";
  readonly rung: "pass" | "clip" | "clear" | "summarize" | "digest" | "trim" | null;
  /** One sentence for people. */
  readonly reason: string;
  readonly before: ContextUsage;
  readonly after: ContextUsage;
  /** The most the reply may be now, in tokens: window - tokens - bound. Send min(yours, this). */
  readonly replyRoom: number;
  /** Index of the first message that differs from the previous request's; what a prompt cache loses. */
  readonly firstChanged: number | null;
  /** Index of the first message a host must load next time. */
  readonly keepFrom: number;
  /** Names this request; hand it to {@link Compactor.afterModel}. */
  readonly request: string;
  readonly summarizer: { readonly calls: number; readonly failed: string | null; readonly usage: unknown };
  /** The history is not the one the state was made from. */
  readonly diverged: null | { readonly reason: string; readonly at: number };
  readonly warnings: readonly Warning[];
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
  readonly report: Report;
}

/**
 * Keeps chats inside a window. Holds caches only: one compactor serves any number of chats at once.
 *
 * Every verb throws (or rejects with) a {@link PrecisError} when it is given what it must refuse; nothing has changed then.
 */
export interface Compactor<Base> {
  /** Decides, and compacts if needed. To be called before every request. */
  beforeModel<M extends Base>(call: ModelCall<M>): Promise<Prepared<M>>;
  /**
   * Learns from the usage a provider reported. Never throws on what a provider reported.
   *
   * @param request - `report.request` of the request the usage belongs to.
   */
  afterModel(state: SessionState, usage: unknown, request?: string): SessionState;
  /** Compacts now, whatever the size: all but the newest turn, unless `keep` says otherwise. */
  compact<M extends Base>(call: ModelCall<M> & CompactNow): Promise<Prepared<M>>;
  /** The meter: cheap, synchronous. */
  usage<M extends Base>(call: ModelCall<M>): ContextUsage;
  /** What would be done, without doing it. */
  plan<M extends Base>(call: ModelCall<M>): Plan;
  /** The questions a plan needs answered, with their text. */
  requests<M extends Base>(call: ModelCall<M>, plan: Plan): SummaryRequest<M>[];
  /**
   * Does what `plan` says, with the answers to its requests in their order; without answers, with the digest. Always
   * answers a view that fits. An answer that comes late takes the place of what code wrote in the meantime.
   */
  commit<M extends Base>(
    call: ModelCall<M>,
    plan: Plan,
    results?: readonly (SummaryAnswer | { readonly error: unknown })[],
  ): Prepared<M>;
  /** The first message the host must load for this state. */
  keepFrom(state: SessionState | null | undefined): { readonly index: number; readonly id: string | null };
}
