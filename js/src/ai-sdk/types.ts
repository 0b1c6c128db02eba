import type {
  CompactionEvent,
  CompactNow,
  CompactorOptions,
  ContextUsage,
  LoadMessages,
  ModelCall,
  Plan,
  Report,
  SessionState,
  Summarize,
} from "precis";
import type { OVERRIDES } from "../contract.ts";
import type { Signal } from "../globals.ts";
import type { Compacting } from "./compact-tool.ts";
import type { Recalling } from "./recall.ts";

// biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a message differs from version to version.
type AnyMessage = any;

/** A language model of the SDK: what a provider's function returns (`openai("gpt-5.6")`), in versions 5 to 7. */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly modelId: string;
  // biome-ignore lint/suspicious/noExplicitAny: what is asked and returned differs from version to version.
  doGenerate(request: any): PromiseLike<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  doStream(request: any): PromiseLike<any>;
}

/**
 * The options of {@link compaction}: those of a compactor, and where states are stored. `Context`: what `chat` reads the name
 * of a chat from.
 */
// biome-ignore lint/suspicious/noExplicitAny: without `chat`, any context will do.
export interface CompactionOptions<Context = any> extends Omit<CompactorOptions<never>, "format" | "summarize"> {
  /**
   * Writes summaries: a model, a function, or a list of either. Without it, code writes a digest at every compaction.
   *
   * A model is asked directly. Of a list, the next one is asked when one fails: see {@link CompactorOptions.summarize}. Where
   * nobody is left to ask, a model that says that it may be asked again (a limit of rates, an overload) is, twice at most.
   * {@link summarizeWith} makes a function with settings of its own.
   */
  readonly summarize?: LanguageModel | Summarize | readonly (LanguageModel | Summarize)[] | undefined;
  /** Part of the store's key, so that two agents on one chat do not overwrite each other. Default `"main"`. */
  readonly agent?: string | undefined;
  /**
   * Where states are stored between requests. Without it a state lasts for one call of generateText or streamText. With it
   * every call must name its chat, or it is refused (`no-chat-id`).
   */
  readonly store?: StateStore | undefined;
  /**
   * Returns the chat that an agent's call belongs to, from its `runtimeContext` (version 7) or `experimental_context`
   * (version 6). With a `store`, a call for which it throws or returns no name is refused (`no-chat-id`).
   *
   * The type of its parameter is that of {@link Compaction.prepareStep}: in version 7, a call or agent whose `runtimeContext`
   * does not have what is read here does not compile.
   */
  readonly chat?: ((context: Context) => string | undefined) | undefined;
  /**
   * The `providerOptions` of your calls, which the SDK does not pass to `prepareStep`. Give them if they configure the
   * provider's own compaction, so that precis does not interfere with it.
   */
  readonly providerOptions?: unknown;
  /**
   * For {@link Compaction.middleware}: returns the tenant or user that a call is made for, from what your program put into
   * its `providerOptions` or `headers`. Chats are distinguished by their history and by this, so that nothing learned in one
   * scope serves another. Of a call for which it returns no text nothing is remembered.
   */
  readonly scope?: ((call: ScopedCall) => string | undefined) | undefined;
  /**
   * Called with the report of every step, for logs. Errors that it throws are ignored. An agent that lives as long as the
   * process has no {@link Run} to read reports from.
   */
  readonly onReport?: ((report: Report, chat: string | undefined) => void) | undefined;
}

/** What a middleware's `scope` is read from. */
export interface ScopedCall {
  // biome-ignore lint/suspicious/noExplicitAny: programs put there what they like.
  readonly providerOptions?: any;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Stores states between requests, by the key `${agent ?? "main"}:${chat}`. In both names `:` is written `%3A` and `%` is
 * written `%25`, so that no two pairs of names have one key.
 *
 * A request never fails because of the store, and waits a second for it at most. Failures are reported as the warning
 * `store-failed`.
 */
export interface StateStore {
  /**
   * Returns the state that was last saved under this key, or null.
   *
   * @param revision - given only by {@link Run.restore}: return the state of this revision, if you keep earlier ones. A store
   * that keeps none may ignore it.
   */
  load(key: string, revision?: number): PromiseLike<SessionState | null | undefined>;
  /**
   * Stores a state.
   *
   * @param previous - the revision of the state to be replaced, or null for the first. If the stored state has another
   * revision, store nothing and return `false`: the state is then loaded again, and the step is decided again.
   */
  save(key: string, state: SessionState, previous: number | null): PromiseLike<boolean | void>;
}

/** What the SDK passes to `prepareStep`, as far as it is used here. */
// biome-ignore lint/suspicious/noExplicitAny: without an option `chat`, any context will do.
export interface StepOptions<M, Context = any> {
  readonly messages: M[];
  readonly steps: ReadonlyArray<{ readonly usage?: unknown }>;
  readonly stepNumber: number;
  readonly model?: unknown;
  /** Version 7: the system prompt. */
  readonly instructions?: unknown;
  /** Version 7. */
  readonly runtimeContext?: Context;
  /** Version 6. */
  readonly experimental_context?: unknown;
}

/**
 * The SDK's `prepareStep`. Returns the messages to send instead, a lower reply limit if yours no longer fits (which
 * versions 6 and 7 use), and options for Anthropic where thinking was left out (version 7), or undefined if there is
 * nothing to change.
 *
 * Rejects with a `PrecisError` when the messages or a state of your own are refused, and with the reason of an aborted
 * signal.
 */
// biome-ignore lint/suspicious/noExplicitAny: without an option `chat`, any context will do.
export type PrepareStep<Context = any> = <M extends { role: string; content: unknown }>(
  options: StepOptions<M, Context>,
) => Promise<Prepared<M> | undefined>;

/** What `prepareStep` returns of a step. */
export interface Prepared<M> {
  messages?: M[];
  maxOutputTokens?: number;
  /** Where Anthropic is to leave out thinking that is no longer valid; the SDK merges it with your own. */
  providerOptions?: { anthropic: { thinking: { blockBinding: { prefixMismatchBehavior: "drop_block" } } } };
}

/**
 * One call of generateText or streamText. Give it to {@link recallTool} and {@link compactTool}, and the model can look up
 * what it no longer sees, and say when a task is done. A second call at the same time is rejected (`run-in-use`).
 */
export interface Run extends Recalling, Compacting {
  /** Pass it as the call's option of this name. */
  readonly prepareStep: PrepareStep;
  /** Pass it as the call's option of this name: it learns from the usage of the last step. */
  readonly onStepEnd: (step: { readonly usage?: unknown }) => void;
  /** The same: versions 5 and 6 of the AI SDK call the option by this name. */
  readonly onStepFinish: (step: { readonly usage?: unknown }) => void;
  /**
   * Returns the same model, which retries once if the provider says that a request was too long: with fewer messages, or
   * with a lower reply limit; or if it refuses thinking, without that. No step is repeated and no tool runs twice. The limit that was learned is in the state after
   * the next step, or after {@link Run.ahead}. A model given by name is returned as it is: pass the model object.
   */
  model<T>(model: T): T;
  /** The state to store with the chat; null until something was prepared or loaded. */
  readonly state: SessionState | null;
  /** How full the context is, including the newest reply; null before the first step. */
  readonly usage: ContextUsage | null;
  /** One report for each step, each compaction by hand and each one ahead: the newest thousand. */
  readonly reports: readonly Report[];
  /** Revisions that {@link Run.restore} can go back to without a store, the oldest first: the last eight that this run had. */
  readonly revisions: readonly number[];
  /**
   * Compacts now, whatever the size of the chat, and saves the state. The next step sends what came of it.
   *
   * Rejects with `invalid-call` if the run has not seen the chat yet and no `messages` are given.
   */
  compact(options?: CompactOptions): Promise<Report>;
  /** Returns what the next step would do, without doing it; null if the run has not seen the chat and none is given. */
  plan(options?: ChatOptions): Promise<Plan | null>;
  /**
   * Undoes compactions, and saves the state. It has a new revision, so nobody takes it for the one it was made from.
   *
   * Without a revision all of them are undone: the next step sends the whole history, or as much of it as fits. Use it when
   * a chat moves to a model with a larger window, too. With a revision the chat is as it was in that state: one of
   * {@link Run.revisions}, or one that the store has. Messages that came later are kept either way.
   *
   * Needs the whole history: see {@link RunOptions.offset}. Rejects with `invalid-call` if there is no such revision.
   */
  restore(revision?: number): Promise<SessionState | null>;
  /**
   * Call it after the response, in `waitUntil` or `after`: it summarizes now if the soft threshold was crossed, so that the
   * next request does not have to wait, and finishes pending writes to the store. Returns the state to store. It never
   * rejects; if the summarizer fails, nothing changes.
   */
  ahead(): Promise<SessionState | null>;
}

/** The chat as it is now, where a run has not seen it. */
export interface ChatOptions {
  /** Its messages, as for streamText. Default: those of the last step, and what it answered. */
  readonly messages?: readonly AnyMessage[] | undefined;
  /** The model, or its name, for `contextWindow` and for calibration. Default: that of the last step. */
  readonly model?: unknown;
}

/** The options of {@link Run.compact}. */
export interface CompactOptions extends ChatOptions, CompactNow, Pick<ModelCall<AnyMessage>, "keep"> {}

/** How much of the messages that a run was given a summary stands for. */
export interface Covered {
  /** Messages at the start; 0 if there is no summary. */
  readonly messages: number;
  /** How many of them are of the user. */
  readonly users: number;
  /** How many are of the assistant, after the last one of the user. */
  readonly replies: number;
}

/** An event of a run. When a compaction is done, it says what stands for what. */
export type RunEvent =
  | Exclude<CompactionEvent, { readonly type: "done" }>
  | (Extract<CompactionEvent, { readonly type: "done" }> & {
      /** The newest summary; null if there is none. */
      readonly summary: string | null;
      /** null where a prompt was compacted that the provider has refused: its messages are not those of the run. */
      readonly covered: Covered | null;
    });

/** The options of one run. */
export interface RunOptions
  extends Pick<
    ModelCall<AnyMessage>,
    (typeof OVERRIDES)[number] | "isTyped" | "mustKeep" | "offset" | "pin" | "todos"
  > {
  /**
   * The chat's id, for the store's key. With a store it must be given (`no-chat-id`), unless `state` is given because you store
   * the state yourself. Without either it is refused.
   */
  readonly chat?: string | undefined;
  /** The chat's state, if you store it yourself. Nothing is loaded then. */
  readonly state?: SessionState | null | undefined;
  /** The system prompt of the call, to be counted. Version 7 passes its own. */
  readonly system?: unknown;
  /** The tools of the call, to be counted. */
  readonly tools?: unknown;
  /** Other schemas of the call, to be counted: see {@link ModelCall.schemas}. */
  readonly schemas?: unknown;
  /**
   * Whether the model has the tool `recall`: see {@link ModelCall.recall}. Default: whether a {@link recallTool} was made for
   * this run, or stands in `tools` under this name.
   */
  readonly recall?: boolean | undefined;
  /** Loads messages that `offset` leaves out, for {@link recallTool}. */
  readonly load?: LoadMessages<AnyMessage> | undefined;
  /** The reply limit of this call, in tokens. Default: the one of {@link CompactionOptions}. */
  readonly maxOutputTokens?: number | undefined;
  /** Aborts a compaction in the middle of a step; nothing has changed then. */
  readonly signal?: Signal | undefined;
  /** Called with each event of this call, after the listener of {@link CompactionOptions}. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /**
   * The `providerOptions` of this call; see {@link CompactionOptions.providerOptions}. If `anthropic.thinking` has the type
   * `disabled` or `between_tools`, nothing is added to it.
   */
  readonly providerOptions?: unknown;
}

/**
 * A middleware for the SDK's `wrapLanguageModel`, in versions 5 to 7. Make the `compaction` once: what is learned of a chat
 * is kept in it and lost with the process: states that took a compaction up to 32 MB in all, and the last thousand requests of chats that
 * took none. To store states, use `run`.
 */
export interface Middleware {
  // biome-ignore lint/suspicious/noExplicitAny: version 6 demands "v3", the others take any.
  readonly specificationVersion: any;
  // biome-ignore lint/suspicious/noExplicitAny: what is passed differs from version to version.
  readonly wrapGenerate: (options: any) => Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly wrapStream: (options: any) => Promise<any>;
}

/** What {@link compaction} returns. `Context`: what its option `chat` reads. */
// biome-ignore lint/suspicious/noExplicitAny: without it, any context will do.
export interface Compaction<Context = any> {
  /** Begins one request, bound to its chat and its abort signal. Make one for each call of streamText. */
  run(options?: RunOptions): Run;
  /** For agents that live as long as the process. Calls are distinguished by the SDK's own `steps` array and share nothing. */
  readonly prepareStep: PrepareStep<Context>;
  /**
   * Returns the same model, which keeps every call inside the window: `compaction({ contextWindow }).model(openai("gpt-5.6"))`.
   * The same as `wrapLanguageModel` with {@link Compaction.middleware}, for programs and frameworks that take a model.
   *
   * @throws PrecisError `invalid-call` for a model given by name: pass the object, `gateway("…")`.
   */
  model<T extends LanguageModel>(model: T): T;
  /**
   * For `wrapLanguageModel({ model, middleware })`: every call of the model is kept inside the window, also those of
   * functions that have no `prepareStep`. Calls are distinguished by their history and share nothing else. A request that
   * the provider finds too long is sent once more, shorter.
   */
  readonly middleware: Middleware;
}
