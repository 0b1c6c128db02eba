/**
 * What is read of reports, plans and states by whoever shows or logs them. It needs no engine.
 */
import { plain } from "./boundary/plain.ts";
import { PrecisError } from "./errors.ts";
import type { Plan, Report, SessionState } from "./types.ts";

type Members = Readonly<Record<string, unknown>>;

/**
 * Flat attributes for a span or a log line; no message text.
 *
 * @throws PrecisError `invalid-call` when it is given something else than a report.
 */
export function attributes(report: Report): Record<string, string | number | boolean> {
  const given = membersOf(plain(report));
  if (typeof given?.outcome !== "string" || !membersOf(given.after)) {
    throw new PrecisError(
      "invalid-call",
      "report",
      "Expected a report, as `beforeModel`, `plan` and `commit` return it.",
    );
  }
  const flat: Record<string, string | number | boolean> = {};
  const add = (name: string, value: unknown) => {
    if (typeof value === "string" || typeof value === "boolean" || Number.isFinite(value))
      flat[`precis.${name}`] = value as string | number | boolean;
  };
  for (const name of REPORTED) add(name, given[name]);
  for (const side of ["before", "after"])
    for (const name of MEASURED) add(`${side}.${name}`, membersOf(given[side])?.[name]);
  const summarizer = membersOf(given.summarizer);
  add("summarizer.calls", summarizer?.calls);
  add("summarizer.failed", (summarizer?.failed ?? null) !== null);
  add("diverged", (given.diverged ?? null) !== null);
  const codes = listOf(given.warnings).map((warning) => membersOf(warning)?.code);
  add("warnings", codes.filter((code) => typeof code === "string").join(","));
  return flat;
}

const REPORTED = ["outcome", "rung", "replyRoom", "saved", "firstChanged", "keepFrom", "request"];
const MEASURED = ["tokens", "raw", "bound", "window", "trigger", "fraction", "source"];

/**
 * The newest summary, for a UI; null if there is none.
 *
 * @throws PrecisError `invalid-state` or `newer-state` when it is given no state that this version reads.
 */
export function summaryOf(state: SessionState | null): string | null {
  const members = stateOf(state);
  if (!members) return null;
  const made = listOf(members.checkpoints);
  if (made.length === 0) return null;
  const text = membersOf(membersOf(made.at(-1))?.summary)?.text;
  if (typeof text !== "string") {
    throw new PrecisError(
      "invalid-state",
      `state.checkpoints[${made.length - 1}].summary`,
      "The text of the summary is missing. Pass what the last call returned, unchanged.",
    );
  }
  for (const [start, end] of FRAMES)
    if (text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end))
      return text.slice(start.length, text.length - end.length).trim();
  return text;
}

/**
 * The members of a state, of which nothing but its version is known; null of no state.
 *
 * @throws PrecisError `invalid-state` or `newer-state`.
 */
export function stateOf(state: unknown): Members | null {
  if (state === null || state === undefined) return null;
  const members = membersOf(plain(state));
  const { version } = members ?? {};
  if (!members || !isCount(version) || version < VERSION) {
    throw new PrecisError(
      "invalid-state",
      "state",
      typeof state === "string"
        ? "The state is a string. Pass the object that `JSON.parse` makes of it."
        : "This is not a state of precis. Pass the member `state` of what the last call returned, or null for a new chat.",
    );
  }
  if (version > VERSION) {
    throw new PrecisError(
      "newer-state",
      "state.version",
      `This state has version ${version}, but this version of precis reads ${VERSION}. Update precis before you continue this conversation.`,
    );
  }
  return members;
}

/** The form of the states that are read here. */
const VERSION = 1;

/** What stands around the text of a summary in its message: that of `src/base/markers.rs`. */
const FRAMES = [
  ["[Summary of the conversation so far]", "[End of the summary. The conversation continues below.]"],
  ["[Kept from the conversation that the summary stands for]", "[End of what was kept]"],
  ["[Previous conversation summary]", "[End of summary - conversation continues below]"],
] as const;

/**
 * Says in a few plain sentences what a plan will do, or what a report says was done: for a UI or a log. No message text.
 *
 * @throws PrecisError with the code `invalid-plan` when it is given something else.
 */
export function describe(plan: Plan | Report): string {
  const given = membersOf(plain(plan));
  const planned = membersOf(given?.report);
  const report = planned ?? given;
  const { reason, saved, changes } = report ?? {};
  const tokens = membersOf(report?.after)?.tokens;
  if (!given || typeof reason !== "string" || !isCount(tokens)) {
    throw new PrecisError(
      "invalid-plan",
      "plan",
      "Expected a plan, as `plan` returns it, or a report, as `beforeModel` and `commit` return it.",
    );
  }
  const lists = planned ? [given.covers, given.clears, given.clips] : [changes];
  const sentences = [reason, ...lists.flatMap(listOf).map(sentenceOf)];
  if (planned) {
    sentences.push(...asked(given));
    if (sentences.length > 1 && tokens !== membersOf(report?.before)?.tokens)
      sentences.push(`The request will then have about ${tokens} tokens.`);
  }
  if (isCount(saved) && saved > 0) sentences.push(`Without compaction it would have about ${saved} more.`);
  return sentences.join(" ");
}

/** One change, in words. */
function sentenceOf(change: unknown): string {
  const given = membersOf(change) ?? {};
  const [count, tokens, after] = [given.count, given.tokens, given.after].map(countOf) as [number, number, number];
  const rung = typeof given.rung === "string" ? given.rung : "";
  const who = messagesOf(count, given.messages);
  const sizes = `about ${after} tokens instead of ${tokens} (${rung}).`;
  if (given.action === "cover" && count === 0)
    return `The earlier summary of about ${tokens} tokens is replaced by one of about ${after} (${rung}).`;
  if (given.action === "cover")
    return `A summary of about ${after} tokens replaces ${who} and any earlier summary, about ${tokens} tokens in total (${rung}).`;
  if (given.action === "clear" && rung === "drop-reasoning") return `Old reasoning in ${who} is left out: ${sizes}`;
  if (given.action === "clear") return `Old tool results in ${who} are replaced by placeholders: ${sizes}`;
  return `Long texts in ${who} are cut: ${sizes}`;
}

/** The most runs of messages that are listed; of more, only how many messages they are. */
const RUNS = 3;

/** How many messages, and which ones if they are few runs. */
function messagesOf(count: number, runs: unknown): string {
  const all = listOf(runs).map(membersOf);
  const noun = count === 1 ? "message" : "messages";
  if (all.length === 0 || all.length > RUNS) return `${count} ${noun}`;
  const named = all.map((run) => {
    const [from, last] = [countOf(run?.from), Math.max(0, countOf(run?.to) - 1)];
    return from === last ? String(from) : `${from} to ${last}`;
  });
  return `${count} ${noun} (${named.join(", ")})`;
}

/** How often a plan calls a summarizer. */
function asked({ requests, total }: Members): string[] {
  const now = listOf(requests).length;
  const all = isCount(total) ? Math.max(total, now) : now;
  if (now === 0) return [];
  if (all === 1) return ["The summarizer is called once."];
  return [`The summarizer is called up to ${all} times, ${now} of them in the first round.`];
}

const membersOf = (value: unknown): Members | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : undefined;

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const countOf = (value: unknown): number => (isCount(value) ? value : 0);
