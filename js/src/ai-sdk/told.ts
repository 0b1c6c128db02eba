/**
 * What a run reports about its compactions: the events of the compactor, and at the end what the summary stands for.
 */
import { type CompactionEvent, type SessionState, summaryOf } from "precis";
import type { Message } from "./steps.ts";
import type { Covered, RunEvent } from "./types.ts";

type Done = Extract<CompactionEvent, { readonly type: "done" }>;

/** Holds back that a compaction is done until it is known what came of it. The listener's trouble is its own. */
export class Telling {
  private done: Done[] = [];

  constructor(private readonly listener: ((event: RunEvent) => unknown) | undefined) {}

  /** For a call of the compactor; nothing if nobody listens. */
  listen(): ((event: CompactionEvent) => void) | undefined {
    if (!this.listener) return undefined;
    this.done = [];
    return (event) => {
      if (event.type === "done") this.done.push(event);
      else this.tell(event);
    };
  }

  /** The call came to this. */
  finish(state: SessionState, covered: Covered | null): void {
    for (const event of this.done.splice(0)) this.tell({ ...event, summary: summaryOf(state), covered });
  }

  private tell(event: RunEvent): void {
    try {
      const answer: unknown = this.listener?.(event);
      if (answer instanceof Promise) answer.catch(() => {});
    } catch {}
  }
}

/** How many messages of the whole history each summary stands for that was made here. */
export type Summaries = WeakMap<object, number>;

/** What the summary in this view stands for. `offset`: how many messages the history leaves out. */
export function coveredBy(
  view: readonly Message[],
  history: readonly Message[],
  summaries: Summaries,
  offset = 0,
): Covered {
  const most = view.reduce((most, message) => Math.max(most, summaries.get(message) ?? 0), 0);
  const covered = history.slice(0, Math.max(most - offset, 0));
  const typed = covered.findLastIndex(({ role }) => role === "user");
  return {
    messages: covered.length,
    users: covered.filter(({ role }) => role === "user").length,
    replies: covered.slice(typed + 1).filter(({ role }) => role === "assistant").length,
  };
}
