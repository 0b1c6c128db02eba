import { enter } from "./boundary/engine.ts";
import {
  type Answer,
  type CallInput,
  members,
  type Outcome,
  type Reported,
  type Requested,
  type Begun as Step,
} from "./boundary/glue.ts";
import { complete, type Unfinished } from "./boundary/rounds.ts";
import { type CallHost, telling } from "./call-host.ts";
import { CallReader, type HeldCall, type More } from "./call-reader.ts";
import * as contract from "./contract.ts";
import { counted } from "./counting.ts";
import { isWorth, leaveStanding, measured, takeFastPath } from "./fast-path.ts";
import type { Format } from "./format.ts";
import { engine } from "./loaded.ts";
import { CALL, COMPACT, checkFormat, checkKind, checkMembers, OPTIONS, type Table, TEXT, wrong } from "./members.ts";
import { plainOptions } from "./options.ts";
import { type Look, recall } from "./recall.ts";
import { sliceOf } from "./slices.ts";
import { type Asked, answerOf, asking } from "./summarizer.ts";
import { showsMismatch } from "./transformations.ts";
import type {
  CompactionEvent,
  CompactNow,
  Compactor,
  CompactorOptions,
  ContextUsage,
  ModelCall,
  Prepared,
  RecallCall,
  Report,
  SessionState,
  SummaryRequest,
  Warning,
} from "./types.ts";
import { reportOf } from "./usage.ts";

/**
 * Makes a compactor for messages of one shape. Make one and keep it: it holds what was read of the chats it has seen.
 *
 * @throws PrecisError when an option is refused.
 */
export function createCompactor<M, Made = M>(options: CompactorOptions<M, Made>): Compactor<M, Made> {
  checkMembers(OPTIONS, options);
  const plain = plainOptions(options);
  const estimator = enter((glue) => glue.validate(plain));
  const { format, contextWindow, trigger, countTokens, summarize, summarizer, toolPolicy, onEvent, tune } = options;
  checkFormat(format);
  engine.createCompactor ??= createCompactor;
  const own = {
    format: format as unknown as Format<M>,
    contextWindow,
    trigger,
    countTokens,
    summarize,
    summarizer,
    toolPolicy,
    onEvent,
    tune,
  };
  return new HostCompactor(own, new CallReader(own, plain, estimator)).methods() as Compactor<M, unknown> as Compactor<
    M,
    Made
  >;
}

/** What a ranker said that was not asked. */
const NOTHING = /* @__PURE__ */ new Int32Array(0);

/** Options of `tune` that make a trigger lower. */
const UNLIMITED = { reserve: undefined, maxInputTokens: undefined, prices: undefined };

/** A call, and what the engine decided about it. */
interface Begun<Base, M extends Base> {
  readonly opened: HeldCall<Base, M>;
  readonly host: CallHost<Base, M>;
  readonly input: CallInput;
  readonly step: Step;
  /** What is to be known of how it was decided. */
  readonly warnings: readonly Warning[];
}

/** Events that report a compaction. */
type Tell = (event: CompactionEvent) => void;

class HostCompactor<Base> {
  private readonly tellAll: Tell;
  private readonly slice: number;

  constructor(
    private readonly options: CompactorOptions<Base>,
    private readonly reader: CallReader<Base>,
  ) {
    this.tellAll = telling(options.onEvent);
    this.slice = sliceOf(options.tune);
  }

  /** As users have it: members that may be taken off. */
  methods(): Compactor<Base> {
    const { reader } = this;
    return {
      beforeModel: (call) => this.decide(call, CALL),
      compact: (call) => this.decide(call, COMPACT, compactNow(call)),
      afterModel: (state, usage, request) => this.afterModel(state, usage, request),
      usage: (call) => this.usage(call),
      plan: (call) => {
        const opened = this.whole(call);
        return enter((glue) => glue.plan(opened.input, opened.records, opened.flags, reader.host(opened)));
      },
      requests: (call, plan) => {
        const opened = this.whole(call);
        const host = reader.host(opened);
        const all = enter((glue) => glue.requests(opened.input, opened.records, opened.flags, plan, host));
        return all.map((one) => askedOf(one, opened.given, host).request) as SummaryRequest<Base>[];
      },
      commit: (call, plan, results) => {
        const opened = this.whole(call);
        const host = reader.host(opened);
        const answers = answersOf(results);
        const { input, records, flags } = opened;
        return prepared(
          enter((glue) => glue.commit(input, records, flags, plan, answers, host)),
          host,
        );
      },
      recall: ((call: RecallCall<Base>) => recall(call, (call) => this.look(call))) as Compactor<Base>["recall"],
      keepFrom: (state) => enter((glue) => glue.keep_from(state)),
    };
  }

  private usage<M extends Base>(call: ModelCall<M>): ContextUsage {
    checkMembers(CALL, call);
    const { reader } = this;
    const short = reader.open(call);
    const flagged = call.pin !== undefined || call.isTyped !== undefined;
    const known = flagged ? undefined : measured(short.input, short.history);
    if (known) return known;
    const opened = reader.keep(short);
    const { input, records, flags } = opened;
    const usage = enter((glue) => glue.usage(input, records, flags, reader.host(opened)));
    if (!flagged && usage.untilCompaction > 0 && isWorth(input, opened.history, flags.length))
      this.leaveMeasured(opened);
    return usage;
  }

  /** What the next measurement goes on from: all but the newest message, which may be one that is being written. */
  private leaveMeasured<M extends Base>(opened: HeldCall<Base, M>): void {
    const { input, records, flags, history, entries } = opened;
    const count = flags.length - 1;
    const words = records.length - (entries[count]?.length ?? 0);
    const front = { ...opened, messages: opened.messages.slice(0, count) };
    const step = enter((glue) =>
      glue.begin(
        { ...input, asking: true },
        records.subarray(0, words),
        flags.subarray(0, count),
        this.reader.host(front),
      ),
    );
    const standing = "plan" in step ? undefined : step.standing;
    history.leaveMeasured(standing ? { standing, count, given: members(input) } : null);
  }

  /** A call that does without the fast path. */
  private whole<M extends Base>(call: ModelCall<M>): HeldCall<Base, M> {
    checkMembers(CALL, call);
    return this.reader.keep(this.reader.open(call));
  }

  /** A call to recall, read. */
  private look<M extends Base>(call: RecallCall<M>): Look<M> {
    const { query, reference, maxTokens } = call;
    const opened = this.reader.keep(this.reader.open<M>(call));
    const { input, records, flags, memory, entries } = opened;
    return (from, loaded, more) => {
      const read = memory.history(loaded).entries.slice(0, loaded.length);
      const host = this.reader.host({ ...opened, entries: [...entries, ...read] });
      const said = typeof more === "object" ? more : undefined;
      const asked = { query, reference, maxTokens, from, count: loaded.length, dimensions: said?.dimensions };
      const all = { ...asked, candidates: more === "candidates" };
      return enter((glue) => glue.recall(input, records, flags, all, said?.numbers ?? NOTHING, host));
    };
  }

  private afterModel(state: unknown, usage: unknown, request: unknown): SessionState {
    if (request !== undefined && request !== null) checkKind(TEXT, request, "invalid-call", "request");
    return this.learned(state, { ...reportOf(usage), mismatch: showsMismatch(usage) }, request as string | undefined);
  }

  private learned(state: unknown, reported: Reported, request: string | undefined): SessionState {
    return enter((glue) => glue.after_model(this.reader.plain, state, reported, request));
  }

  private async decide<M extends Base>(call: ModelCall<M>, known: Table, more?: More): Promise<Prepared<M>> {
    checkMembers(known, call);
    call?.signal?.throwIfAborted();
    const ahead = this.slice > 0 ? this.reader.ahead(call, this.slice) : null;
    return this.decideNow(ahead ? await ahead : call, more);
  }

  private async decideNow<M extends Base>(call: ModelCall<M>, more?: More): Promise<Prepared<M>> {
    const asksMore = more ?? (call?.pin || call?.isTyped ? {} : null);
    const short = this.reader.open(call, asksMore);
    const rested = asksMore ? undefined : takeFastPath(short.input, short.messages, short.history);
    if (rested) return rested;
    const tell = this.tellingOf(call);
    const first = this.begun(this.reader.keep(short));
    const { opened, host, input, step, warnings } = await this.certain(first, more);
    if ("plan" in step) return this.summarized(opened, { ...opened, input, plan: step.plan }, tell, warnings);
    const { standing } = step;
    const report = warned(step.report, warnings);
    if (report.firstChanged !== null || report.changes.length > 0) {
      tell({ type: "start", id: report.request, reason: report.reason, before: report.before });
      tell({ type: "done", id: report.request, report });
    }
    const done = prepared({ ...step, report }, host);
    const count = opened.messages.length;
    const sent = { view: done.view.slice(), places: step.view, placed: count };
    const outcome = { ...step, state: done.state, report: done.report };
    opened.history.leave(standing ? leaveStanding(standing, count, sent, opened.input, outcome) : null);
    return done;
  }

  /** A call decided, as far as that needs no summarizer. */
  private begun<M extends Base>(opened: HeldCall<Base, M>): Begun<Base, M> {
    const host = this.reader.host(opened);
    const input = { ...opened.input, asking: true };
    const step = enter((glue) => glue.begin(input, opened.records, opened.flags, host));
    return { opened, host, input, step, warnings: [] };
  }

  /** The same; where the estimate leaves open whether the request fits, after the host has counted it. */
  private async certain<M extends Base>(first: Begun<Base, M>, more?: More): Promise<Begun<Base, M>> {
    const { countTokens, tune } = this.options;
    const { opened, step } = first;
    const { given } = opened;
    const report = "plan" in step ? step.plan.report : step.report;
    if (!countTokens || more || tune?.preset || given.threshold || given.overflow || report.rung === "pass")
      return first;
    if (!step.open) return first;
    const whole = this.uncompacted(opened);
    if (whole?.report.rung !== "pass") return first;
    const count = await counted(countTokens, whole.view, given as ModelCall<M>);
    if ("warning" in count) return { ...first, warnings: [count.warning] };
    const { learned } = (given.state ?? {}) as { learned?: unknown };
    const state = this.learned(whole.state, { prompt: count.tokens, output: null }, whole.report.request);
    return this.begun({ ...opened, input: { ...opened.input, state: learned ? { ...state, learned } : state } });
  }

  /** What would be sent if the window were as large as it had to be. */
  private uncompacted<M extends Base>(opened: HeldCall<Base, M>): Prepared<M> | null {
    const { options, state, window } = opened.input;
    const { tune, ...free } = options as { readonly tune?: object };
    const input = {
      ...opened.input,
      options: { ...free, trigger: undefined, tune: { ...tune, ...UNLIMITED } },
      state: state ? { ...state, learned: undefined } : state,
      window: (window as number) * 4,
      trigger: undefined,
      asking: true,
    };
    const host = this.reader.host(opened);
    const step = enter((glue) => glue.begin(input, opened.records, opened.flags, host));
    return "plan" in step ? null : prepared(step, host);
  }

  /** Has the summarizer asked what a plan asks for, and what comes of it committed. */
  private async summarized<M extends Base>(
    opened: HeldCall<Base, M>,
    unfinished: Unfinished,
    tell: Tell,
    warnings: readonly Warning[],
  ): Promise<Prepared<M>> {
    const { summarize, summarizer } = this.options;
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
    const { signal } = opened.given;
    let host = this.reader.host(opened);
    const ask = asking({ summarize, timeoutMs: summarizer?.timeoutMs, signal, progress, answered });
    const outcome = await complete(unfinished, {
      host: () => {
        host = this.reader.host(opened);
        return host;
      },
      ask: (requests) => ask(requests.map((one) => askedOf(one, opened.given, host))),
      next({ report, next }) {
        total = next?.total ?? total;
        const goesOn = next?.requests.some(({ kind }) => kind === "chunk" || kind === "merge");
        if (!goesOn) tell({ type: "retry", id, reason: report.summarizer.failed ?? next?.report.reason ?? "", before });
      },
    });
    const report = warned(outcome.report, warnings);
    if (report.summarizer.failed !== null) tell({ type: "fallback", id, reason: report.summarizer.failed, before });
    tell({ type: "done", id, report });
    return prepared({ ...outcome, report }, host);
  }

  /** Tells the compactor's listener, and that of the call. */
  private tellingOf(call: { readonly onEvent?: Tell | undefined } | undefined): Tell {
    const tellCaller = telling(call?.onEvent);
    return (event) => {
      this.tellAll(event);
      tellCaller(event);
    };
  }
}

/** What a compaction by hand asks for besides. */
function compactNow(call: CompactNow): More {
  const more: Record<string, unknown> = { compact: true };
  for (const name in contract.COMPACT) more[name] = call?.[name as keyof CompactNow];
  return more;
}

/** A request as the summarizer gets it, with the chats that come with it. */
function askedOf<Base, M extends Base>(
  { chat, append, ...request }: Requested,
  { system, tools, model }: Partial<ModelCall<M>>,
  host: CallHost<Base, M>,
): Asked {
  const whole = (places: Uint32Array) =>
    places.length > 0 ? { messages: host.view({ view: places }), system, tools, model } : undefined;
  const appended = whole(append);
  return { request: appended ? { ...request, append: appended } : request, chat: whole(chat) };
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

function warned(report: Report, warnings: readonly Warning[]): Report {
  return warnings.length > 0 ? { ...report, warnings: [...report.warnings, ...warnings] } : report;
}

function prepared<Base, M extends Base>(outcome: Outcome, host: CallHost<Base, M>): Prepared<M> {
  const { state, changed, report, next } = outcome;
  return { view: host.view(outcome), state, changed, report, ...(next ? { next } : {}) };
}
