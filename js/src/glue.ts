/**
 * The boundary as TypeScript sees it: what the generated glue exports, and what it is given. Internal.
 */
import type { ContextUsage, Plan, Report, SessionState, SummaryRequest, Todo } from "./types.ts";

/** Digests messages; used synchronously and freed. */
export interface Reading {
  /** Of its buffer in the engine's memory. */
  readonly pointer: number;
  push(ops: Uint32Array, bytes: number): void;
  finish(): Uint32Array;
  free(): void;
  /** Lets go of it without touching the engine's memory. */
  __destroy_into_raw(): unknown;
}

export interface Glue {
  initSync(source: { module: WebAssembly.Module }): { readonly memory: WebAssembly.Memory };
  /** Puts a new instance in the place of a broken one. */
  __wbg_reset_state(): void;
  readonly Reading: new (estimator: string) => Reading;
  /** Checks options; answers the name of the estimator for this model. */
  validate(options: unknown, model?: string): string;
  plan(call: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Plan;
  usage(call: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): ContextUsage;
  requests(
    call: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    plan: unknown,
    host: Host,
  ): SummaryRequest<never>[];
  commit(
    call: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    plan: unknown,
    results: Answer[] | undefined,
    host: Host,
  ): Outcome;
  /** Decides, and commits at once unless the summarizer has to be asked first: then the plan that waits. */
  begin(call: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Outcome | { readonly plan: Plan };
  /** `begin` for a chat to which only these messages were added since; undefined if that is not enough to decide. */
  resume(call: CallInput, records: Uint32Array, standing: Uint32Array): Outcome | undefined;
  after_model(options: unknown, state: unknown, usage: Reported, request: string | undefined): SessionState;
  keep_from(state: unknown): { readonly index: number; readonly id: string | null };
  summary_of(state: unknown): string | undefined;
  attributes(report: unknown): Record<string, string | number | boolean>;
  check(records: Uint32Array, strict: boolean): { rule: string; index: number; message: string }[];
}

/** One call, as plain data. */
export interface CallInput {
  /** The compactor's options, every function replaced by `true`. */
  readonly options: unknown;
  /** `contextWindow` for this call's model, whatever it is. */
  readonly window: unknown;
  readonly state: unknown;
  readonly offset?: unknown;
  readonly model?: unknown;
  readonly maxOutputTokens?: unknown;
  /** Records of the system prompt and of the tools, null if none were given. */
  readonly system: Uint32Array | null;
  readonly tools: Uint32Array | null;
  /** Tools whose schema could not be read. */
  readonly uncountedTools: number;
  readonly todos?: readonly Todo[] | undefined;
  readonly mustKeep?: readonly string[] | undefined;
  readonly threshold?: unknown;
  readonly inFlight?: unknown;
  readonly overflow?: Refusal | true | null;
  readonly focus?: unknown;
  readonly strict?: true;
  readonly compact?: true;
  readonly ids?: (string | null)[];
  /** Indices of messages whose format said nothing of them. */
  readonly unreadable: number[];
  /** The host's token counter failed on some text of this call. */
  readonly counterFailed?: true;
}

/** What a provider's error says, for the engine to judge. */
export interface Refusal {
  readonly text: string;
  readonly status: number | null;
}

/** What the engine may ask of TypeScript while it works. */
export interface Host {
  read(indices: Uint32Array): { ops: Uint32Array; text: Uint8Array };
  summary(text: string, id: string, covers: number): Uint32Array;
  /** The copy of a message that an earlier call made under `key`, if it is still known. */
  remade(index: number, key: string): Uint32Array | undefined;
  replace(index: number, key: string, parts: Uint32Array, texts: string[]): Uint32Array;
  /** A message that answers a call, if the format has one. */
  result(id: string, name: string, text: string): Uint32Array | undefined;
  /** One message of two, each as kind and number: `0, index` of the input, `1, number` of those made in this call. */
  merge(pair: Uint32Array): Uint32Array;
}

/** What a summarizer said, or why it said nothing. */
export type Answer = { text: string; finish: string; usage?: unknown } | { error: string };

/** Usage as a provider reported it, in tokens. */
export interface Reported {
  prompt: number | null;
  output: number | null;
  /** How much of the output is reasoning, where that is told. */
  reasoning?: number | null;
}

export interface Outcome {
  state: SessionState;
  report: Report;
  changed: boolean;
  /** Triples: `0, from, to` for messages of the input, `1, index, 0` for one made in this call. */
  view: Uint32Array;
  next?: Plan | undefined;
  /** What the next call of this chat may rely on. */
  standing?: Uint32Array | undefined;
}
