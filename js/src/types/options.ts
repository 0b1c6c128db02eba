/**
 * The options of a compactor, and the policies that a call may override.
 *
 * @module
 */

import type { Strategy } from "../contract.ts";
import type { Format, ReadableFormat } from "../format.ts";
import type { Signal } from "../globals.ts";
import type { CompactionEvent } from "./report.ts";
import type { Handed, Summarize } from "./summarize.ts";

/** The options of {@link createCompactor}. */
export interface CompactorOptions<Base, Made = Base> {
  /** The shape of your messages: `openaiChat`, `anthropic`, `aiSdk`, … or your own. */
  readonly format: Format<Base, Made>;
  /** The model's context window in tokens, or a function that returns it for the call's `model`. It is never guessed. */
  readonly contextWindow: number | ((model: string | undefined) => number | undefined);
  /** The reply limit that you send to the model, in tokens. Compaction starts early enough to leave room for it, up to half of the window. */
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
  /**
   * How a summary of the whole past is asked for. `"transcript"`: with a transcript of its messages, which any model can read.
   * `"append"`: with the chat itself and one message behind it ({@link SummaryRequest.append}), so that the chat's own model finds
   * most of it in its prompt cache. Where the chat with the reply does not fit, the tools that it calls were not passed, a past
   * is summarized in pieces, or an answer is to be corrected, the transcript is sent. Default `"transcript"`. Not with a preset.
   */
  readonly summaryRequest?: "transcript" | "append" | undefined;
  /**
   * Counts the tokens of a request exactly, as the counting endpoints of providers do. It is asked only where the estimate
   * and its bound do not decide whether the request fits, at most once a request, and by `beforeModel` alone. What it
   * returns is learned like reported usage. If it throws, returns no whole number above 0, or takes more than five seconds,
   * the estimate decides (`counter-failed`). Not with a preset.
   */
  readonly countTokens?: CountTokens | undefined;
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
   * begins in time for the request to fit, whatever is said here. Or a function that returns one of these for the call's
   * `model`, or nothing. Default: when the request no longer fits. Not with a preset.
   */
  readonly trigger?: Size | ((model: string | undefined) => Size | undefined) | undefined;
  /**
   * What a compaction aims at: a size as of `trigger`, below it. Between 5 % and 90 % of the room for messages; as a number
   * of messages, the most that stay as they are. A summary then takes at most a quarter of it, and as many of the newest
   * messages stay as it has room for; what `keep` says stays in any case. Default: half of the room, of which a summary
   * rarely needs all; with `trigger: { messages }` half of these. Not with a preset.
   */
  readonly target?: Size | undefined;
  /**
   * What stays as it is, as long as it fits: then a warning says so (`keep-lost`). A `compact` keeps exactly so many turns and
   * messages. Default: what the strategy keeps. Not with a preset.
   */
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
   * What happens to system messages that stand among the others, as the retrieved context of each turn does. `"drop-old"`: a
   * compaction covers them like the messages around them, but for the newest ones that follow each other. Instructions at the
   * front always stay. Default `"keep"`: all stay in every view.
   */
  readonly systemMessages?: "keep" | "drop-old" | undefined;
  /**
   * Whether a signed block of thinking may only be sent behind what it was produced behind (`"bound"`), so that it is left
   * out once anything before it has changed, or behind anything (`"free"`). Default: what is known of the model by its id; of
   * unknown models what the format says. What a provider's refusal says counts more. See docs/thinking.md. Not with a preset.
   */
  readonly thinking?: "bound" | "free" | undefined;
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
 * history calls, and again only after 1,000 others, so its answer must depend on the name alone. What it throws is thrown by
 * the call that asked.
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
   * What the line in place of a result that was cleared or cut says. With `true` the tool may be called again, with `false`
   * the call is not to be repeated for its effect. By default it says what is true of any tool: that calling it again would
   * do it again.
   */
  readonly rerun?: boolean | undefined;
  /**
   * Whether nothing may touch its results, short of cutting all texts where nothing else fits (`keep-lost`). Default false.
   */
  readonly exclude?: boolean | undefined;
}

/** Counts the tokens of a request. `context.signal` is aborted when nobody waits for the count any more. */
export type CountTokens = (call: CountedCall, context: { readonly signal: Signal }) => number | PromiseLike<number>;

/** A request to be counted: what would be sent if nothing were done, and what the call said of it. */
export interface CountedCall {
  readonly messages: Handed[];
  readonly system?: Handed;
  readonly tools?: Handed;
  readonly schemas?: Handed;
  /** Undefined if the call named none. */
  readonly model?: Handed;
  readonly maxOutputTokens?: number | undefined;
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
   * where nothing else fits, and put back when the view next changes and has room. The preset `contextguard` has none.
   */
  readonly frame?: { readonly before?: string | undefined; readonly after?: string | undefined } | undefined;
}

/** Overrides of the defaults. */
export interface Tuning {
  /** Behaves exactly like another system. Cannot be combined with `strategy`. */
  readonly preset?: "contextguard" | undefined;
  /** Which messages a compaction keeps. Default `"tail"`. */
  readonly strategy?: Strategy | undefined;
  /** Tokens to keep free for the reply. */
  readonly reserve?: number | undefined;
  /** The provider's limit on the input alone, in tokens. */
  readonly maxInputTokens?: number | undefined;
  /** How tokens are counted. */
  readonly tokens?: TokenOptions | undefined;
  /** Parts of the room: see docs/tuning.md, "Every number, and its default". */
  readonly shares?: Shares | undefined;
  /**
   * Bytes of what is remembered in the state, in JSON: sentences, lines and records of the covered messages, and names.
   * What adds least falls out first, what a person typed last. Default 32,000; at most 64,000, and fewer beside a long
   * digest, so that a state stays below 64 kB.
   */
  readonly memory?: number | undefined;
  /**
   * Milliseconds that reading a long history may keep the thread busy before others have their turn, in calls that return a
   * promise; from 0 to 1,000, and 0 for no pause. Default 12 in a page, 0 elsewhere. The result is the same.
   */
  readonly slice?: number | undefined;
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
  /** Of the room: facts kept beside a summary written by a model, at most 5,000 tokens. Default 0.15, from 0 to 0.3. */
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

/** What `createMeter` takes: the options of a compactor that have a say in what is counted. */
export interface MeterOptions<Base>
  extends Pick<CompactorOptions<Base>, "contextWindow" | "maxOutputTokens" | "repair" | "tune"> {
  /** The shape of your messages. It need not be able to write: `aiSdkUI` will do. */
  readonly format: ReadableFormat<Base>;
}
