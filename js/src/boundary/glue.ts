/**
 * The boundary as TypeScript sees it: what the engine can be called for, what it is given, what it asks. Internal.
 */
import type { ContextUsage, Plan, Report, SessionState, SummaryRequest, Todo } from "../types.ts";
import { Incoming, Outgoing } from "./wire.ts";

/** What the engine is: `src/wasm/mod.rs`. */
interface Engine {
  readonly memory: WebAssembly.Memory;
  room(length: number): number;
  call(number: number, block: number): number;
  done(block: number): void;
}

let engine: Engine;
/** Its memory, as it was seen last. */
let bytes = new Uint8Array(0);
/** Who answers what the engine asks: the host of the innermost call. */
let host: Host | undefined;
/** What it threw, until the engine has come to an end. */
let thrown: unknown;
/** To use again; null while it is in use, and at first. */
let spare: Outgoing | null = null;

const WENT_WELL = 0;
const REFUSED = 1;

/** Puts a new instance in the place of what was there. */
export function instantiate(module: WebAssembly.Module): WebAssembly.Memory {
  const { exports } = new WebAssembly.Instance(module, { precis: { ask } });
  engine = exports as unknown as Engine;
  bytes = new Uint8Array(0);
  return engine.memory;
}

/** Lets an instance go, with its memory. */
export function dispose(): void {
  engine = undefined as unknown as Engine;
  bytes = new Uint8Array(0);
  // What was written for it may have been as large.
  spare = null;
}

/** Gives the engine what it is called with; reads its answer. */
function call<T>(number: number, values: readonly unknown[], asked: Host | undefined, read: (from: Incoming) => T): T {
  const outer = host;
  host = asked;
  try {
    const answer = engine.call(
      number,
      place((out) => {
        out.start();
        for (const value of values) out.value(value);
      }),
    );
    const from = new Incoming(memory(), answer >>> 0);
    engine.done(answer);
    const how = from.value<number>();
    if (how === WENT_WELL) return read(from);
    const error = how === REFUSED ? from.value() : thrown;
    thrown = undefined;
    throw error;
  } finally {
    host = outer;
  }
}

/** Answers what the engine asks in the middle of a call. */
function ask(number: number, args: number): number {
  return place((out) => {
    try {
      const from = new Incoming(memory(), args >>> 0);
      const next = <T>() => from.value<T>();
      const asked = host as Host;
      out.start(0);
      if (number === 0) asked.read(next(), { number: next(), pointer: next() });
      else if (number === 1) out.value(asked.summary(next(), next(), next()));
      else if (number === 2) out.value(asked.remade(next(), next()));
      else if (number === 3) out.value(asked.replace(next(), next(), next(), next()));
      else if (number === 4) out.value(asked.result(next(), next(), next()));
      else out.value(asked.merge(next()));
    } catch (error) {
      thrown = error;
      out.start(1);
    }
  });
}

/** A block in the engine's memory with what `write` writes. */
function place(write: (out: Outgoing) => void): number {
  // What is written may hold getters, and those may call the engine.
  const out = spare ?? new Outgoing();
  spare = null;
  write(out);
  const block = out.finish();
  const at = engine.room(block.length) >>> 0;
  memory().set(block, at);
  spare = out;
  return at;
}

/** The engine's memory as it is now: it moves when it grows. */
function memory(): Uint8Array {
  if (bytes.length === 0) bytes = new Uint8Array(engine.memory.buffer);
  return bytes;
}

const value = <T>(from: Incoming): T => from.value<T>();

/** What a call is given beside its messages, in the order of `MEMBERS` in `src/wasm/exports.rs` and what follows there. */
export function members(call: CallInput): unknown[] {
  return [
    call.options,
    call.window,
    call.state,
    call.offset,
    call.model,
    call.maxOutputTokens,
    call.uncountedTools,
    call.todos,
    call.mustKeep,
    call.threshold,
    call.focus,
    call.keep,
    call.compact,
    call.ids,
    call.unreadable,
    call.counterFailed,
    call.overflow,
    call.strict,
    call.opensWithUser,
    call.continues,
    call.takesEmpty,
    call.leavesOut,
    call.asking,
    call.inFlight,
    call.system,
    call.tools,
  ];
}

/** Where among them the state is. */
export const STATE = 2;

function outcome(from: Incoming): Outcome {
  const next = <T>() => from.value<T>();
  const done: Outcome = { state: next(), report: next(), changed: next(), view: next() };
  done.standing = next<Uint8Array | null>() ?? undefined;
  done.next = next<Plan | null>() ?? undefined;
  return done;
}

/** Its numbers as `write_passed` in `src/wasm/exports.rs` has them. */
function again(next: <T>() => T): Again {
  return {
    usage: {
      tokens: next(),
      raw: next(),
      window: next(),
      trigger: next(),
      fraction: next(),
      untilCompaction: next(),
      source: next(),
      bound: next(),
      parts: {
        system: next(),
        tools: next(),
        user: next(),
        assistant: next(),
        toolResults: next(),
        media: next(),
        summary: next(),
      },
    },
    request: next(),
    reason: next(),
    at: { count: next(), chain: next() },
    standing: next(),
  };
}

/** Takes in messages; used synchronously and freed. */
export interface Reading {
  readonly number: number;
  /** Of its buffer in the engine's memory. */
  readonly pointer: number;
}

/** What the engine can be called for. */
export const glue = {
  read: (estimator: string): Reading =>
    call(0, [estimator], undefined, (from) => ({ number: from.value(), pointer: from.value() })),
  push: (reading: Reading, ops: Uint32Array, bytes: number): void =>
    call(1, [reading.number, bytes, ops], undefined, () => {}),
  finish: (reading: Reading): Uint32Array => call(2, [reading.number], undefined, value<Uint32Array>),
  free: (reading: Reading): void => call(3, [reading.number], undefined, () => {}),
  /**
   * A short tape at once: the records of its messages. With what a call left, `resume` as well, where everything but the
   * messages is as it was: what is different when first those of the records `known` and then these are added.
   */
  digest: (
    estimator: string,
    ops: Uint32Array,
    text: Uint8Array,
    known: Uint32Array | null,
    standing: Uint8Array | null,
  ): Digested =>
    call(16, [estimator, ops, text, known, standing], undefined, (from) => {
      const next = <T>() => from.value<T>();
      const records = next<Uint32Array>();
      return { records, again: next<true | null>() ? again(next) : undefined };
    }),
  /** Checks options; answers the name of the estimator for this model. */
  validate: (options: unknown, model?: string): string => call(4, [options, model], undefined, value<string>),
  plan: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Plan =>
    call(5, [...members(input), records, flags], host, value<Plan>),
  /** Decides, and commits at once unless the summarizer has to be asked first: then the plan that waits. */
  begin: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Outcome | { readonly plan: Plan } =>
    call(6, [...members(input), records, flags], host, (from) => {
      const plan = from.value<Plan | null>();
      return plan ? { plan } : outcome(from);
    }),
  /** `begin` for a chat to which only these messages were added since; undefined if that is not enough to decide. */
  resume: (input: CallInput, records: Uint32Array, standing: Uint8Array): Outcome | undefined =>
    call(7, [...members(input), records, null, standing], undefined, (from) =>
      from.value() === null ? outcome(from) : undefined,
    ),
  usage: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): ContextUsage =>
    call(8, [...members(input), records, flags], host, value<ContextUsage>),
  requests: (
    input: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    plan: unknown,
    host: Host,
  ): SummaryRequest<never>[] =>
    call(9, [...members(input), records, flags, plan], host, value<SummaryRequest<never>[]>),
  commit: (
    input: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    plan: unknown,
    results: Answer[] | undefined,
    host: Host,
  ): Outcome => call(10, [...members(input), records, flags, plan, results], host, outcome),
  after_model: (options: unknown, state: unknown, usage: Reported, request: string | undefined): SessionState =>
    call(11, [options, state, usage, request], undefined, value<SessionState>),
  keep_from: (state: unknown): { readonly index: number; readonly id: string | null } =>
    call(12, [state], undefined, value<{ index: number; id: string | null }>),
  summary_of: (state: unknown): string | null => call(13, [state], undefined, value<string | null>),
  attributes: (report: unknown): Record<string, string | number | boolean> =>
    call(14, [report], undefined, value<Record<string, string | number | boolean>>),
  check: (records: Uint32Array, strict: boolean): { rule: string; index: number; message: string }[] =>
    call(15, [records, strict], undefined, value<{ rule: string; index: number; message: string }[]>),
  /** What is said about a name that does not exist among `names`. */
  unknown_name: (name: string, names: readonly string[], what: string): string =>
    call(17, [name, names, what], undefined, value<string>),
};

export type Glue = typeof glue;

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
  /** Whoever calls goes on asking as long as there is more to ask. */
  readonly asking?: boolean | undefined;
  readonly inFlight?: unknown;
  readonly overflow?: Refusal | true | null;
  readonly focus?: unknown;
  readonly keep?: unknown;
  readonly strict?: true | undefined;
  readonly opensWithUser?: true | undefined;
  readonly continues?: true | undefined;
  readonly takesEmpty?: true | undefined;
  readonly leavesOut?: true | undefined;
  readonly compact?: true | undefined;
  readonly ids?: (string | null)[] | undefined;
  /** Indices of messages whose format said nothing of them. */
  readonly unreadable: readonly number[];
  /** The host's token counter failed on some text of this call. */
  readonly counterFailed?: true | undefined;
}

/** What a provider's error says, for the engine to judge. */
export interface Refusal {
  readonly text: string;
  readonly status: number | null;
}

/** What the engine may ask of TypeScript while it works. */
export interface Host {
  /** Pushes these messages to a reading, which is the engine's own. */
  read(indices: Uint32Array, into: Reading): void;
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
  standing?: Uint8Array | undefined;
}

/** What comes of a short tape. */
export interface Digested {
  readonly records: Uint32Array;
  readonly again: Again | undefined;
}

/** What is different from the call before in one that has nothing to do. */
export interface Again {
  readonly usage: ContextUsage;
  readonly request: string;
  readonly reason: string;
  /** The end of the history: how many messages, and the chain there. */
  readonly at: { readonly count: number; readonly chain: string };
  readonly standing: Uint8Array;
}
