/**
 * What the calls of a compactor take and return.
 *
 * @module
 */

import type { OVERRIDES } from "../contract.ts";
import type { Role } from "../format.ts";
import type { Signal } from "../globals.ts";
import type { CompactorOptions, Size, ToolPolicies } from "./options.ts";
import type { CompactionEvent, Plan, Report } from "./report.ts";

/** What precis remembers of a chat between requests. Plain JSON: store it with the chat and pass it to the next call. */
export interface SessionState {
  /** The version of the state's format. A state of a newer version is refused (`newer-state`). */
  readonly version: number;
  /** Increases by one whenever what is sent changes. Use it for compare-and-set when you store the state. */
  readonly revision: number;
}

/** A function that is asked about messages. It may be declared for your own type of them. */
export type Asked<M> = { asked(message: M, index: number): boolean }["asked"];

/** Options about compactions that mean the same in a call, where they stand in place of the compactor's. */
type Override = Exclude<(typeof OVERRIDES)[number], "toolPolicy" | "trigger">;

/** One request that is about to be sent to the model. */
export interface ModelCall<M> extends Pick<CompactorOptions<never>, Override> {
  /** The history, oldest message first. It is never changed. */
  readonly messages: readonly M[];
  /** The state that the last call of this chat returned; null or undefined for a new chat. */
  readonly state?: SessionState | null | undefined;
  /**
   * The id of the chat, which your server has checked. The state is bound to it, by a hash (SHA-256): a state that is bound to
   * another chat is not used, and `report.diverged` says so. Default: the chat that the state is bound to, if to any.
   */
  readonly chat?: string | undefined;
  /** How many messages at the start you did not load (see {@link Compactor.keepFrom}). */
  readonly offset?: number | undefined;
  /** The model's name, for `contextWindow` and for calibration. */
  readonly model?: string | undefined;
  /** The reply limit of this request, in tokens. */
  readonly maxOutputTokens?: number | undefined;
  /** The system prompt, if it is not in `messages`: text, blocks, or messages. Counted, never sent. */
  readonly system?: unknown;
  /**
   * The tools of the request. Counted, never sent. A tool that is deferred (`defer_loading`, `deferLoading`) costs what the
   * provider shows of it, which is nothing or its name and description, until a search or a call in `messages` names it.
   */
  readonly tools?: unknown;
  /**
   * Other schemas of the request, one or a list: `response_format`, `text.format`, `responseSchema`, the schema of an
   * `output`. JSON, or a validator that shows its JSON schema. Counted with the system prompt, never sent.
   */
  readonly schemas?: unknown;
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
  readonly pin?: Asked<M> | undefined;
  /** Returns true for messages that a person typed. Default: role user, something said in it (beside tool results: a text that no application framed in a tag), and not made by precis. */
  readonly isTyped?: Asked<M> | undefined;
  /**
   * Literal strings that must stay in the view. A summary or digest that would lose one gets it appended, and so does the
   * notice of a clipped or cleared result, up to 200 bytes. If one is lost all the same, a warning names it (`must-keep-lost`).
   */
  readonly mustKeep?: readonly string[] | undefined;
  /** Policies for this call; of a tool that both name this one counts. See {@link CompactorOptions.toolPolicy}. */
  readonly toolPolicy?: ToolPolicies | undefined;
  /** For this call, instead of {@link CompactorOptions.trigger}. */
  readonly trigger?: Size | undefined;
  /** The task list, which the summary keeps. */
  readonly todos?: readonly Todo[] | undefined;
  /** `"soft"` compacts earlier than necessary, so that the next request does not have to wait. */
  readonly threshold?: "soft" | undefined;
  /**
   * Whether the provider compacts this chat itself (`context_management`). Then nothing new is compacted, whatever the size,
   * and the report says so (`provider-compaction`).
   */
  readonly providerCompacts?: boolean | undefined;
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
  readonly signal?: Signal | undefined;
  /** Called with each event of this call, after the listener of {@link CompactorOptions}. Errors that it throws are ignored. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
}

/** The options of `compact`, beside those of a call. */
export interface CompactNow {
  /** What the summary should emphasize: the first 400 bytes count. */
  readonly focus?: string | undefined;
  /**
   * Who wrote `focus`. What a person or your program wrote stands among the summarizer's instructions; what a model wrote
   * is quoted in the material, as the assistant's, because a page that the model has read may have made it write that.
   * Default `"user"`.
   */
  readonly focusBy?: "user" | "assistant" | undefined;
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
  extends Pick<ModelCall<M>, "messages" | "state" | "chat" | "offset" | "model" | "pin" | "isTyped"> {
  /** What to search for: names, paths, ids, numbers, words. The first 64 distinct words count. */
  readonly query?: string | undefined;
  /**
   * What to read instead, whatever the query: `"r12"` is the message with the index 12, `"r12.2"` the second of its parts
   * that have text, `"r12+4000"` the message from byte 4000 on.
   */
  readonly reference?: string | undefined;
  /** The most tokens that all excerpts may have. Default 1,000. */
  readonly maxTokens?: number | undefined;
  /**
   * Ranks what a query may find, beside its words: an embedder or a reranker. With it `recall` returns a promise. When it
   * throws, takes too long or returns something else, the words alone decide, and {@link Recalled.ranker} says why.
   */
  readonly rank?: Rank | undefined;
  /** Milliseconds that `rank` may take. Default 30,000. */
  readonly rankTimeoutMs?: number | undefined;
}

/** What {@link RecallCall.rank} is given. */
export interface RankRequest {
  /** The query, as it was asked. */
  readonly query: string;
  /** Up to 512 passages, those that match the words best first. The same text may be asked about in many calls: keep its vector. */
  readonly texts: readonly string[];
}

/**
 * What a ranker returns: a score for each text, the higher the better, on any scale; or a vector of the query and one for each
 * text, of 1 to 8,192 dimensions, which are compared by their angles.
 */
export type RankAnswer =
  | { readonly scores: ArrayLike<number> }
  | { readonly query: ArrayLike<number>; readonly vectors: readonly ArrayLike<number>[] };

/** Says how well texts fit a query. `signal` is aborted when its time is over. */
export type Rank = (request: RankRequest, context: { readonly signal: Signal }) => RankAnswer | PromiseLike<RankAnswer>;

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
  /** Where {@link RecallCall.rank} was asked: of how many texts, and why what it said did not count, or null. */
  readonly ranker?: { readonly texts: number; readonly failed: string | null };
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
