import type { Format, ReadableFormat } from "precis";
import { readAll, type Said } from "./said.ts";

/** A rule of {@link Format} that `checkFormat` looks after. */
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
  /** docs/formats.md has a table of them. */
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
