import {
  type Compactor,
  type CompactorOptions,
  type ContextUsage,
  input,
  type ModelCall,
  PrecisError,
  type Prepared,
  type Report,
  type SessionState,
} from "precis";
import type { CompactNextOptions } from "./compact-tool.ts";
import { checkStateOf, checkStep, objectOf } from "./given.ts";
import { asksForCompaction, showsCompaction } from "./provider.ts";
import { lowered } from "./reply-limit.ts";
import { type ProviderRequest, retrying } from "./retry.ts";
import { Revisions } from "./revisions.ts";
import { goesOnFrom, isOfChat, isSame, type Message, modelOf, replyOf, sourcesOf } from "./steps.ts";
import { StateSlot, storeKey } from "./store.ts";
import { bindingOptions, transformed } from "./thinking.ts";
import { coveredBy, type Summaries, Telling } from "./told.ts";
import type {
  CompactionOptions,
  Prepared as PreparedStep,
  PrepareStep,
  Run,
  RunOptions,
  StepOptions,
} from "./types.ts";

type Step = { readonly usage?: unknown };

/** What a run says about compactions in place of its compactor. */
function overridesOf(run: RunOptions): Pick<RunOptions, (typeof input.OVERRIDES)[number]> {
  return Object.fromEntries(input.OVERRIDES.map((name) => [name, run[name]]));
}

/** What all calls of one `compaction` have in common: nothing of any chat. */
export interface Shared extends Pick<CompactionOptions, "agent" | "store" | "providerOptions" | "onReport" | "scope"> {
  readonly compactor: Compactor<Message>;
  /** The same for prompts, as a provider is given them. */
  readonly prompts: () => Compactor<Message>;
  readonly options: Omit<CompactorOptions<never>, "format">;
  /** What the summaries that the compactor has made stand for. */
  readonly summaries: Summaries;
}

export type Call = ModelCall<Message>;
/** One of the compactor's ways to decide. */
type Decide = (call: Call) => Promise<Prepared<Message>>;

/** What was last prepared for one call of the SDK. */
interface Sent {
  /** Its messages, whole and raw. */
  readonly history: readonly Message[];
  /** What was sent of them: version 7 hands it back, with what the step added. */
  readonly view: readonly Message[];
  readonly call: Call;
}

/** A call of the SDK whose newest step is not finished. */
interface Open {
  /** Its `steps` array. */
  readonly steps: object;
  /** The messages it began with. */
  readonly began: readonly Message[];
}

/** Reports of one run, the newest: an agent may go on for days. */
const MOST_REPORTS = 1_000;

/** Attempts to write a state before others' writes are left alone. */
export const MOST_ATTEMPTS = 3;

/** One call of generateText or streamText, from its first step to what comes after the answer. */
export class Session {
  readonly reports: Report[] = [];
  protected current: SessionState | null = null;
  protected readonly place: StateSlot | null = null;
  /** Resolves when the state is there; null until somebody asked for it. */
  protected loaded: Promise<void> | null = null;
  /** By the SDK's `steps` array: one run may serve one call after another. */
  protected readonly sent = new WeakMap<object, Sent>();
  protected last: Sent | null = null;
  /** What the last step answered. */
  protected reply: readonly Message[] = [];
  /** The request whose usage is not learned yet. */
  protected request: string | null = null;
  protected meter: ContextUsage | null = null;
  /** What the provider said when it refused the last request. */
  protected refusal: unknown;
  protected compactsItself: boolean;
  protected open: Open | null = null;
  protected readonly earlier = new Revisions();
  protected readonly telling: Telling;
  /** What changes the state goes one by one. */
  protected queue: Promise<unknown> = Promise.resolve();
  /** The model has the tool `recall`. */
  protected recalls = false;
  /** The next step is to compact. */
  protected wish: Pick<CompactNextOptions, "focus" | "focusBy" | "keep"> | null = null;
  /** How full the context was after the last compaction of this run. */
  protected compacted: ContextUsage | null = null;

  constructor(
    protected readonly shared: Shared,
    protected readonly run: RunOptions,
  ) {
    const { agent, store, compactor } = shared;
    this.telling = new Telling(run.onEvent);
    if (run.state !== undefined) this.current = run.state;
    const { chat } = run;
    if (store && chat)
      this.place = new StateSlot(store, storeKey(agent ?? "main", chat), (state) => {
        compactor.keepFrom(state);
        checkStateOf(state, chat);
      });
    this.compactsItself = asksForCompaction(run.providerOptions ?? shared.providerOptions);
  }

  get state(): SessionState | null {
    return this.current;
  }

  get usage(): ContextUsage | null {
    if (!this.last) return null;
    this.meter ??= this.shared.compactor.usage(this.after(this.last));
    return this.meter;
  }

  readonly prepareStep: PrepareStep = async <M extends Message>(step: StepOptions<M>) => {
    checkStep(step);
    this.enter(step);
    return this.alone(() => this.step(step));
  };

  readonly onStepEnd = (step: Step): void => {
    objectOf(step, "step", "the step that the AI SDK has finished");
    this.open = null;
    this.learn(step);
    this.reply = replyOf(step);
    this.meter = null;
    if (this.current) void this.place?.save(this.current);
  };

  readonly onStepFinish = this.onStepEnd;

  model<T>(model: T): T {
    return retrying(model, (request, error) => this.shorter(model, request, error));
  }

  offerRecall(): void {
    this.recalls = true;
  }

  recalled(): ReturnType<Run["recalled"]> {
    const messages = this.last ? [...this.last.history, ...this.reply] : [];
    const { offset, load, pin, isTyped } = this.run;
    const named = this.run.chat || undefined;
    const chat = {
      compactor: this.shared.compactor,
      messages,
      state: this.current,
      chat: named,
      model: this.last?.call.model,
    };
    return { ...chat, offset, load, pin, isTyped };
  }

  async ahead(): Promise<SessionState | null> {
    return this.alone(async () => {
      const { last, current } = this;
      try {
        if (last && current && (this.shared.options.summarize || this.refusal !== undefined) && !this.compactsItself)
          await this.summarizeAhead(last);
      } catch {
        this.current = current;
      }
      await this.place?.settled();
      return this.current;
    });
  }

  /** One step, after what was asked of this run before. */
  protected async step<M extends Message>(step: StepOptions<M>): Promise<PreparedStep<M> | undefined> {
    await this.ready();
    const finished = step.steps.at(-1);
    if (finished) this.learn(finished);
    const history = this.historyOf(step);
    const call = this.callOf(step, history);
    if (this.compactsItself) {
      this.tell(this.leftAlone(call));
      this.keep(step, { history, view: step.messages, call });
      return undefined;
    }
    const { wish } = this;
    this.wish = null;
    const { view, state, report } = await this.prepare(
      call,
      finished !== undefined,
      wish ? this.asWished(wish) : undefined,
    );
    this.adopt(state);
    this.request = report.request;
    this.refusal = undefined;
    if (wish || report.changes.length > 0) this.compacted = report.after;
    this.tell(report);
    this.keep(step, { history, view, call });
    const messages = isSame(view, step.messages) ? {} : { messages: view as M[] };
    const answer = {
      ...messages,
      ...lowered(report, call.maxOutputTokens ?? this.shared.options.maxOutputTokens),
      ...bindingOptions(report, step.model, this.run.providerOptions ?? this.shared.providerOptions),
    };
    return Object.keys(answer).length > 0 ? answer : undefined;
  }

  /** A task is done, perhaps in the middle of a turn: nothing but the newest step has to stay. */
  protected asWished({ focus, focusBy, keep }: Pick<CompactNextOptions, "focus" | "focusBy" | "keep">): Decide {
    return (call) => this.shared.compactor.compact({ ...call, focus, focusBy, keep: keep ?? NEWEST_STEP });
  }

  /** Runs what was asked of this run one by one. */
  protected alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => {});
    return done;
  }

  protected adopt(state: SessionState | null): void {
    this.current = state;
    if (state) this.earlier.add(state);
  }

  /** When the state is loaded. */
  protected ready(): Promise<void> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  /** A refused request made shorter: by its prompt, because the SDK has left the messages behind. */
  protected async shorter(model: unknown, request: ProviderRequest, error: unknown): Promise<ProviderRequest | null> {
    const { prompt, tools, responseFormat, maxOutputTokens, abortSignal } = request;
    const { mustKeep, todos, toolPolicy, keep, prefer } = this.run;
    const telling = new Telling(this.run.onEvent);
    const call: Call = {
      ...{
        messages: prompt,
        tools,
        schemas: responseFormat?.schema,
        maxOutputTokens,
        mustKeep,
        todos,
        toolPolicy,
        keep,
        prefer,
      },
      ...{ model: modelOf(model), signal: abortSignal, overflow: error, ...this.flagsOf(prompt) },
      onEvent: telling.listen(),
    };
    const { view, report, state } = await this.shared.prompts().beforeModel(call);
    telling.finish(state, null);
    if (report.outcome === "infeasible" || report.warnings.some(({ code }) => code === "not-an-overflow")) return null;
    const same = isSame(view, prompt);
    // Where thinking was refused, a shorter reply is no answer.
    if (same && report.thinking?.source === "learned") return null;
    const most = maxOutputTokens ?? this.shared.options.maxOutputTokens;
    const limit = same && report.replyRoom > 0 ? { maxOutputTokens: report.replyRoom } : lowered(report, most);
    if (same && !(report.replyRoom < (maxOutputTokens ?? Number.POSITIVE_INFINITY))) return null;
    this.refusal = error;
    // What is reported now is of another request than the one that was prepared.
    this.request = null;
    return { ...request, prompt: view, ...limit };
  }

  protected async summarizeAhead(last: Sent): Promise<void> {
    const { compactor } = this.shared;
    const { refusal: overflow } = this;
    const call: Call = { ...this.after(last), threshold: "soft", overflow, signal: undefined };
    if (overflow === undefined && compactor.plan(call).requests.length === 0) return;
    const { state, report, view } = await compactor.beforeModel({ ...call, onEvent: this.telling.listen() });
    this.telling.finish(state, this.covered(view, call));
    if (overflow === undefined && (report.summarizer.failed !== null || report.rung !== "summarize")) return;
    this.refusal = undefined;
    this.meter = null;
    this.compacted = report.after;
    // Whoever wrote meanwhile knows a longer chat.
    if ((await this.place?.save(state)) === "conflict") this.adopt((await this.place?.load()) ?? state);
    else this.adopt(state);
    this.tell(report);
  }

  /**
   * Usage is reported for a run, not for a call, so a run has one unfinished step at most. A call that failed never says
   * so: whoever asks the same again, or goes on from there, is no second call.
   */
  protected enter<M extends Message>({ steps, messages }: StepOptions<M>): void {
    const { open } = this;
    if (open && open.steps !== steps && !goesOnFrom(open.began, messages))
      throw new PrecisError(
        "run-in-use",
        "prepareStep",
        "This run is in the middle of another call, and their usage would be mixed up. Create one run for each call (`run({ … })`).",
      );
    const isNew = this.last !== null && this.sent.get(steps) === undefined;
    if (isNew && (this.current?.revision ?? 0) > 0 && !isOfChat(messages, this.last?.history ?? []))
      throw new PrecisError(
        "other-chat",
        "prepareStep",
        "This run has compacted another chat, none of whose messages are in this call. Create a run for each chat (`run({ chat })`).",
      );
    this.open = open?.steps === steps ? open : { steps, began: messages };
  }

  /** The state a store has, if the program has not given its own. */
  protected async load(): Promise<void> {
    if (this.place && this.run.state === undefined) this.current = await this.place.load();
    else if (this.place && this.run.state) this.place.assume(this.run.state);
    this.adopt(this.current);
  }

  /**
   * Decides, and stores what was decided before it is sent. Where somebody else has stored something meanwhile, it is
   * decided again from that.
   */
  protected async prepare(
    call: Call,
    hasLearned: boolean,
    decide: Decide = (call) => this.shared.compactor.beforeModel(call),
  ): Promise<Prepared<Message>> {
    const { place, telling } = this;
    if (place?.isOutdated) this.adopt(await place.load());
    for (let attempt = 1; ; attempt++) {
      const prepared = await decide({ ...call, state: this.current, onEvent: telling.listen() });
      telling.finish(prepared.state, this.covered(prepared.view, call));
      if (!place) return prepared;
      if (!place.isNews(prepared.state)) {
        // What was learned of the provider's tokens is worth storing, but nothing an answer should wait for.
        if (hasLearned) void place.save(prepared.state);
        return prepared;
      }
      if ((await place.save(prepared.state)) !== "conflict" || attempt === MOST_ATTEMPTS) return prepared;
      this.adopt(await place.load());
    }
  }

  /** The report of a call for a chat that the provider compacts. */
  protected leftAlone(call: Call): Report {
    return this.shared.compactor.plan({ ...call, providerCompacts: true }).report;
  }

  protected callOf<M extends Message>(step: StepOptions<M>, history: readonly Message[]): Call {
    const { experimental_steeringMessages: steering } = step as { experimental_steeringMessages?: readonly unknown[] };
    const own = this.own();
    const { pin } = own;
    return {
      ...own,
      messages: history,
      state: this.current,
      model: modelOf(step.model),
      system: step.instructions ?? own.system,
      overflow: this.refusal,
      // The SDK must find them in what is sent as they are, or they count as not delivered.
      ...(steering?.length
        ? { pin: (message: Message, index: number) => steering.includes(message) || pin?.(message, index) === true }
        : {}),
    };
  }

  /** Of a call what the run was given. */
  protected own(): Omit<Call, "messages"> {
    const { system, tools, schemas, mustKeep, maxOutputTokens, signal, offset, todos, pin, isTyped } = this.run;
    const recall = this.run.recall ?? (this.recalls || undefined);
    return {
      // An empty name is none.
      chat: this.run.chat || undefined,
      ...{ system, tools, schemas, mustKeep, maxOutputTokens, signal, offset, todos, recall },
      ...overridesOf(this.run),
      ...(pin ? { pin } : {}),
      ...(isTyped ? { isTyped } : {}),
    };
  }

  /** What the host says of messages, for the prompt that the SDK has made of them. */
  protected flagsOf(prompt: readonly Message[]): Pick<Call, "pin" | "isTyped"> {
    const { last } = this;
    const { pin, isTyped } = last?.call ?? {};
    if (!last || (!pin && !isTyped)) return {};
    const sources = sourcesOf(prompt, last.view);
    const asked = (flag: NonNullable<Call["pin"]>) => (message: Message, index: number) => {
      if (!sources) return flag(message, index);
      // Summaries are none of the host's messages.
      const own = (sources.get(message) ?? []).filter((source) => last.history.includes(source));
      return own.some((source) => flag(source, last.history.indexOf(source)));
    };
    return { ...(pin ? { pin: asked(pin) } : {}), ...(isTyped ? { isTyped: asked(isTyped) } : {}) };
  }

  protected covered(view: readonly Message[], { messages }: Call): ReturnType<typeof coveredBy> {
    return coveredBy(view, messages, this.shared.summaries, this.run.offset);
  }

  /** The whole history behind the messages of a step. */
  protected historyOf<M extends Message>({ steps, messages }: StepOptions<M>): readonly Message[] {
    const sent = this.sent.get(steps);
    if (!sent || sent.view.length > messages.length || !isSame(sent.view, messages.slice(0, sent.view.length)))
      return messages;
    return [...sent.history, ...messages.slice(sent.view.length)];
  }

  protected keep({ steps }: { readonly steps: object }, sent: Sent): void {
    this.sent.set(steps, sent);
    this.last = sent;
    this.reply = [];
    this.meter = null;
  }

  protected learn(step: Step): void {
    this.compactsItself ||= showsCompaction(step);
    const last = this.reports.at(-1);
    if (last) this.reports[this.reports.length - 1] = transformed(last, step);
    if (this.current && this.request !== null)
      this.current = this.shared.compactor.afterModel(this.current, step, this.request);
    this.request = null;
  }

  /** The call after the last one: with its reply, and what was learned from it. */
  protected after({ history, call }: Sent): Call {
    return { ...call, messages: [...history, ...this.reply], state: this.current };
  }

  protected tell(report: Report): Report {
    const troubles = this.place?.warnings() ?? [];
    const reported = troubles.length > 0 ? { ...report, warnings: [...report.warnings, ...troubles] } : report;
    this.reports.push(reported);
    if (this.reports.length > MOST_REPORTS) this.reports.shift();
    try {
      const answer: unknown = this.shared.onReport?.(reported, this.run.chat);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {}
    return reported;
  }
}

/** What stays where a task is done: a call and its results. */
const NEWEST_STEP = { messages: 2 };
