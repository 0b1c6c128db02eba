import type { Report } from "precis";
import type { Changes } from "./changes.ts";
import { fit, grouped } from "./paint.ts";

/** Ranges of messages for people, who count from 1: `message 3`, `messages 1–57, 60, 62–64`. */
export function listOf(indices: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const index of indices) {
    const last = ranges.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  const shown = ranges.slice(0, MOST).map(([from, to]) => (from === to ? `${from + 1}` : `${from + 1}–${to + 1}`));
  const more = ranges.length > MOST ? ` and ${ranges.length - MOST} more ranges` : "";
  return `message${indices.length === 1 ? "" : "s"} ${shown.join(", ")}${more}`;
}

const MOST = 8;

/** What became of a history, a line for each kind of change. */
export function changesInWords({ whole, clipped, cleared, covered, added }: Changes): string[] {
  const lines = [`kept whole: ${grouped(whole.length)} message${whole.length === 1 ? "" : "s"}`];
  const tell = (what: string, indices: readonly number[]) => {
    if (indices.length > 0) lines.push(`${what}: ${grouped(indices.length)} (${listOf(indices)})`);
  };
  tell("clipped, both ends kept", clipped);
  tell("results cleared to one line", cleared);
  tell("replaced by the summary", covered);
  if (added.length > 0) lines.push(`added: ${grouped(added.length)} (the summary and notes)`);
  return lines;
}

/** A report's warnings, but for what only concerns the program that sends the request. */
export function warningsInWords({ warnings }: Report): string[] {
  return warnings
    .filter(({ code }) => code !== "no-reply-limit")
    .map(({ code, path, advice }) => `${code}${path ? ` at ${path}` : ""}: ${fit(advice, 300)}`);
}
