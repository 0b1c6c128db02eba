import {
  type Compactor,
  type CompactorOptions,
  type ContextUsage,
  type ModelCall,
  PrecisError,
  type Prepared,
  type Report,
  type SessionState,
  type Warning,
} from "precis";
import { checkStep, objectOf } from "./given.ts";
import { asksForCompaction, showsCompaction } from "./provider.ts";
import { type ProviderRequest, retrying } from "./retry.ts";
import { Place } from "./store.ts";
import type { CompactionOptions, PrepareStep, Run, RunOptions, StepOptions } from "./types.ts";

type Message = { role: string; content: unknown };
type Step = { readonly usage?: unknown };

/** What all calls of one `compaction` have in common: nothing of any chat. */
export interface Shared extends Pick<CompactionOptions, "agent" | "store" | "providerOptions" | "onReport"> {
  readonly compactor: Compactor<Message>;
  /** The same for prompts, as a provider is given them. */
  readonly prompts: () => Compactor<Message>;
  readonly options: Omit<CompactorOptions<never>, "format">;
}

/** What was last prepared for one call of the SDK. */
interface Sent {
  /** Its messages, whole and raw. */
  readonly history: readonly Message[];
  /** What was sent of them: version 7 hands it back, with what the step added. */
  readonly view: readonly Message[];
  readonly call: ModelCall<Message>;
}

/** A call of the SDK whose newest step is not finished. */
interface Open {
  /** Its `steps` array. */
  readonly steps: object;
  /** The messages it began with. */
  readonly began: readonly Message[];
}

/** Attempts to write a state before others' writes are left alone. */
const MOST_ATTEMPTS = 3;

/** One call of generateText or streamText, from its first step to what comes after the answer. */
export class Session implements Run {
  readonly reports: Report[] = [];
  private current: SessionState | null = null;
  private readonly place: Place | null = null;
  /** Resolves when the state is there; null until somebody asked for it. */
  private loaded: Promise<void> | null = null;
  /** By the SDK's `steps` array: one run may serve one call after another. */
  private readonly sent = new WeakMap<object, Sent>();
  private last: Sent | null = null;
  /** What the last step answered. */
  private reply: readonly Message[] = [];
  /** The request whose usage is not learned yet. */
  private request: string | null = null;
  private meter: ContextUsage | null = null;
  /** What the provider said when it refused the last request. */
  private refusal: unknown;
  private compactsItself: boolean;
  private open: Open | null = null;

  constructor(
    private readonly shared: Shared,
    private readonly run: RunOptions,
  ) {
    const { agent, store, compactor } = shared;
    if (run.state !== undefined) this.current = run.state;
    if (store && run.chat !== undefined)
      this.place = new Place(store, `${agent ?? "main"}:${run.chat}`, (state) => compactor.keepFrom(state));
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
    this.loaded ??= this.load();
    await this.loaded;
    const finished = step.steps.at(-1);
    if (finished) this.learn(finished);
    const history = this.historyOf(step);
    const call = this.callOf(step, history);
    if (this.compactsItself) {
      this.tell(await this.leftAlone(call));
      this.keep(step, { history, view: step.messages, call });
      return undefined;
    }
    const { view, state, report } = await this.prepare(call, finished !== undefined);
    this.current = state;
    this.request = report.request;
    this.refusal = undefined;
    this.tell(report);
    this.keep(step, { history, view, call });
    const messages = isSame(view, step.messages) ? {} : { messages: view as M[] };
    const answer = { ...messages, ...this.lowered(report, call) };
    return Object.keys(answer).length > 0 ? answer : undefined;
  };

  readonly onStepFinish = (step: Step): void => {
    objectOf(step, "step", "the step that the AI SDK has finished");
    this.open = null;
    this.learn(step);
    this.reply = replyOf(step);
    this.meter = null;
    if (this.current) void this.place?.save(this.current);
  };

  model<T>(model: T): T {
    return retrying(model, (request, error) => this.shorter(model, request, error));
  }

  async ahead(): Promise<SessionState | null> {
    const { last, current } = this;
    try {
      if (last && current && (this.shared.options.summarize || this.refusal !== undefined) && !this.compactsItself)
        await this.summarizeAhead(last);
    } catch {
      this.current = current;
    }
    await this.place?.settled();
    return this.current;
  }

  /** A refused request made shorter: by its prompt, because the SDK has left the messages behind. */
  private async shorter(model: unknown, request: ProviderRequest, error: unknown): Promise<ProviderRequest | null> {
    const { prompt, tools, maxOutputTokens, abortSignal } = request;
    const { mustKeep, onEvent } = this.run;
    const call: ModelCall<Message> = {
      ...{ messages: prompt, tools, maxOutputTokens, mustKeep, onEvent },
      ...{ model: modelOf(model), signal: abortSignal, overflow: error },
    };
    const { view, report } = await this.shared.prompts().beforeModel(call);
    if (report.outcome === "infeasible" || report.warnings.some(({ code }) => code === "not-an-overflow")) return null;
    const same = isSame(view, prompt);
    const limit = same && report.replyRoom > 0 ? { maxOutputTokens: report.replyRoom } : this.lowered(report, call);
    if (same && !(report.replyRoom < (maxOutputTokens ?? Number.POSITIVE_INFINITY))) return null;
    this.refusal = error;
    // What is reported now is of another request than the one that was prepared.
    this.request = null;
    return { ...request, prompt: view, ...limit };
  }

  private async summarizeAhead(last: Sent): Promise<void> {
    const { compactor } = this.shared;
    const { refusal: overflow } = this;
    const call: ModelCall<Message> = { ...this.after(last), threshold: "soft", overflow, signal: undefined };
    if (overflow === undefined && compactor.plan(call).requests.length === 0) return;
    const { state, report } = await compactor.beforeModel(call);
    if (overflow === undefined && (report.summarizer.failed !== null || report.rung !== "summarize")) return;
    this.refusal = undefined;
    this.meter = null;
    // Whoever wrote meanwhile knows a longer chat.
    if ((await this.place?.save(state)) === "conflict") this.current = (await this.place?.load()) ?? state;
    else this.current = state;
    this.tell(report);
  }

  /**
   * Usage is reported for a run, not for a call, so a run has one unfinished step at most. A call that failed never says
   * so: whoever asks the same again, or goes on from there, is no second call.
   */
  private enter<M extends Message>({ steps, messages }: StepOptions<M>): void {
    const { open } = this;
    if (open && open.steps !== steps && !goesOnFrom(open.began, messages))
      throw new PrecisError(
        "run-in-use",
        "prepareStep",
        "This run is in the middle of another call, and the usage of both would be mixed: make one run for each call (`run({ … })`).",
      );
    this.open = open?.steps === steps ? open : { steps, began: messages };
  }

  /** The state a store has, if the program has not given its own. */
  private async load(): Promise<void> {
    if (this.place && this.run.state === undefined) this.current = await this.place.load();
    else if (this.place && this.run.state) this.place.assume(this.run.state);
  }

  /**
   * Decides, and stores what was decided before it is sent. Where somebody else has stored something meanwhile, it is
   * decided anew from that.
   */
  private async prepare(call: ModelCall<Message>, hasLearned: boolean): Promise<Prepared<Message>> {
    const { place } = this;
    if (place?.isOutdated) this.current = await place.load();
    for (let attempt = 1; ; attempt++) {
      const prepared = await this.shared.compactor.beforeModel({ ...call, state: this.current });
      if (!place) return prepared;
      if (!place.isNews(prepared.state)) {
        // What was learned of the provider's tokens is worth storing, but nothing an answer should wait for.
        if (hasLearned) void place.save(prepared.state);
        return prepared;
      }
      if ((await place.save(prepared.state)) !== "conflict" || attempt === MOST_ATTEMPTS) return prepared;
      this.current = await place.load();
    }
  }

  /** A report that says that nothing was done, because the provider does it. */
  private async leftAlone(call: ModelCall<Message>): Promise<Report> {
    const { report } = this.shared.compactor.plan(call);
    return {
      ...report,
      outcome: "unchanged",
      rung: null,
      reason: "The provider compacts this chat itself.",
      after: report.before,
      firstChanged: null,
      warnings: [...report.warnings, PROVIDER_COMPACTION],
    };
  }

  private callOf<M extends Message>(step: StepOptions<M>, history: readonly Message[]): ModelCall<Message> {
    const { system, tools, mustKeep, maxOutputTokens, signal, onEvent } = this.run;
    const { experimental_steeringMessages: steering } = step as { experimental_steeringMessages?: readonly unknown[] };
    return {
      messages: history,
      state: this.current,
      model: modelOf(step.model),
      system: step.instructions ?? system,
      ...{ tools, mustKeep, maxOutputTokens, signal, onEvent, overflow: this.refusal },
      // The SDK must find them in what is sent as they are, or they count as not delivered.
      ...(steering?.length ? { pin: (message: Message) => steering.includes(message) } : {}),
    };
  }

  /** The whole history behind the messages of a step. */
  private historyOf<M extends Message>({ steps, messages }: StepOptions<M>): readonly Message[] {
    const sent = this.sent.get(steps);
    if (!sent || sent.view.length > messages.length || !isSame(sent.view, messages.slice(0, sent.view.length)))
      return messages;
    return [...sent.history, ...messages.slice(sent.view.length)];
  }

  private keep({ steps }: { readonly steps: object }, sent: Sent): void {
    this.sent.set(steps, sent);
    this.last = sent;
    this.reply = [];
    this.meter = null;
  }

  private learn(step: Step): void {
    this.compactsItself ||= showsCompaction(step);
    if (this.current && this.request !== null)
      this.current = this.shared.compactor.afterModel(this.current, step, this.request);
    this.request = null;
  }

  /** The call after the last one: with its reply, and what was learned from it. */
  private after({ history, call }: Sent): ModelCall<Message> {
    return { ...call, messages: [...history, ...this.reply], state: this.current };
  }

  /** The reply limit to send, where it is lower than the one the program sends. */
  private lowered(
    { outcome, replyRoom }: Report,
    { maxOutputTokens }: ModelCall<Message>,
  ): { maxOutputTokens?: number } {
    const limit = maxOutputTokens ?? this.shared.options.maxOutputTokens;
    // A request that does not fit is not helped by a shorter reply.
    return limit === undefined || replyRoom >= limit || outcome === "infeasible" ? {} : { maxOutputTokens: replyRoom };
  }

  private tell(report: Report): void {
    const troubles: Warning[] = (this.place?.trouble() ?? []).map((advice) => ({
      code: "store-failed",
      path: null,
      advice: `The store of states: ${advice}. This answer does without it.`,
    }));
    const reported = troubles.length > 0 ? { ...report, warnings: [...report.warnings, ...troubles] } : report;
    this.reports.push(reported);
    try {
      const answer: unknown = this.shared.onReport?.(reported, this.run.chat);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {}
  }
}

const PROVIDER_COMPACTION: Warning = {
  code: "provider-compaction",
  path: null,
  advice: "The provider's own compaction is configured, so nothing is compacted here: use one of the two.",
};

/** The name of the model of a step: it is a name, or an object that has one. */
function modelOf(model: unknown): string | undefined {
  const name = typeof model === "object" && model !== null ? (model as { modelId?: unknown }).modelId : model;
  return typeof name === "string" ? name : undefined;
}

/**
 * The messages a step has added. In versions 5 and 6 it lists those of the steps before it, too; a step answers one
 * message, and perhaps the results of its calls.
 */
function replyOf(step: unknown): readonly Message[] {
  const { content, response } = step as { content?: unknown; response?: { messages?: unknown } };
  const messages = response?.messages;
  if (!Array.isArray(messages) || (Array.isArray(content) && content.length === 0)) return [];
  const from = messages.findLastIndex((message: Message | null) => message?.role === "assistant");
  return from < 0 ? [] : messages.slice(from);
}

/** Whether messages begin with those of an earlier call, perhaps in other objects. */
function goesOnFrom(earlier: readonly Message[], messages: readonly Message[]): boolean {
  try {
    const front = messages.slice(0, earlier.length);
    return isSame(earlier, front) || JSON.stringify(earlier) === JSON.stringify(front);
  } catch {
    return false;
  }
}

const isSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index]);
