import type { CompactionEvent, CompactorOptions, ContextUsage, Report, SessionState } from "precis";

/** The options of {@link compaction}: those of a compactor, and where states are stored. */
export interface CompactionOptions extends Omit<CompactorOptions<never>, "format"> {
  /** Part of the store's key, so that two agents on one chat do not overwrite each other. Default `"main"`. */
  readonly agent?: string | undefined;
  /** Where states are stored between requests. Without it a state lasts for one call of generateText or streamText. */
  readonly store?: StateStore | undefined;
  /**
   * Returns the chat that an agent's call belongs to, from its `runtimeContext` (version 7) or `experimental_context`
   * (version 6). If it throws or does not return a string, nothing is loaded or saved.
   */
  readonly chat?: ((context: never) => string | undefined) | undefined;
  /**
   * The `providerOptions` of your calls, which the SDK does not pass to `prepareStep`. Give them if they configure the
   * provider's own compaction, so that precis does not interfere with it.
   */
  readonly providerOptions?: unknown;
  /**
   * Called with the report of every step, for logs. Errors that it throws are ignored. An agent that lives as long as the
   * process has no {@link Run} to read reports from.
   */
  readonly onReport?: ((report: Report, chat: string | undefined) => void) | undefined;
}

/**
 * Stores states between requests, by the key `${agent ?? "main"}:${chat}`.
 *
 * A request never fails because of the store, and waits a second for it at most. Failures are reported as the warning
 * `store-failed`.
 */
export interface StateStore {
  /** Returns the state that was last saved under this key, or null. */
  load(key: string): PromiseLike<SessionState | null | undefined>;
  /**
   * Stores a state.
   *
   * @param previous - the revision of the state to be replaced, or null for the first. If the stored state has another
   * revision, store nothing and return `false`: the state is then loaded again, and the step is decided anew.
   */
  save(key: string, state: SessionState, previous: number | null): PromiseLike<boolean | void>;
}

/** What the SDK passes to `prepareStep`, as far as it is used here. */
export interface StepOptions<M> {
  readonly messages: M[];
  readonly steps: ReadonlyArray<{ readonly usage?: unknown }>;
  readonly stepNumber: number;
  readonly model?: unknown;
  /** Version 7: the system prompt. */
  readonly instructions?: unknown;
  /** Version 7. */
  readonly runtimeContext?: unknown;
  /** Version 6. */
  readonly experimental_context?: unknown;
}

/**
 * The SDK's `prepareStep`. Returns the messages to send instead, and a lower reply limit if yours no longer fits (which
 * versions 6 and 7 use), or undefined if there is nothing to change.
 *
 * Rejects with a `PrecisError` when the messages or a state of your own are refused, and with the reason of an aborted
 * signal.
 */
export type PrepareStep = <M extends { role: string; content: unknown }>(
  options: StepOptions<M>,
) => Promise<{ messages?: M[]; maxOutputTokens?: number } | undefined>;

/** One call of generateText or streamText. A second call at the same time is rejected (`run-in-use`). */
export interface Run {
  /** Pass it as the call's option of this name. */
  readonly prepareStep: PrepareStep;
  /** Pass it as the call's option of this name: it learns from the usage of the last step. */
  readonly onStepFinish: (step: { readonly usage?: unknown }) => void;
  /**
   * Returns the same model, which retries once if the provider says that a request was too long: with fewer messages, or
   * with a lower reply limit. No step is repeated and no tool runs twice. The limit that was learned is in the state after
   * the next step, or after {@link Run.ahead}. A model given by name is returned as it is: pass the model object.
   */
  model<T>(model: T): T;
  /** The state to store with the chat; null until something was prepared or loaded. */
  readonly state: SessionState | null;
  /** How full the context is, including the newest reply; null before the first step. */
  readonly usage: ContextUsage | null;
  /** One report for each step. */
  readonly reports: readonly Report[];
  /**
   * Call it after the response, in `waitUntil` or `after`: it summarizes now if the soft threshold was crossed, so that the
   * next request does not have to wait, and finishes pending writes to the store. Returns the state to store. It never
   * rejects; if the summarizer fails, nothing changes.
   */
  ahead(): Promise<SessionState | null>;
}

/** The options of one run. */
export interface RunOptions {
  /**
   * The chat's id, for the store's key. Without it nothing is loaded or saved. It is refused if there is no store, unless
   * `state` is given because you store the state yourself.
   */
  readonly chat?: string | undefined;
  /** The chat's state, if you store it yourself. Nothing is loaded then. */
  readonly state?: SessionState | null | undefined;
  /** The system prompt of the call, to be counted. Version 7 passes its own. */
  readonly system?: unknown;
  /** The tools of the call, to be counted. */
  readonly tools?: unknown;
  /** Literal strings to keep: see `ModelCall`. */
  readonly mustKeep?: readonly string[] | undefined;
  /** The reply limit of this call, in tokens. Default: the one of {@link CompactionOptions}. */
  readonly maxOutputTokens?: number | undefined;
  /** Aborts a compaction in the middle of a step; nothing has changed then. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event of this call, after the listener of {@link CompactionOptions}. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
  /** The `providerOptions` of this call; see {@link CompactionOptions.providerOptions}. */
  readonly providerOptions?: unknown;
}

/** What {@link compaction} returns. */
export interface Compaction {
  /** Begins one request, bound to its chat and its abort signal. Make one for each call of streamText. */
  run(options?: RunOptions): Run;
  /** For agents that live as long as the process. Calls are distinguished by the SDK's own `steps` array and share nothing. */
  readonly prepareStep: PrepareStep;
}
