/**
 * One chat as a framework's hooks see it: what was decided for its requests, and what was learned from their answers.
 */
import {
  type CompactNow,
  type Compactor,
  type ContextUsage,
  type ModelCall,
  PrecisError,
  type Prepared,
  type Report,
  type SessionState,
} from "precis";

/** A call about a chat, which knows its own state and name. */
export type ChatCall<M> = Omit<ModelCall<M>, "state" | "chat" | "overflow" | "inFlight">;

/** What a compaction by hand may be given. */
export type Compacting<M> = { readonly messages?: readonly M[] | undefined } & CompactNow &
  Pick<ModelCall<M>, "keep" | "signal" | "pin" | "isTyped" | "mustKeep">;

/** What all chats of one adapter have in common. */
export interface Shared<M> {
  readonly compactor: Compactor<M>;
  readonly onReport: ((report: Report, chat: string | undefined) => unknown) | undefined;
}

/** Where the state of a chat is kept. */
export interface Holder {
  get(): SessionState | null | undefined;
  set(state: SessionState): void;
}

/** A holder for the time of one process. `onState` is called with each state that sends something else than the one before. */
export function holding(state?: SessionState | null, onState?: (state: SessionState) => unknown): Holder {
  let current = state;
  return {
    get: () => current,
    set: (state) => {
      const isNews = state.revision !== (current?.revision ?? 0);
      current = state;
      if (isNews) told(onState, state);
    },
  };
}

/** Calls a host's listener, whose trouble is its own. */
function told<A extends unknown[]>(listener: ((...said: A) => unknown) | undefined, ...said: A): void {
  try {
    const answer: unknown = listener?.(...said);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {}
}

/** Reports of one chat that are kept: an agent may go on for days. */
const MOST_REPORTS = 1_000;

/** One chat. What changes its state happens one after another. */
export class Chat<M extends object> {
  readonly reports: Report[] = [];
  private last: ChatCall<M> | null = null;
  /** The request whose usage is not learned yet. */
  private request: string | null = null;
  /** What the provider said when it refused the last request. */
  private refusal: unknown;
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly shared: Shared<M>,
    private readonly holder: Holder,
    readonly name?: string | undefined,
  ) {}

  get state(): SessionState | null {
    return this.holder.get() ?? null;
  }

  /** How full the context is; null before the first request. */
  get usage(): ContextUsage | null {
    return this.last && this.shared.compactor.usage(this.whole(this.last));
  }

  /** Decides what to send. */
  prepare(call: ChatCall<M>): Promise<Prepared<M>> {
    return this.alone(async () => {
      const overflow = this.refusal;
      const prepared = await this.shared.compactor.beforeModel({ ...this.whole(call), overflow });
      this.refusal = undefined;
      return this.adopt(call, prepared);
    });
  }

  /** What to send in place of a request that was refused; null if the error is about something else, or nothing helps. */
  shorter(call: ChatCall<M>, error: unknown, refused: Prepared<M>): Promise<Prepared<M> | null> {
    return this.alone(async () => {
      if (call.signal?.aborted) return null;
      const prepared = await this.shared.compactor.beforeModel({ ...this.whole(call), overflow: error });
      return isLess(prepared, refused) ? this.adopt(call, prepared) : null;
    });
  }

  /** Whether an error says that a request was too long, and a shorter one may be sent. Changes nothing. */
  canShorten(error: unknown): boolean {
    if (!this.last) return false;
    const { report } = this.shared.compactor.plan({ ...this.whole(this.last), overflow: error, signal: undefined });
    return report.outcome !== "infeasible" && !isOther(report);
  }

  /** Has the next request answer this error. */
  refuse(error: unknown): void {
    this.refusal = error;
    this.request = null;
  }

  /** Learns from the usage that was reported for the request that was prepared last; of one request it learns once. */
  learn(usage: unknown): void {
    const { state, request } = this;
    if (state && request !== null && usage !== undefined && usage !== null)
      this.holder.set(this.shared.compactor.afterModel(state, usage, request));
    this.request = null;
  }

  /** Sends what fits, and once more with less where the provider says that it was too much. */
  async ask<T>(call: ChatCall<M>, send: (prepared: Prepared<M>) => PromiseLike<T>): Promise<T> {
    const first = await this.prepare(call);
    try {
      return await send(first);
    } catch (error) {
      const shorter = await this.shorter(call, error, first);
      if (shorter === null) throw error;
      return await send(shorter);
    }
  }

  /** Compacts now. `messages`: the chat as it is, where it is not what was prepared last. */
  compact(options: Compacting<M> = {}): Promise<Report> {
    return this.alone(async () => {
      const { focus, focusBy, ...more } = options;
      const given = Object.entries(more).filter(([, value]) => value !== undefined);
      const call = { ...this.last, ...Object.fromEntries(given) } as ChatCall<M>;
      if (!call.messages) {
        const advice = "This chat has sent nothing yet. Pass its `messages`, or compact after the first request.";
        throw new PrecisError("invalid-call", "messages", advice);
      }
      const prepared = await this.shared.compactor.compact({ ...this.whole(call), focus, focusBy });
      return this.adopt(call, prepared).report;
    });
  }

  private adopt(call: ChatCall<M>, prepared: Prepared<M>): Prepared<M> {
    const { state, report } = prepared;
    this.holder.set(state);
    this.last = call;
    this.request = report.request;
    this.reports.push(report);
    if (this.reports.length > MOST_REPORTS) this.reports.shift();
    told(this.shared.onReport, report, this.name);
    return prepared;
  }

  private whole(call: ChatCall<M>): ModelCall<M> {
    return { ...call, state: this.state, ...(this.name === undefined ? {} : { chat: this.name }) };
  }

  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => {});
    return done;
  }
}

const isOther = ({ warnings }: Report): boolean => warnings.some(({ code }) => code === "not-an-overflow");

/** Whether what was prepared after a refusal asks for less than what was refused. */
function isLess<M>({ view, report }: Prepared<M>, refused: Prepared<M>): boolean {
  if (report.outcome === "infeasible" || isOther(report)) return false;
  const isSame = view.length === refused.view.length && view.every((message, at) => message === refused.view[at]);
  return !isSame || report.replyRoom < refused.report.replyRoom;
}
