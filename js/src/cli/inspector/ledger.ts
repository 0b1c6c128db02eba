import type { Report } from "precis";
import { sum } from "./displayed.ts";
import type { Compaction, Settings, Trace, View } from "./document.ts";
import { PARTS, type Part } from "./document.ts";
import type { Subject } from "./subject.ts";

const COMPACTED = new Set(["compacted", "tight"]);

type Parts = Readonly<Record<Part, number>>;

/** Gathers what was sent, request by request, in the order in which they are played. */
export interface Ledger {
  /** A request of precis; `view` where it does not go on from the one before, with the prompt and how much of it was there. */
  ours(request: number, report: Report, view: (View & Billed) | undefined): void;
  /** A request between two that were played: what came since the last one was added. */
  between(request: number): void;
  /** A request without precis. */
  plain(sent: { readonly parts: Parts; readonly cached: number; readonly remembers: boolean }): void;
  trace(error?: string): Trace;
}

export interface Billed {
  readonly prompt: number;
  readonly cached: number;
}

export function ledger({ requests, weight, upTo, beside, displayed }: Subject, settings: Settings): Ledger {
  const parts = Object.fromEntries(PARTS.map((part) => [part, [] as number[]])) as Record<Part, number[]>;
  const lists = { tokens: [] as number[], trigger: [] as number[], cached: [] as number[], written: [] as number[] };
  const compactions: Compaction[] = [];
  const views: View[] = [];
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
    ours(request, report, view) {
      const before = prompt;
      prompt = view ? view.prompt : before + since(request, weight);
      put(report.after.parts, report.after.trigger, view ? view.cached : before);
      const isOver = report.outcome === "infeasible";
      if (isOver || (view && COMPACTED.has(report.outcome))) compactions.push(compactionOf(request, report));
      if (!view) return;
      const { prompt: _, cached: __, ...own } = view;
      views.push(own);
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
    plain({ parts: own, cached, remembers }) {
      prompt = sum(own) + beside;
      put({ ...own, system: own.system + beside }, settings.window, cached);
      forgets += Number(!remembers);
    },
    trace(error) {
      const output = lists.tokens.map((_, request) => displayed[requests[request] ?? -1]?.tokens ?? 0);
      return {
        settings,
        parts,
        ...lists,
        output,
        compactions,
        views,
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
