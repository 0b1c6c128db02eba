import type { Format, ReadableFormat } from "precis";
import { readAll, type Said } from "./said.ts";

/**
 * A rule of {@link Format} that `checkFormat` looks after. If one is broken, the rules below it are not tried.
 *
 * - `members`: a member is missing, such as `merge` where roles alternate.
 * - `read`: `read` throws, passes no role, passes it late, or passes an argument of another kind.
 * - `read-again`: a second `read` passes something else, or new objects.
 * - `stored`: a message is read otherwise after it was stored as JSON.
 * - `parts`: two parts of a message have the same number.
 * - `unread`: a text, or an element of a list, is not passed, so it is not counted.
 * - `ids`: `id` returns something else than one string for each message.
 * - `pairs`: calls and results are not found to each other.
 * - `summary`: a summary is not read as what the user said, or JSON does not keep it.
 * - `replace`: a copy does not have the text, or something else in it has changed.
 * - `identity`: a copy has copies of the other parts, not the same objects.
 * - `unknown-members`: a copy loses members that the format does not know.
 * - `without`, `result`, `merge`: what they return is not read as it should be.
 * - `written-to`: a message that was given was changed.
 * - `view`: the engine cannot use the format, or compactions of the samples break a rule of the provider.
 */
export type FormatRule =
  | "members"
  | "read"
  | "read-again"
  | "stored"
  | "parts"
  | "unread"
  | "ids"
  | "pairs"
  | "summary"
  | "replace"
  | "identity"
  | "unknown-members"
  | "without"
  | "result"
  | "merge"
  | "written-to"
  | "view";

/** A rule that a format breaks. */
export interface FormatProblem {
  /** Which of them. */
  readonly rule: FormatRule;
  /** The message of the samples at which it was seen; null where none is concerned. */
  readonly index: number | null;
  /** What is wrong, and what to do about it. */
  readonly message: string;
}

/** What the rules are given: the format, the samples, and where to report. */
export interface Examined<M> {
  readonly format: ReadableFormat<M> & Partial<Format<M, unknown>>;
  readonly messages: readonly M[];
  /** What `read` passed for each sample; nothing for one that cannot be read. */
  readonly said: readonly (readonly Said[])[];
  readonly unsent: ReadonlySet<string>;
  report(rule: FormatRule, index: number | null, message: string): void;
}

/** Runs what a user wrote; what it throws is reported. */
export function attempt<T>(
  { report }: Pick<Examined<never>, "report">,
  rule: FormatRule,
  index: number | null,
  what: string,
  run: () => T,
): T | undefined {
  try {
    return run();
  } catch (error) {
    report(rule, index, `${what} throws: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** What `read` passes for a message that the format wrote. */
export function readBack<M>(
  given: Examined<M>,
  rule: FormatRule,
  index: number | null,
  what: string,
  made: unknown,
): readonly Said[] | undefined {
  if (typeof made !== "object" || made === null) {
    given.report(rule, index, `${what} returns ${made === null ? "null" : typeof made}. Return a message.`);
    return undefined;
  }
  return attempt(given, rule, index, `read of what ${what} returned`, () => readAll(given.format, made as M));
}
