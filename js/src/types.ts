/**
 * The public types of `precis`.
 *
 * @module
 */
import type { WarningCode } from "./codes.ts";
import type { Format } from "./format.ts";

/** What precis remembers of a chat between requests. Plain JSON: store it with the chat and pass it to the next call. */
export interface SessionState {
  /** The version of the state's format. A state of a newer version is refused (`newer-state`). */
  readonly version: number;
  /** Increases by one whenever what is sent changes. Use it for compare-and-set when you store the state. */
  readonly revision: number;
}

/** The options of {@link createCompactor}. */
export interface CompactorOptions<Base> {
  /** The shape of your messages: `openaiChat`, `anthropic`, `aiSdk`, … or your own. */
  readonly format: Format<Base>;
  /** The model's context window in tokens, or a function that returns it for the call's `model`. It is never guessed. */
  readonly contextWindow: number | ((model: string | undefined) => number | undefined);
  /** The reply limit that you send to the model, in tokens. Compaction starts early enough to leave room for it. */
  readonly maxOutputTokens?: number | undefined;
  /** Asks a model for a summary. Without it, code writes a digest at every compaction, which needs no model. */
  readonly summarize?: Summarize | undefined;
  /** The limits of the model behind `summarize`. */
  readonly summarizer?: SummarizerOptions | undefined;
  /** How summaries should be written. */
  readonly summary?: SummaryOptions | undefined;
  /** Called with each event of a compaction. Errors that it throws are ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
  /**
   * Whether to repair faults of the history that a provider would refuse: results without their call, duplicate or early
   * results, calls without a result, duplicate calls, empty messages, and an assistant message at the start where the format
   * forbids it. Only the view is repaired, never your messages. Each fault is reported as a warning, repaired or not.
   * Default true; the preset `contextguard` repairs nothing.
   */
  readonly repair?: boolean | undefined;
  /** Overrides of the defaults. */
  readonly tune?: Tuning | undefined;
}

/** The model behind {@link CompactorOptions.summarize}. */
export interface SummarizerOptions {
  /** Its context window in tokens. Default: that of the chat's model. */
  readonly contextWindow?: number | undefined;
  /** The most tokens that a summary may have. Default: a fifth of the room, at most 8,000. */
  readonly maxOutputTokens?: number | undefined;
  /**
   * The most requests that one `beforeModel` or `compact` sends to the summarizer, merges and corrections included. Default 8.
   * If the past needs more, its newest part is summarized and a digest by code covers the rest (`summary-limited`).
   * `requests` has no such limit.
   */
  readonly maxCalls?: number | undefined;
  /** How long to wait for one answer, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
}

/** How summaries should be written. */
export interface SummaryOptions {
  /**
   * The language of summaries, by name (`"German"`) or code (`"de"`), or `false` to accept any language. Default: the
   * language of the conversation; a summary in another language is asked for once more. The preset `contextguard` checks
   * none.
   */
  readonly language?: string | false | undefined;
}

/** Overrides of the defaults. */
export interface Tuning {
  /** Behaves exactly like another system. Cannot be combined with `strategy`. */
  readonly preset?: "contextguard" | undefined;
  /** Which messages a compaction keeps. Default `"tail"`. */
  readonly strategy?: "tail" | "full" | "sliding-window" | "last-tool-batch" | undefined;
  /** Tokens to keep free for the reply. */
  readonly reserve?: number | undefined;
  /** The provider's limit on the input alone, in tokens. */
  readonly maxInputTokens?: number | undefined;
  /** How tokens are counted. */
  readonly tokens?: TokenOptions | undefined;
  /** Shares of the room by name, each between 0 and 1: see docs/design.md, "Limits and shares". */
  readonly shares?: Readonly<Record<string, number>> | undefined;
}

/** How tokens are counted. */
export interface TokenOptions {
  /**
   * The tokenizer family, where the model's id does not tell: `"o200k"`, `"cl100k"`, `"claude"` or `"gemini"`. With
   * `"bytes4"` or your own counter it may be any name. What precis learns about token counts applies to one family.
   */
  readonly family?: string | undefined;
  /**
   * The estimator, or your own counter, which is called once for each text. If it throws or does not return a number, a
   * quarter of the bytes is counted instead. Default `"lexical"`, which counts by the shape of words, without a vocabulary;
   * with the preset `contextguard` it is `"bytes4"`, a quarter of the bytes. See docs/tokens.md.
   */
  readonly estimator?: "lexical" | "bytes4" | ((text: string) => number) | undefined;
  /** Tokens that something between you and the model adds to every request, such as a proxy's own prompt. */
  readonly overhead?: number | undefined;
}

/**
 * Asks a model for a summary. Returns a promise of the answer, or a stream of its text. A past that is larger than the
 * model's window is sent in pieces, at most 8 at the same time.
 */
export type Summarize = (
  request: SummaryRequest<unknown>,
  context: {
    /** Aborted when the call is aborted or the time is up. */
    readonly signal: AbortSignal;
    /** 1 for the first attempt; one more each time an answer of this call could not be used. */
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

/** One request that is about to be sent to the model. */
export interface ModelCall<M> {
  /** The history, oldest message first. It is never changed. */
  readonly messages: readonly M[];
  /** The state that the last call of this chat returned; null or undefined for a new chat. */
  readonly state?: SessionState | null | undefined;
  /** How many messages at the start you did not load (see {@link Compactor.keepFrom}). */
  readonly offset?: number | undefined;
  /** The model's name, for `contextWindow` and for calibration. */
  readonly model?: string | undefined;
  /** The reply limit of this request, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** The system prompt, if it is not in `messages`: text, blocks, or messages. Counted, never sent. */
  readonly system?: unknown;
  /** The tools of the request. Counted, never sent. */
  readonly tools?: unknown;
  /** Returns true for messages that must stay in every view, whole. The preset `contextguard` ignores it. */
  readonly pin?: ((message: M, index: number) => boolean) | undefined;
  /** Returns true for messages that a person typed. Default: role user, without tool results, and not made by precis. */
  readonly isTyped?: ((message: M, index: number) => boolean) | undefined;
  /**
   * Literal strings that must stay in the view. A summary or digest that would lose one gets it appended, and so does the
   * notice of a clipped or cleared result, up to 200 bytes. If one is lost all the same, a warning names it (`must-keep-lost`).
   */
  readonly mustKeep?: readonly string[] | undefined;
  /** The task list, which the summary keeps. */
  readonly todos?: readonly Todo[] | undefined;
  /** `"soft"` compacts earlier than necessary, so that the next request does not have to wait. */
  readonly threshold?: "soft" | undefined;
  /**
   * A plan whose summary is still being written. No other summary is requested meanwhile; if the request does not fit, code
   * compacts at the plan's own cut, so that the summary still applies when it arrives.
   */
  readonly inFlight?: Plan | undefined;
  /**
   * The error that the provider returned for the last request: an SDK's error, its body, or its text. If it says that the
   * request was too long, the view is made smaller and the real limit is remembered in the state. Any other error changes
   * nothing (`not-an-overflow`). Pass `true` if you know that the request was too long. The preset `contextguard` ignores it.
   */
  readonly overflow?: unknown;
  /** Aborts the call: it rejects with the signal's reason, and nothing has changed. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event of this call, after the listener of {@link CompactorOptions}. Errors that it throws are ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** The options of `compact`, beside those of a call. */
export interface CompactNow {
  /** What the summary should emphasize. */
  readonly focus?: string | undefined;
  /**
   * How many of the newest turns or messages stay as they are; if both are given, whichever keeps more. A turn is a message
   * that a person typed and everything after it. Default: one turn, or as much of it as the strategy keeps if it is larger.
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
  /** The messages to send: a new array of your own objects. Do not store it as the history. */
  readonly view: M[];
  /** Store it before the request goes out. */
  readonly state: SessionState;
  /** Whether `view` differs from `messages`. */
  readonly changed: boolean;
  readonly report: Report;
  /**
   * A plan for another round that would improve the summary: notes to put together, or an answer to correct. Request and
   * commit it like any plan, with this state or a later one. The view is complete without it.
   */
  readonly next?: Plan | undefined;
}

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
  /** Whether the provider has reported usage that `tokens` is based on. */
  readonly source: "reported" | "estimated";
  /** How much larger than `tokens` the request may be. */
  readonly bound: number;
  /** What `tokens` consists of. */
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
  /**
   * `unchanged`: the view is the history. `reused`: earlier compactions were applied, nothing new was needed.
   * `compacted`: something new was shortened or summarized. `tight`: the view fits the window, but not below the trigger.
   * `infeasible`: no legal view fits; `reason` names what is too large.
   */
  readonly outcome: "unchanged" | "reused" | "compacted" | "tight" | "infeasible";
  /** The last step of the ladder that was taken; null if none was. */
  readonly rung: "pass" | "clip" | "clear" | "summarize" | "digest" | "clip-results" | "trim" | "clip-all" | null;
  /** One sentence for people. */
  readonly reason: string;
  /** The size of the request before this call. */
  readonly before: ContextUsage;
  /** The size of the view. */
  readonly after: ContextUsage;
  /** The longest reply that fits now, in tokens: window - tokens - bound. Send the smaller of this and your own limit. */
  readonly replyRoom: number;
  /** Index of the first message that differs from the previous request, where the provider's prompt cache ends; null if none does. */
  readonly firstChanged: number | null;
  /** Index of the first message that you must load for the next call. */
  readonly keepFrom: number;
  /** The id of this request; pass it to {@link Compactor.afterModel}. */
  readonly request: string;
  /** How often the summarizer was asked, why the last answer was not used, and the usage that it reported. */
  readonly summarizer: { readonly calls: number; readonly failed: string | null; readonly usage: unknown };
  /** Set if the history is not the one that the state was made from. */
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
 * Keeps chats inside the context window. It holds nothing but caches: one compactor serves any number of chats at once.
 *
 * Every method throws (or rejects with) a {@link PrecisError} when it refuses its input. Nothing has changed then.
 */
export interface Compactor<Base> {
  /** Returns the messages to send, compacted if necessary. Call it before every request to the model. */
  beforeModel<M extends Base>(call: ModelCall<M>): Promise<Prepared<M>>;
  /**
   * Learns from the usage that the provider reported, and returns the new state. It never throws because of `usage`.
   *
   * @param request - `report.request` of the request that the usage belongs to.
   */
  afterModel(state: SessionState, usage: unknown, request?: string): SessionState;
  /** Compacts now, whatever the size of the chat: everything but the newest turn, unless `keep` says otherwise. */
  compact<M extends Base>(call: ModelCall<M> & CompactNow): Promise<Prepared<M>>;
  /** Returns how full the context is. Cheap and synchronous. */
  usage<M extends Base>(call: ModelCall<M>): ContextUsage;
  /** Returns what `beforeModel` would do, without doing it. */
  plan<M extends Base>(call: ModelCall<M>): Plan;
  /** Returns the summarizer requests that a plan needs, with their full text. */
  requests<M extends Base>(call: ModelCall<M>, plan: Plan): SummaryRequest<M>[];
  /**
   * Carries out `plan` with the answers to its requests, in their order; without answers, with a digest by code. Always
   * returns a view that fits, if there is one. A late answer replaces what code wrote in the meantime.
   */
  commit<M extends Base>(
    call: ModelCall<M>,
    plan: Plan,
    results?: readonly (SummaryAnswer | { readonly error: unknown })[],
  ): Prepared<M>;
  /** Returns the first message that you must load for this state. */
  keepFrom(state: SessionState | null | undefined): { readonly index: number; readonly id: string | null };
}
