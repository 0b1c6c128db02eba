/**
 * The public types of `precis`.
 *
 * @module
 */
import type { WarningCode } from "./codes.ts";
import type { Format, Role } from "./format.ts";

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
  /**
   * Asks a model for a summary. Without it, code writes a digest at every compaction, which needs no model.
   *
   * Of a list, the first function is asked. If it throws, is late, or its answer did not end by itself, the next one is asked
   * the same; if its answer cannot be used, the next one is asked to correct it. The last one is asked whenever there is no
   * next. Each has the time of {@link SummarizerOptions.timeoutMs}, and a request counts once for
   * {@link SummarizerOptions.maxCalls} however many are asked.
   */
  readonly summarize?: Summarize | readonly Summarize[] | undefined;
  /** The limits of the model behind `summarize`. */
  readonly summarizer?: SummarizerOptions | undefined;
  /** How summaries should be written. */
  readonly summary?: SummaryOptions | undefined;
  /** Called with each event of a compaction. Errors that it throws are ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
  /**
   * What a compaction may do to the results of each tool, by the tool's name; `"*"` stands for all that are not named. Or a
   * function that returns the policy of a tool. Names of tools that do not exist have no effect. Not with a preset.
   */
  readonly toolPolicy?: ToolPolicies | undefined;
  /**
   * When compaction begins: at a part of the context window (`0.8` or `{ share: 0.8 }`, from 0.001 to 1), at so many tokens
   * (`{ tokens: 100_000 }`), or when more than so many messages have come since the last one (`{ messages: 60 }`). It always
   * begins in time for the request to fit, whatever is said here. Default: when the request no longer fits. Not with a preset.
   */
  readonly trigger?: Size | undefined;
  /**
   * What a compaction aims at: a size as of `trigger`, below it. Between 5 % and 90 % of the room for messages; as a number
   * of messages, the most that stay as they are. A summary then takes at most a quarter of it, and as many of the newest
   * messages stay as it has room for; what `keep` says stays in any case. Default: half of the room, of which a summary
   * rarely needs all; with `trigger: { messages }` half of these. Not with a preset.
   */
  readonly target?: Size | undefined;
  /** What stays as it is, as long as it fits: then a warning says so (`keep-lost`). Default: what the strategy keeps. Not with a preset. */
  readonly keep?: Keep | undefined;
  /**
   * What goes first: old tool results (`"clear"`, the default), or the past as a whole, by a summary or without a summarizer
   * by a digest (`"summarize"`). Not with a preset.
   */
  readonly prefer?: "clear" | "summarize" | undefined;
  /**
   * What happens to reasoning of earlier turns. `"drop-old"`: where the request does not fit, it is left out before anything
   * else goes, if no provider checks that it comes back; what is signed or encrypted stays. Default `"keep"`. Not with a
   * preset.
   */
  readonly reasoning?: "keep" | "drop-old" | undefined;
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

/**
 * The policy of each tool, or a function that returns it. The function is asked once for each name of a tool that the
 * history calls, so its answer must depend on the name alone. What it throws is thrown by the call that asked.
 */
export type ToolPolicies =
  | { readonly [name: string]: ToolPolicy | undefined }
  | ((tool: { readonly name: string }) => ToolPolicy | undefined);

/** A size: a share of the context window, or an object with exactly one member. */
export type Size =
  | number
  | {
      /** Estimated tokens, above 0. */
      readonly tokens?: number | undefined;
      /** A share of the context window, from 0.001 to 1. */
      readonly share?: number | undefined;
      /** Messages, above 0. */
      readonly messages?: number | undefined;
    };

/** How much stays as it is: if several are given, whatever keeps more. */
export interface Keep {
  /** So many of the newest turns: messages that a person typed, and everything after them. */
  readonly turns?: number | undefined;
  /** So many of the newest messages. */
  readonly messages?: number | undefined;
  /** So many of the newest results, of whatever tool, with their calls. */
  readonly results?: number | undefined;
}

/** What a compaction may do to the results of one tool. */
export interface ToolPolicy {
  /**
   * How many of its newest results stay whole, with their calls, also where the past is summarized, as long as they fit:
   * then a warning says so (`keep-lost`). `"always"`: all of them, unless nothing else fits. Default 0.
   */
  readonly keep?: number | "always" | undefined;
  /** `"first"`: its results are cleared before those of other tools, as far as that is enough. Not with `keep: "always"`. */
  readonly clear?: "first" | undefined;
  /**
   * Whether a call's input is shortened when its result is cleared. `"keep"`: it stays until the past is summarized.
   * Default `"clear"`.
   */
  readonly inputs?: "clear" | "keep" | undefined;
  /**
   * The most tokens that one of its results has in any view, by the estimate before any report, at least 64: a larger one
   * is cut from its first request on, also below the trigger, and the cut says what is missing. `keep` keeps what the cut
   * leaves. Pinned messages are not cut. Not with `exclude`.
   */
  readonly clip?: number | undefined;
  /**
   * Whether it may be called again without harm: then the line in place of a result that was cleared or cut says so,
   * where it otherwise asks not to repeat the call. Default false.
   */
  readonly rerun?: boolean | undefined;
  /**
   * Whether nothing may touch its results, short of cutting all texts where nothing else fits (`keep-lost`). Default false.
   */
  readonly exclude?: boolean | undefined;
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
  /** One more rule for whoever writes summaries, in your words: at most 4,000 bytes. The preset `contextguard` has its own. */
  readonly instructions?: string | undefined;
  /** The headings of a summary instead of ours: at most 20, one line each. */
  readonly sections?: readonly string[] | undefined;
  /**
   * What stands before and after the text of every summary and digest in the view, in your words: at most 500 bytes each.
   * It stands inside the lines by which precis marks a summary, and no summarizer and no later summary reads it. Left out
   * where nothing else fits. The preset `contextguard` has none.
   */
  readonly frame?: { readonly before?: string | undefined; readonly after?: string | undefined } | undefined;
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
  /** Parts of the room: see docs/design.md, "Limits and shares". */
  readonly shares?: Shares | undefined;
  /**
   * Bytes of what is remembered in the state: requests, requirements, decisions, facts, work, records and names. What is
   * weakest and longest unused falls out first, requests and requirements last. Default 12,000, of which 4,000 are for
   * names; at most 64,000; as plain data it takes up to twice as much.
   */
  readonly memory?: number | undefined;
  /**
   * What tokens cost. Compactions then begin where they pay, far below the limit of a large window, and `report.cost` says
   * what a request costs. `{}` takes the proportions that are usual for the model's family. See docs/costs.md.
   */
  readonly prices?: Prices | undefined;
}

/**
 * What one token costs, in any unit: a number from 0 to 1,000,000. What is left out stands in the proportion to `input` that
 * is usual for the model's family.
 */
export interface Prices {
  /** Read without a cache. Default 1. */
  readonly input?: number | undefined;
  /** Read again from the provider's cache. Default a tenth of `input`. */
  readonly cachedRead?: number | undefined;
  /** Written to the cache. Default 1.25 of `input`; 1 of it for GPT and Gemini. */
  readonly cacheWrite?: number | undefined;
  /** Written by the model. Default 5 of `input`; 8 of it for GPT and Gemini. */
  readonly output?: number | undefined;
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

/** Shares, each a number between 0 and 1. The room is what the conversation may take: the trigger less what is fixed. */
export interface Shares {
  /** Of the room: what a rung of the ladder aims at. Default 0.5, from 0.05 to 0.9. */
  readonly target?: number | undefined;
  /**
   * Of the room: the newest messages that stay as they are. Default 0.2, or what {@link CompactorOptions.target} leaves; from
   * 0 to 0.8.
   */
  readonly tail?: number | undefined;
  /** Of the room: the largest a result may be before it is clipped. Default 0.3, from 0.01 to 0.9. */
  readonly part?: number | undefined;
  /** Of the room: the least that clearing results has to gain. Default 0.15, from 0 to 0.9. */
  readonly clear?: number | undefined;
  /** How far between target and trigger a clip or clear may end. Default 0.8, from 0 to 1. */
  readonly accept?: number | undefined;
  /** Of the room: what the typed message before the active one may take to stay. Default 0.1, from 0 to 0.5. */
  readonly typed?: number | undefined;
  /** Of the room: facts kept beside a summary written by a model, at most 3,000 tokens. Default 0.1, from 0 to 0.3. */
  readonly facts?: number | undefined;
  /** Of the trigger: where `threshold: "soft"` compacts. Default 0.85, from 0.1 to 1. */
  readonly soft?: number | undefined;
  /** Of the room: what is new since the last compaction below which it counts as little. Default 0.1, from 0 to 0.5. */
  readonly fresh?: number | undefined;
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
  /**
   * Whether the model has the tool `recall` ({@link recallDefinition}): then what replaces messages says where
   * the tool finds them (`r12`). Default: whether `tools` holds a tool of this name that takes a `reference`. Not with a preset.
   */
  readonly recall?: boolean | undefined;
  /**
   * Returns true for messages that must stay in every view, whole. A message that is no longer pinned stays until the next
   * compaction, which covers it like the others. One that is covered already comes back if it was loaded and has neither
   * tool calls nor results nor reasoning. The preset `contextguard` ignores it.
   */
  readonly pin?: ((message: M, index: number) => boolean) | undefined;
  /** Returns true for messages that a person typed. Default: role user, without tool results, and not made by precis. */
  readonly isTyped?: ((message: M, index: number) => boolean) | undefined;
  /**
   * Literal strings that must stay in the view. A summary or digest that would lose one gets it appended, and so does the
   * notice of a clipped or cleared result, up to 200 bytes. If one is lost all the same, a warning names it (`must-keep-lost`).
   */
  readonly mustKeep?: readonly string[] | undefined;
  /** Policies for this call; of a tool that both name this one counts. See {@link CompactorOptions.toolPolicy}. */
  readonly toolPolicy?: ToolPolicies | undefined;
  /** For this call, instead of {@link CompactorOptions.trigger}. */
  readonly trigger?: Size | undefined;
  /** For this call, instead of {@link CompactorOptions.target}. */
  readonly target?: Size | undefined;
  /** For this call, instead of {@link CompactorOptions.keep}. A `compact` keeps exactly so many turns and messages. */
  readonly keep?: Keep | undefined;
  /** For this call, instead of {@link CompactorOptions.prefer}. */
  readonly prefer?: "clear" | "summarize" | undefined;
  /** For this call, instead of {@link CompactorOptions.reasoning}. */
  readonly reasoning?: "keep" | "drop-old" | undefined;
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

/** What {@link Compactor.recall} is given: the chat as for a {@link ModelCall}, and what to look for. */
export interface RecallCall<M>
  extends Pick<ModelCall<M>, "messages" | "state" | "offset" | "model" | "pin" | "isTyped"> {
  /** What to search for: names, paths, ids, numbers, words. The first 64 distinct words count. */
  readonly query?: string | undefined;
  /**
   * What to read instead, whatever the query: `"r12"` is the message with the index 12, `"r12.2"` the second of its parts
   * that have text, `"r12+4000"` the message from byte 4000 on.
   */
  readonly reference?: string | undefined;
  /** The most tokens that all excerpts may have. Default 1,000. */
  readonly maxTokens?: number | undefined;
}

/** Loads the messages of the history from one index up to, but not including, another. */
export type LoadMessages<M> = (from: number, to: number) => readonly M[] | PromiseLike<readonly M[]>;

/** What was found. */
export interface Recalled {
  /** The best first; of equally good ones the newest. */
  readonly excerpts: readonly Excerpt[];
  /** The tokens of all excerpts. */
  readonly tokens: number;
  /** How many more passages match. */
  readonly more: number;
  /** The messages that would have been looked at, too, but were neither given nor loaded: indices from, and up to, in the history. */
  readonly missing?: { readonly from: number; readonly to: number };
}

/** A piece of the history, word for word. */
export interface Excerpt {
  /** What it is of: `"r12"` is the message with the index 12, `"r12.2"` the second of its parts that have text. */
  readonly reference: string;
  /** The index of the message in the history, counted from its first message whether or not that was loaded. */
  readonly index: number;
  readonly role: Role;
  /** The tool that was called, or that answered. */
  readonly tool?: string;
  /** The byte of the message's or part's text at which it begins, if that is not the first. */
  readonly from?: number;
  readonly text: string;
  readonly tokens: number;
  /** The reference of what follows, if the text goes on. */
  readonly next?: string;
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
  readonly rung:
    | "pass"
    | "drop-reasoning"
    | "clip"
    | "clear"
    | "summarize"
    | "digest"
    | "clip-results"
    | "trim"
    | "clip-all"
    | null;
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

/** What one step of the ladder does to messages of the history. */
export interface Change {
  /**
   * `cover`: a summary stands in place of the messages. `clear`: placeholders stand in place of old tool results, inputs
   * and media, or old reasoning is left out (`drop-reasoning`). `clip`: the middle of long texts is left out.
   */
  readonly action: "cover" | "clear" | "clip";
  /** The step that does it: why it is done. */
  readonly rung: Exclude<Report["rung"], "pass" | null>;
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
  /**
   * Looks for something in what the view does not show whole: messages that are covered by a summary, results that were
   * cleared or cut. Searches by words, or reads what a reference names. It changes nothing and keeps no index.
   *
   * Without `load` it returns at once, and says what is `missing`; with it, it returns a promise.
   */
  recall<M extends Base>(call: RecallCall<M> & { readonly load: LoadMessages<M> }): Promise<Recalled>;
  recall<M extends Base>(call: RecallCall<M> & { readonly load?: undefined }): Recalled;
  /** Returns the first message that you must load for this state. */
  keepFrom(state: SessionState | null | undefined): { readonly index: number; readonly id: string | null };
}
