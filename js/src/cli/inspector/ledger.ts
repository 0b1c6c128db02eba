import type { Report } from "precis";
import { sum } from "./displayed.ts";
import type { Compaction, Settings, Trace, View } from "./document.ts";
import { PARTS, type Part } from "./document.ts";
import type { Subject } from "./subject.ts";

const COMPACTED = new Set(["compacted", "tight"]);

type Parts = Readonly<Record<Part, number>>;

/** Gathers what was sent, request by request, in the order in which they are played. */
export interface Ledger {
  /** A request of precis; `view` where it does not go on from the one before, `billed` where that was looked at. */
  ours(request: number, report: Report, view: View | undefined, billed: Billed | undefined): void;
  /** A request between two that were played: what came since the last one was added. */
  between(request: number): void;
  /** A request without precis. */
  plain(sent: Billed & { readonly parts: Parts; readonly remembers: boolean }): void;
  trace(error?: string): Trace;
}

/** What a provider would count of a request: its prompt, and how much of it was there before. */
export interface Billed {
  readonly prompt: number;
  readonly cached: number;
  /** Whether it begins otherwise than the one before. */
  readonly isRewritten: boolean;
}

/**
 * By what the record says of such a view, or by estimate. `beforehand` is the estimate of what was there before, of a view
 * that is estimated at `estimate`.
 */
export function billedAs(recorded: number | undefined, estimate: number, beforehand: number) {
  const prompt = recorded ?? estimate;
  return { prompt, cached: Math.round(prompt * (beforehand / Math.max(1, estimate))) };
}

/** Parts that come to what was counted: what is beside the messages has the rest; where less was counted, all have less. */
function counted(parts: Parts, prompt: number): Parts {
  const estimate = sum(parts);
  if (prompt >= estimate) return { ...parts, system: parts.system + prompt - estimate };
  const less = PARTS.map((part) => [part, Math.floor((parts[part] * prompt) / estimate)] as const);
  const own = Object.fromEntries(less) as Record<Part, number>;
  return { ...own, system: own.system + prompt - sum(own) };
}

export function ledger(
  { conversation, requests, weight, upTo, beside, displayed }: Subject,
  settings: Settings,
): Ledger {
  const parts = Object.fromEntries(PARTS.map((part) => [part, [] as number[]])) as Record<Part, number[]>;
  const lists = { tokens: [] as number[], trigger: [] as number[], cached: [] as number[], written: [] as number[] };
  const compactions: Compaction[] = [];
  const views: View[] = [];
  let rewrites = 0;
  let forgets = 0;
  let calculated = 0;
  let prompt = 0;

  const since = (request: number, of: Float64Array) =>
    (of[requests[request] ?? 0] ?? 0) - (of[requests[request - 1] ?? 0] ?? 0);
  const put = (own: Parts, trigger: number, cached: number) => {
    for (const part of PARTS) parts[part].push(own[part]);
    lists.tokens.push(sum(own));
    lists.trigger.push(trigger);
    lists.cached.push(cached);
    lists.written.push(prompt - cached);
  };

  return {
    ours(request, report, view, billed) {
      const before = prompt;
      prompt = billed?.prompt ?? before + since(request, weight);
      put(counted(report.after.parts, prompt), report.after.trigger, billed?.cached ?? before);
      rewrites += Number(billed?.isRewritten ?? false);
      const isOver = report.outcome === "infeasible";
      if (isOver || (view && COMPACTED.has(report.outcome))) compactions.push(compactionOf(request, report));
      if (view) views.push(view);
    },
    between(request) {
      calculated += 1;
      const before = prompt;
      prompt += since(request, weight);
      const own = Object.fromEntries(
        PARTS.map((part) => [part, (parts[part].at(-1) ?? 0) + since(request, upTo[part])]),
      ) as Record<Part, number>;
      put(own, lists.trigger.at(-1) ?? 0, before);
    },
    plain({ parts: own, cached, isRewritten, remembers, ...billed }) {
      prompt = billed.prompt;
      put(counted({ ...own, system: own.system + beside }, prompt), settings.window, cached);
      rewrites += Number(isRewritten);
      forgets += Number(!remembers);
    },
    trace(error) {
      const output = lists.tokens.map((_, request) => {
        const reply = requests[request] ?? -1;
        return conversation.usageAfter.get(reply)?.completion_tokens ?? displayed[reply]?.tokens ?? 0;
      });
      return {
        settings,
        parts,
        ...lists,
        output,
        compactions,
        views,
        rewrites,
        forgets,
        calculated,
        ...(error !== undefined && { error }),
      };
    },
  };
}

export function compactionOf(request: number, report: Report): Compaction {
  return {
    request,
    outcome: report.outcome,
    rung: report.rung,
    reason: report.reason,
    before: report.before.tokens,
    after: report.after.tokens,
    changes: report.changes.map(({ action, rung, count }) => ({ action, rung, count })),
    warnings: report.warnings
      .filter(({ code }) => code !== "no-reply-limit")
      .map(({ code, advice }) => `${code}: ${advice}`),
  };
}
