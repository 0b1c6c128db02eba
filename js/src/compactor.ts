import { enter } from "./boundary/engine.ts";
import { type Again, type Answer, type CallInput, members, type Outcome, STATE } from "./boundary/glue.ts";
import { complete, type Unfinished } from "./boundary/rounds.ts";
import { type Entry, type History, Memory, NOWHERE, type Rest } from "./cache/read.ts";
import { FixedMemory } from "./cache/system-and-tools.ts";
import { CallHost, telling } from "./call-host.ts";
import { CALL, COMPACT, checkFormat, checkKind, checkMembers, OPTIONS, type Table, TEXT, wrong } from "./members.ts";
import { plainOptions, refusalOf } from "./options.ts";
import { wrongFormat } from "./shapes.ts";
import { answerOf, asking } from "./summarizer.ts";
import type { CompactionEvent, Compactor, CompactorOptions, ModelCall, Prepared, SessionState } from "./types.ts";
import { readUsage } from "./usage.ts";

/** What a call may ask for beside what its messages need. */
type More = Pick<CallInput, "compact" | "focus" | "keep">;

/** Not left alone yet. */
type Filled<T> = { -readonly [Name in keyof T]: T[Name] };

/** A call that was read: what the engine is given of it. */
interface Opened<Base, M extends Base> {
  readonly input: CallInput;
  readonly messages: readonly M[];
  readonly memory: Memory<Base>;
  readonly history: History;
  readonly given: Partial<ModelCall<M>>;
}

/** All of it, where the short way is none. */
interface Kept<Base, M extends Base> extends Opened<Base, M> {
  readonly entries: readonly Entry[];
  readonly records: Uint32Array;
  readonly flags: Uint8Array;
}

/** What reads messages, and what reads prompts and tools, for one estimator. */
interface Reader<Base> {
  readonly memory: Memory<Base>;
  readonly fixed: FixedMemory;
}

/** Ids of models whose reader is remembered. */
const MOST_MODELS = 64;

/**
 * Makes a compactor for messages of one shape. Make one and keep it: it holds what was read of the chats it has seen.
 *
 * @throws PrecisError when an option is refused.
 */
export function createCompactor<Base>(options: CompactorOptions<Base>): Compactor<Base> {
  checkMembers(OPTIONS, options);
  const plain = plainOptions(options);
  const first = enter((glue) => glue.validate(plain));
  const { format, contextWindow, summarize, summarizer, onEvent, tune } = options;
  checkFormat(format);
  const own = tune?.tokens?.estimator;
  const counter = typeof own === "function" ? own : null;
  const readers = new Map<string, Reader<Base>>();
  const models = new Map<string | undefined, Reader<Base>>([[undefined, reader(first)]]);
  const tellAll = telling(onEvent);

  /** What reads and remembers for one estimator. */
  function reader(estimator: string): Reader<Base> {
    let found = readers.get(estimator);
    if (!found) {
      found = { memory: new Memory(format, estimator, counter), fixed: new FixedMemory(estimator, counter) };
      readers.set(estimator, found);
    }
    return found;
  }

  /** Models of one tokenizer family share a reader. */
  function readerFor(model: string | undefined): Reader<Base> {
    let found = models.get(model);
    if (!found) {
      found = reader(typeof model === "string" ? enter((glue) => glue.validate(plain, model)) : first);
      if (models.size >= MOST_MODELS) models.clear();
      models.set(model, found);
    }
    return found;
  }

  /** `more`: what is asked for besides; null if nothing is, and the short way may be taken. */
  function open<M extends Base>(call: ModelCall<M>, more: More | null = {}): Opened<Base, M> {
    const given: Partial<ModelCall<M>> = call ?? {};
    const { memory, fixed } = readerFor(given.model);
    const system = fixed.system(given.system);
    const tools = fixed.tools(given.tools);
    const { state, offset, model, maxOutputTokens, todos, mustKeep, threshold, inFlight } = given;
    const input: Filled<CallInput> = {
      options: plain,
      window: typeof contextWindow === "function" ? contextWindow(model) : contextWindow,
      state,
      offset,
      model,
      maxOutputTokens,
      todos,
      mustKeep,
      threshold,
      inFlight,
      overflow: refusalOf(given.overflow),
      system: system?.record ?? null,
      tools: tools?.record ?? null,
      uncountedTools: tools?.uncounted ?? 0,
      unreadable: NOWHERE,
      counterFailed: system?.guessed || tools?.guessed ? true : undefined,
      ids: undefined,
      strict: format.alternation === "strict" && format.merge ? true : undefined,
      opensWithUser: format.opening === "user" ? true : undefined,
      continues: format.continues ? true : undefined,
      takesEmpty: format.takesEmpty ? true : undefined,
      leavesOut: format.without ? true : undefined,
      compact: more?.compact,
      focus: more?.focus,
      keep: more?.keep,
      asking: undefined,
    };
    const history = memory.history(given.messages, more || format.id ? undefined : (rest) => isSameCall(rest, input));
    const messages = given.messages as readonly M[];
    if (history.misread * 2 > messages.length) throw wrongFormat(messages, history.misread, format.name);
    input.unreadable = history.unreadable;
    if (history.guessed) input.counterFailed = true;
    if (format.id) input.ids = messages.map((message) => format.id?.(message) ?? null);
    return { input, messages, memory, history, given };
  }

  function hostOf<M extends Base>({ messages, memory, history, entries }: Kept<Base, M>): CallHost<Base, M> {
    return new CallHost(format, memory, messages, entries, history.made);
  }

  /** A call that does without the short way. */
  function whole<M extends Base>(call: ModelCall<M>): Kept<Base, M> {
    checkMembers(CALL, call);
    return kept(open(call));
  }

  async function decide<M extends Base>(call: ModelCall<M>, known: Table, more?: More): Promise<Prepared<M>> {
    checkMembers(known, call);
    const signal = call?.signal;
    signal?.throwIfAborted();
    const asksMore = more ?? (call?.pin || call?.isTyped ? {} : null);
    const short = open(call, asksMore);
    const rested = asksMore ? undefined : resumed(short);
    if (rested) return rested;
    const tellCaller = telling(call?.onEvent);
    const tell = (event: CompactionEvent) => {
      tellAll(event);
      tellCaller(event);
    };
    // While this one waits, the host may add messages, and another call may read more of this chat.
    const opened = kept(short);
    const host = hostOf(opened);
    const input: CallInput = { ...opened.input, asking: true };
    const step = enter((glue) => glue.begin(input, opened.records, opened.flags, host));
    if ("plan" in step) return summarized(opened, { ...opened, input, plan: step.plan }, tell, signal);
    const { report, standing } = step;
    if (report.firstChanged !== null) {
      tell({ type: "start", id: report.request, reason: report.reason, before: report.before });
      tell({ type: "done", id: report.request, report });
    }
    const done = prepared(step, host);
    const count = opened.messages.length;
    opened.history.leave(standing ? left(standing, count, done.view.slice(), opened.input, step) : null);
    return done;
  }

  /** Has the summarizer asked what a plan asks for, and what comes of it committed. */
  async function summarized<M extends Base>(
    opened: Kept<Base, M>,
    unfinished: Unfinished,
    tell: (event: CompactionEvent) => void,
    signal: AbortSignal | undefined,
  ): Promise<Prepared<M>> {
    const { plan } = unfinished;
    const id = plan.requests[0]?.id ?? "";
    const { reason, before } = plan.report;
    tell({ type: "start", id, reason, before });
    let [done, total] = [0, plan.total];
    const inPieces = (total ?? 1) > 1;
    const progress = (text: string) => tell({ type: "progress", id, text, done, total: total ?? done + 1, before });
    const answered = () => {
      done += 1;
      if (inPieces) progress("");
    };
    let host = hostOf(opened);
    const outcome = await complete(unfinished, {
      host() {
        host = hostOf(opened);
        return host;
      },
      ask: asking({ summarize, timeoutMs: summarizer?.timeoutMs, signal, progress, answered }),
      next({ report, next }) {
        total = next?.total ?? total;
        const goesOn = next?.requests.some(({ kind }) => kind === "chunk" || kind === "merge");
        if (!goesOn) tell({ type: "retry", id, reason: report.summarizer.failed ?? next?.report.reason ?? "", before });
      },
    });
    const { report } = outcome;
    if (report.summarizer.failed !== null) tell({ type: "fallback", id, reason: report.summarizer.failed, before });
    tell({ type: "done", id, report });
    return prepared(outcome, host);
  }

  return {
    beforeModel: (call) => decide(call, CALL),
    compact: (call) => decide(call, COMPACT, { compact: true, focus: call?.focus, keep: call?.keep }),
    afterModel(state, usage, request) {
      checkRequest(request);
      const reported = readUsage(usage) ?? { prompt: null, output: null };
      return enter((glue) => glue.after_model(plain, state, reported, request));
    },
    usage(call) {
      const opened = whole(call);
      return enter((glue) => glue.usage(opened.input, opened.records, opened.flags, hostOf(opened)));
    },
    plan(call) {
      const opened = whole(call);
      return enter((glue) => glue.plan(opened.input, opened.records, opened.flags, hostOf(opened)));
    },
    requests(call, plan) {
      const opened = whole(call);
      return enter((glue) => glue.requests(opened.input, opened.records, opened.flags, plan, hostOf(opened)));
    },
    commit(call, plan, results) {
      const opened = whole(call);
      const host = hostOf(opened);
      const answers = answersOf(results);
      return prepared(
        enter((glue) => glue.commit(opened.input, opened.records, opened.flags, plan, answers, host)),
        host,
      );
    },
    keepFrom: (state) => enter((glue) => glue.keep_from(state)),
  };
}

/** The answers that `commit` was given; nothing where the digest is to be made. */
function answersOf(results: unknown): Answer[] | undefined {
  if (results === undefined || results === null) return undefined;
  if (!Array.isArray(results)) {
    throw wrong(
      "invalid-call",
      "results",
      "an array with one answer for each of the plan's requests, in their order",
      results,
    );
  }
  return Array.from(results, answerOf);
}

/** The id of a request, if it is one. */
function checkRequest(request: unknown): void {
  if (request !== undefined && request !== null) checkKind(TEXT, request, "invalid-call", "request");
}

/** The short way: what the last call of this chat left, and the messages that were added since. */
function resumed<Base, M extends Base>({ input, messages, history }: Opened<Base, M>): Prepared<M> | undefined {
  const { rest, again } = history;
  if (!rest) return undefined;
  const outcome = again
    ? againAs(rest, again)
    : enter((glue) => glue.resume(input, history.records(rest.count), rest.standing));
  if (!outcome) return undefined;
  const { state, changed, report, standing } = outcome;
  const view = rest.view as M[];
  for (let i = rest.count; i < messages.length; i++) view.push(messages[i] as M);
  history.leave(standing ? left(standing, messages.length, view, input, outcome) : null);
  return { view: view.slice(), state, changed, report };
}

/** What a call leaves. The host may change what it was given: only the state's own members are looked at again. */
function left(standing: Uint8Array, count: number, view: unknown[], input: CallInput, outcome: Outcome): Rest {
  const { state, changed, report } = outcome;
  const given = members(input);
  given[STATE] = state;
  return { standing, count, view, given, state, changed, keepFrom: report.keepFrom, stamp: Object.values(state) };
}

/** Where the view is the one before, with the new messages. */
const NO_VIEW = /* @__PURE__ */ new Uint32Array(0);

/** Whether a call is given what the last one was given, and the state that this one answered. */
function isSameCall({ given, state, stamp }: Rest, input: CallInput): boolean {
  const now = members(input);
  for (let i = 0; i < now.length; i++) if (now[i] !== given[i]) return false;
  let at = 0;
  for (const name in state) if (state[name as keyof SessionState] !== stamp[at++]) return false;
  return at === stamp.length && "pending" in state;
}

/** The outcome before, with what adding messages makes different. */
function againAs(rest: Rest, { outcome, usage, replyRoom, request, reason, at, standing }: Again): Outcome {
  const { state, changed, keepFrom } = rest;
  const { pending } = state as { pending?: object };
  const next = { ...state, pending: { ...pending, request, raw: usage.raw, at } };
  return {
    state: next,
    report: {
      outcome,
      rung: "pass",
      reason,
      before: usage,
      after: { ...usage, parts: { ...usage.parts } },
      replyRoom,
      firstChanged: null,
      keepFrom,
      request,
      summarizer: { calls: 0, failed: null, usage: null },
      diverged: null,
      warnings: [],
    },
    changed,
    view: NO_VIEW,
    standing,
  };
}

function prepared<Base, M extends Base>(outcome: Outcome, host: CallHost<Base, M>): Prepared<M> {
  const { state, changed, report, next } = outcome;
  return { view: host.view(outcome), state, changed, report, ...(next ? { next } : {}) };
}

const PINNED = 1;
const TYPED_IS_KNOWN = 2;
const TYPED = 4;

/** The same, out of reach of others. */
function kept<Base, M extends Base>(opened: Opened<Base, M>): Kept<Base, M> {
  const { history } = opened;
  const { length } = opened.messages;
  return {
    ...opened,
    messages: opened.messages.slice(),
    entries: history.entries.slice(0, length),
    records: history.records().slice(),
    flags: flagsOf(opened),
  };
}

function flagsOf<Base, M extends Base>({ messages, given: { pin, isTyped } }: Opened<Base, M>): Uint8Array {
  const flags = new Uint8Array(messages.length);
  if (!pin && !isTyped) return flags;
  messages.forEach((message, index) => {
    const pinned = pin?.(message, index) ? PINNED : 0;
    const typed = isTyped ? TYPED_IS_KNOWN | (isTyped(message, index) ? TYPED : 0) : 0;
    flags[index] = pinned | typed;
  });
  return flags;
}
