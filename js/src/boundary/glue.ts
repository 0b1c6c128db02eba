/**
 * The boundary as TypeScript sees it: what the engine can be called for, what it is given, what it asks. Internal.
 */
import { COMPACT, FOUND, PARTS, PASSED } from "../contract.ts";
import type {
  ContextUsage,
  NativeBlock,
  Plan,
  RecallCall,
  Recalled,
  Report,
  SessionState,
  SummaryRequest,
} from "../types.ts";
import { bind } from "./generated/bindings.js";
import { plain } from "./plain.ts";

type Bindings = ReturnType<typeof bind>;

let engine: Bindings;
/** What the newest panic said, until it is asked for. */
let panic: string | undefined;

/** An instance of the engine. */
export interface Instance {
  readonly memory: WebAssembly.Memory;
  /** The pointer of its stack: what traps leaves it where it was. */
  readonly stack: WebAssembly.Global<"i32">;
}

/** Replaces what was there by a new instance. `later` runs what that instance does in a task of its own. */
export function instantiate(
  module: WebAssembly.Module,
  later: (of: Instance, work: () => void) => void = (_, work) => work(),
): Instance {
  const made: Bindings = bind(module, {
    panicked(message) {
      panic = message;
    },
    later: (work) => later(made, work),
  });
  engine = made;
  return made;
}

/** Lets an instance go, with its memory. */
export function dispose(): void {
  engine = undefined as unknown as Bindings;
}

/** What the engine said when it broke, if it did by a panic. */
export function lastPanic(): string | undefined {
  const message = panic;
  panic = undefined;
  return message;
}

/** A call as the engine takes it: plain data that nothing of the host's can change or throw in. */
function given(call: CallInput): CallInput {
  const copy: Record<string, unknown> = { system: call.system, tools: call.tools };
  for (const name of PLAIN) copy[name] = plain(call[name]);
  return copy as unknown as CallInput;
}

/** The members of a call that are plain data. */
const PLAIN: readonly (keyof CallInput)[] = /* @__PURE__ */ (() => [
  ...FOUND,
  ...PASSED,
  ...(Object.keys(COMPACT) as (keyof typeof COMPACT)[]),
])();

/** The members of a call in a fixed order, to be compared with those of another. */
export function members(call: CallInput): unknown[] {
  const toolPolicy = call.asksPolicies ? undefined : call.toolPolicy;
  const given = { ...call, toolPolicy };
  return [...PLAIN.map((name) => given[name]), call.system, call.tools, call.policies];
}

/** Where among them the state is. */
export const STATE = /* @__PURE__ */ PLAIN.indexOf("state");

/** Takes in messages; used synchronously and freed. */
export type TapeReading = InstanceType<Bindings["TapeReading"]>;

/** What is different from the call before as it crosses: see `again` in `src/wasm/results.rs`. */
interface Folded {
  readonly numbers: Float64Array;
  readonly fraction: number;
  readonly texts: string;
  readonly standing: Uint8Array;
}

function unfolded({ numbers, fraction, texts, standing }: Folded): Again {
  const [outcome, source, request, reason, chain, sent] = texts.split("\n") as [
    Report["outcome"],
    ContextUsage["source"],
    string,
    string,
    string,
    string,
  ];
  let at = 0;
  const next = () => numbers[at++] as number;
  const [tokens, raw, window, trigger] = [next(), next(), next(), next()];
  const [untilCompaction, bound, replyRoom] = [next(), next(), next()];
  const [end, saved] = [{ count: next(), chain }, next()];
  const parts = {} as Record<(typeof PARTS)[number], number>;
  for (const part of PARTS) parts[part] = next();
  const before = { tokens, raw, window, trigger, fraction, untilCompaction, source, bound, parts };
  const after = { ...before, parts: { ...parts } };
  const report = { outcome, reason, before, after, replyRoom, saved, request };
  return { report, at: end, sent: sent || null, standing };
}

/** What the engine can be called for. */
export const glue = {
  read: (estimator: string): TapeReading => new engine.TapeReading(estimator),
  push: (reading: TapeReading, ops: Uint32Array, bytes: number): void => reading.push(ops, bytes),
  finish: (reading: TapeReading): Uint32Array => reading.finish(),
  free: (reading: TapeReading): void => reading.free(),
  /**
   * A short tape at once: the records of its messages. With what a call left, `resume` as well, where everything but the
   * messages is as it was: what is different when first those of the records `known` and then these are added.
   */
  records: (
    estimator: string,
    ops: Uint32Array,
    text: Uint8Array,
    known: Uint32Array | null,
    standing: Uint8Array | null,
  ): ShortTape => {
    const { records, again } = engine.records(estimator, ops, text, known, standing);
    return { records, again: again && unfolded(again) };
  },
  /** Checks options; returns the name of the estimator for this model. */
  validate: (options: unknown, model?: string): string => engine.validate(plain(options), model),
  plan: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Plan =>
    engine.plan(given(input), records, flags, host),
  /** Decides, and commits at once unless the summarizer has to be asked first: then the plan that waits. */
  begin: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): Begun =>
    engine.begin(given(input), records, flags, host),
  /** `begin` for a chat to which only these messages were added since; undefined if that is not enough to decide. */
  resume: (input: CallInput, records: Uint32Array, standing: Uint8Array): Outcome | undefined =>
    engine.resume(given(input), records, standing),
  usage: (input: CallInput, records: Uint32Array, flags: Uint8Array, host: Host): ContextUsage =>
    engine.usage(given(input), records, flags, host),
  requests: (input: CallInput, records: Uint32Array, flags: Uint8Array, plan: unknown, host: Host): Requested[] =>
    engine.requests(given(input), records, flags, plain(plan), host),
  commit: (
    input: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    plan: unknown,
    results: Answer[] | undefined,
    host: Host,
  ): Outcome => engine.commit(given(input), records, flags, plain(plan), plain(results), host),
  /** `from`, `count`: messages loaded for this call, which the host has behind those of the records. */
  recall: (
    input: CallInput,
    records: Uint32Array,
    flags: Uint8Array,
    asked: Pick<RecallCall<never>, "query" | "reference" | "maxTokens"> & {
      from: number;
      count: number;
      candidates: boolean;
      dimensions: number | undefined;
    },
    numbers: Int32Array,
    host: Host,
  ): Recalled & { candidates?: string[] } => engine.recall(given(input), records, flags, plain(asked), numbers, host),
  /** Asks and commits, round by round; see {@link Rounds}. */
  complete: (call: CallInput, records: Uint32Array, flags: Uint8Array, plan: Plan, rounds: Rounds): Promise<Outcome> =>
    engine.complete(given(call), records, flags, plain(plan), rounds),
  after_model: (options: unknown, state: unknown, usage: Reported, request: string | undefined): SessionState =>
    engine.after_model(plain(options), plain(state), plain(usage), request),
  keep_from: (state: unknown): { readonly index: number; readonly id: string | null } => engine.keep_from(plain(state)),
  check: (records: Uint32Array, strict: boolean): { rule: string; index: number; message: string }[] =>
    engine.check(records, strict),
};

export type Glue = typeof glue;

/** The members of a call that the engine is given. */
export type Given = { readonly [Name in (typeof PASSED)[number] | keyof typeof COMPACT]?: unknown };

/** One call, as plain data. */
export interface CallInput extends Given {
  /** The compactor's options, every function replaced by `true`. */
  readonly options: unknown;
  /** `contextWindow` for this call's model, whatever it is. */
  readonly window: unknown;
  /** The hash of the chat's name. */
  readonly chat?: string | undefined;
  /** Records of the system prompt, with other schemas of the request, and of the tools; null if none were given. */
  readonly system: Uint32Array | null;
  readonly tools: Uint32Array | null;
  /** Tools whose schema could not be read. */
  readonly uncountedTools: number;
  /** What the host gave as policies of the call: compared, and never sent. */
  readonly policies?: unknown;
  /** A function says what the policy of a tool is: of one that was never called before nothing is known yet. */
  readonly asksPolicies?: boolean | undefined;
  /** Whoever calls goes on asking as long as there is more to ask. */
  readonly asking?: boolean | undefined;
  readonly overflow?: Refusal | true | null;
  /** What the format reads as signed is never bound to what was sent before it, unless the model says otherwise. */
  readonly signsFreely?: true | undefined;
  /** Records of what is sent before all messages, where `system` and `tools` have more than that. */
  readonly before?: { readonly system: readonly number[] | null; readonly tools: readonly number[] | null } | undefined;
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
  /** Writes these messages to a reading, which it frees. */
  read(indices: Uint32Array, into: TapeReading): void;
  /** What was kept of the messages between two; undefined if nothing was, of no bytes if nothing will be. */
  index(from: number, to: number): Uint8Array | undefined;
  keepIndex(from: number, to: number, index: Uint8Array): void;
  summary(text: string, id: string, covers: number): Uint32Array;
  /** The message of a provider's own summary, if the format has one for it. */
  block(block: NativeBlock): Uint32Array | undefined;
  /** The copy of a message that an earlier call made under `key`, if it is still known. */
  remade(index: number, key: string): Uint32Array | undefined;
  replace(index: number, key: string, parts: Uint32Array, texts: string[]): Uint32Array;
  /** A message that answers a call of the message at `index`, if the format has one. */
  result(index: number, id: string, name: string, text: string): Uint32Array | undefined;
  /** One message of two, each as kind and number: `0, index` of the input, `1, number` of those made in this call. */
  merge(pair: Uint32Array): Uint32Array;
}

/** What the engine asks of TypeScript while a call waits for its summarizer. */
export interface Rounds {
  /** Who is asked in the next step. */
  host(): Host;
  /** Asks the summarizer. */
  ask(requests: Requested[]): PromiseLike<Answer[]>;
  /** A round is over, and another follows. */
  next(outcome: Outcome): void;
  /** Runs a step of the engine; throws what it traps with. */
  poll(step: () => void): void;
}

/** A request to a summarizer; the chats that come with it are places of messages, as {@link Outcome.view}. */
export interface Requested extends Omit<SummaryRequest<never>, "append"> {
  /** What it is to stand for. */
  readonly chat: Uint32Array;
  readonly append: Uint32Array;
}

/** What a summarizer said, or why it said nothing. */
export type Answer = { text: string; finish: string; usage?: unknown; block?: unknown } | { error: string };

/** Usage as a provider reported it, in tokens. */
export interface Reported {
  prompt: number | null;
  output: number | null;
  /** How much of the output is reasoning, if the provider reports it. */
  reasoning?: number | null;
  /** How much of the prompt was cached, where the report may leave that out of it. */
  cached?: number;
  /** Whether the figures are of more than one pass of a model. */
  aggregated?: true;
  /** Whether thinking was left out because something before it had changed. */
  mismatch?: boolean;
  /** Whether nothing could be read from what was given; undefined if nothing was. */
  unread?: boolean;
}

/** What was decided: it is done, or the plan waits for a summarizer. */
export type Begun = Outcome | { readonly plan: Plan; readonly open: boolean };

export interface Outcome {
  state: SessionState;
  report: Report;
  changed: boolean;
  /** Whether the request may be on either side of the trigger, so that an exact count decides. */
  readonly open: boolean;
  /** Triples: `0, from, to` for messages of the input, `1, index, 0` for one made in this call. */
  view: Uint32Array;
  next?: Plan | undefined;
  /** What the next call of this chat may rely on. */
  standing?: Uint8Array | undefined;
  /** The report of the next call that has nothing to do either, but for what {@link Again.report} says. */
  readonly template?: Report | undefined;
}

/** What comes of a short tape. */
export interface ShortTape {
  readonly records: Uint32Array;
  readonly again: Again | undefined;
}

/** What is different from the call before in one that has nothing to do. */
export interface Again {
  /** What its report says that the template does not. */
  readonly report: Pick<Report, "outcome" | "reason" | "before" | "after" | "replyRoom" | "saved" | "request">;
  /** The end of the history: how many messages, and the chain there. */
  readonly at: { readonly count: number; readonly chain: string };
  /** The hash of what is sent, where reasoning may be bound to it. */
  readonly sent: string | null;
  readonly standing: Uint8Array;
}
