import type { CompactionEvent, CompactorOptions, ContextUsage, Report, SessionState } from "precis";

/** What {@link compaction} takes: the options of a compactor, and where states live. */
export interface CompactionOptions extends Omit<CompactorOptions<never>, "format"> {
  /** Part of the store's key, so that two agents on one chat do not overwrite each other. Default `"main"`. */
  readonly agent?: string | undefined;
  /** Where states live between requests. None: a state lives as long as one call of generateText or streamText. */
  readonly store?: StateStore | undefined;
  /**
   * Which chat a call of an agent belongs to, from its `runtimeContext` (7) or `experimental_context` (6). An answer
   * that is no string, or a function that throws, means none: then nothing is loaded or saved.
   */
  readonly chat?: ((context: never) => string | undefined) | undefined;
  /**
   * The `providerOptions` of the calls. The SDK does not show them to `prepareStep`: give them where they configure the
   * provider's own compaction, so that precis stays out of its way from the first step on.
   */
  readonly providerOptions?: unknown;
  /**
   * Told of every step what was decided and why, warnings included: for logs. What it throws is ignored. An agent that
   * lives as long as the process has no {@link Run} to read reports from.
   */
  readonly onReport?: ((report: Report, chat: string | undefined) => void) | undefined;
}

/**
 * Where states live between requests, by the key `${agent ?? "main"}:${chat}`.
 *
 * An answer never fails because of it, and waits for it a second at most; what went wrong is a warning
 * (`store-failed`).
 */
export interface StateStore {
  /** The state last saved under this key; nothing if there is none. */
  load(key: string): PromiseLike<SessionState | null | undefined>;
  /**
   * Stores a state.
   *
   * @param previous - the revision of the state that is replaced, null for the first: answer `false`, and store
   * nothing, if what is stored has another. Then it is loaded again, and the step is decided anew.
   */
  save(key: string, state: SessionState, previous: number | null): PromiseLike<boolean | void>;
}

/** What the SDK tells `prepareStep`, as far as it is used here. */
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
 * The SDK's `prepareStep`: answers what to send in place of the messages, and a lower limit of the reply where yours no
 * longer fits (heeded by versions 6 and 7). Nothing when there is nothing to change.
 *
 * Rejects with a `PrecisError` when the messages or a state of your own are refused, and with the reason of an aborted
 * signal.
 */
export type PrepareStep = <M extends { role: string; content: unknown }>(
  options: StepOptions<M>,
) => Promise<{ messages?: M[]; maxOutputTokens?: number } | undefined>;

/** One call of generateText or streamText at a time: `prepareStep` rejects a second one (`run-in-use`). */
export interface Run {
  /** For the call's option of this name. */
  readonly prepareStep: PrepareStep;
  /** For the call's option of this name: learns the usage of the last step, too. */
  readonly onStepFinish: (step: { readonly usage?: unknown }) => void;
  /**
   * The same model, which asks once more where the provider says that a request was too long: with less, or with a lower
   * limit of the reply. No step is repeated and no tool runs twice. The limit that was learned is in the state after the
   * next step, or after {@link Run.ahead}. A model given by name is answered as it is: give the object.
   */
  model<T>(model: T): T;
  /** What to store with the chat; null as long as nothing was prepared or loaded. */
  readonly state: SessionState | null;
  /** How full the context is, the newest reply included; null before the first step. */
  readonly usage: ContextUsage | null;
  /** What was decided and why, a report for each step. */
  readonly reports: readonly Report[];
  /**
   * After the answer: summarizes now if the soft mark was crossed, so that the next request does not have to wait for
   * it. For `waitUntil` and `after`. Never rejects; answers the state to store. When the summarizer fails nothing is
   * changed. Also waits for what the store has still to write.
   */
  ahead(): Promise<SessionState | null>;
}

/** What one call is bound to. */
export interface RunOptions {
  /**
   * The chat, for the store's key. None: nothing is loaded or saved. Without a store it is refused, unless `state` says
   * that the program stores the chat itself.
   */
  readonly chat?: string | undefined;
  /** The chat's state, where the program stores it itself. Nothing is loaded then. */
  readonly state?: SessionState | null | undefined;
  /** The system prompt of the call: counted. Version 7 shows its own. */
  readonly system?: unknown;
  /** The tools of the call: counted. */
  readonly tools?: unknown;
  /** Literal strings to be kept, see `ModelCall`. */
  readonly mustKeep?: readonly string[] | undefined;
  /** The reply limit of this call, in tokens. Default: the one of {@link CompactionOptions}. */
  readonly maxOutputTokens?: number | undefined;
  /** Aborted: a compaction in the middle of a step ends, and nothing has changed. */
  readonly signal?: AbortSignal | undefined;
  /** Told what happens in this call, after the listener of {@link CompactionOptions}. */
  readonly onEvent?: ((event: CompactionEvent) => void) | undefined;
  /** The `providerOptions` of this call; see {@link CompactionOptions.providerOptions}. */
  readonly providerOptions?: unknown;
}

/** What {@link compaction} answers. */
export interface Compaction {
  /** One request: bound to its chat, its abort signal, its stream. Make one for each call of streamText. */
  run(options?: RunOptions): Run;
  /** For agents that live as long as the process: calls are told apart by the SDK's own `steps` array and share nothing. */
  readonly prepareStep: PrepareStep;
}
