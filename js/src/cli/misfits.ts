import type { Report } from "precis";
import { grouped, table } from "./paint.ts";
import { print } from "./print.ts";

const PARTS = ["system", "tools", "user", "assistant", "toolResults", "media", "summary"] as const;

/** Requests that do not fit the window, whatever is done: what they hold, so that anybody can add it up. */
export class Misfits {
  readonly #found = new Map<string, { file: string; reports: Report[] }>();

  add(file: string, report: Report): void {
    if (report.outcome !== "infeasible") return;
    const key = JSON.stringify([report.after.window, file]);
    const found = this.#found.get(key) ?? { file, reports: [] };
    this.#found.set(key, { file, reports: [...found.reports, report] });
  }

  /** A line for each window and file, about the request that comes nearest to fitting. */
  print(short: (file: string) => string): void {
    if (this.#found.size === 0) return;
    const rows = [...this.#found.values()].sort((one, other) => window(one.reports) - window(other.reports)).map(row);
    const head = ["infeasible: their file, and the tokens of the nearest to fitting", "window", "requests", "not even"];
    print();
    for (const line of table([[...head, "limit", "needs", ...PARTS.map(named), "doubt"], ...rows])) print(line);
    print();
    print("not even: requests that would not fit without the summary and the note either.");
    print("needs: the sum of what follows. doubt: how far too low the estimate may be.");

    function row({ file, reports }: { file: string; reports: readonly Report[] }): string[] {
      const sorted = [...reports].sort((one, other) => needs(one) - needs(other));
      const nearest = sorted[0] as Report;
      const hopeless = reports.filter((report) => needs(report) - report.after.parts.summary >= limit(report)).length;
      const figures = [window(reports), reports.length, hopeless, limit(nearest), needs(nearest)];
      const parts = PARTS.map((part) => nearest.after.parts[part]);
      return [short(file), ...[...figures, ...parts, nearest.after.bound].map(grouped)];
    }
  }
}

const window = ([report]: readonly Report[]): number => report?.after.window ?? 0;
/** `hard` of docs/design.md: no request may reach it. */
const limit = ({ after }: Report): number => after.window - Math.max(64, Math.floor(after.window / 64));
const needs = ({ after }: Report): number => after.tokens + after.bound;
const named = (part: (typeof PARTS)[number]): string => (part === "toolResults" ? "results" : part);
