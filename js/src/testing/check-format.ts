import { type Format, input, PrecisError, type ReadableFormat } from "precis";
import { attempt, type Examined, type FormatProblem, type FormatRule } from "./format/finding.ts";
import { checkAgain, checkIds, checkParts, checkRead, checkUnread } from "./format/reading.ts";
import { partOf, readAll, type Said } from "./format/said.ts";
import { checkMembers, checkPairs, checkViews } from "./format/views.ts";
import { checkMerge, checkReplace, checkResult, checkSummary, checkWithout } from "./format/writing.ts";

export type { FormatProblem, FormatRule } from "./format/finding.ts";

/** Options of {@link checkFormat}. */
export interface CheckFormatOptions {
  /** Names of members, and types of parts, that the provider never gets: metadata, what is only shown to people. */
  readonly unsent?: readonly string[] | undefined;
}

/** What {@link checkFormat} returns. */
export interface CheckedFormat {
  /** Empty when all is well. */
  readonly problems: readonly FormatProblem[];
  /** What none of the samples shows, so that it was not tried. Add a message with it, unless your messages never have it. */
  readonly untested: readonly string[];
}

/**
 * Tries a format of your own on sample messages: whether it reads them in full and the same each time, whether calls and
 * results are paired, whether copies differ in one part and nothing else, whether views of a compaction are legal.
 *
 * @param format - yours. One that only reads (for a meter) is checked for that.
 * @param messages - a short chat that a provider would accept, with everything in it that your messages may have.
 * @throws PrecisError `invalid-call` or `messages-not-array` when it is given something else.
 *
 * @example
 * ```ts
 * const { problems, untested } = checkFormat(notes, samples);
 * expect(problems).toEqual([]);
 * expect(untested).toEqual([]);
 * ```
 */
export function checkFormat<Base, M extends Base, Made = Base>(
  format: ReadableFormat<Base> | Format<Base, Made>,
  messages: readonly M[],
  options: CheckFormatOptions = {},
): CheckedFormat {
  const order = "Its parameters are checkFormat(format, messages, options?).";
  const { name, read } = ((format as unknown) ?? {}) as Partial<ReadableFormat<Base>>;
  if (typeof read !== "function" || typeof name !== "string")
    throw input.wrong("invalid-call", "format", "a format: an object with name and read", format, order);
  if (!Array.isArray(messages))
    throw input.wrong("messages-not-array", "messages", "an array of sample messages", messages, order);
  if (messages.length === 0)
    throw new PrecisError("invalid-call", "messages", `There is no sample message to try the format on. ${order}`);
  const { unsent = [] } = options ?? {};
  if (!Array.isArray(unsent)) throw input.wrong("invalid-call", "unsent", "a list of names", unsent);

  const problems: FormatProblem[] = [];
  const known = new Set<string>();
  const report = (rule: FormatRule, index: number | null, message: string): void => {
    const problem = { rule, index, message };
    const text = JSON.stringify(problem);
    if (!known.has(text)) problems.push(problem);
    known.add(text);
  };
  const said = messages.map(
    (message, index) => attempt({ report }, "read", index, "read", () => readAll(format, message)) ?? [],
  );
  const given = { format, messages, said, unsent: new Set(unsent), report } as Examined<unknown>;
  const canWrite = "replace" in format || "summary" in format;
  const stages = [...READING, ...(canWrite ? WRITING : [])];
  // Where one rule is broken, what comes after it would only say so again.
  for (const stage of stages) if (problems.length === 0) for (const check of stage) check(given);
  return { problems, untested: untestedBy(said) };
}

type Check = (given: Examined<unknown>) => void;
const READING: readonly (readonly Check[])[] = [
  [checkRead],
  [checkAgain, checkParts],
  [checkUnread, checkIds],
  [checkPairs],
];
const WRITING: readonly (readonly Check[])[] = [
  [checkMembers, checkSummary],
  [checkReplace, checkWithout, checkResult, checkMerge],
  [checkViews],
];

function untestedBy(said: readonly (readonly Said[])[]): string[] {
  const has = (kind: Said["kind"], fits: (one: Said) => boolean = () => true) =>
    said.some((all) => all.some((one) => one.kind === kind && fits(one)));
  const roles = (role: string) => has("role", ({ args }) => args[0] === role);
  const shows: readonly (readonly [what: string, isThere: boolean])[] = [
    ["a message of the user", roles("user")],
    ["a message of the assistant", roles("assistant")],
    ["a call with its result", has("call") && has("result")],
    ["several calls in a message", said.some((all) => all.filter(({ kind }) => kind === "call").length > 1)],
    ["a call whose input can be shortened (a number as the fourth argument of to.call)", has("call", isNumbered)],
    ["a result that failed", has("result", ({ args }) => args[3] === true)],
    ["a medium that can be taken out (a number as the fourth argument of to.media)", has("media", isNumbered)],
  ];
  return shows.flatMap(([what, isThere]) => (isThere ? [] : what));
}

const isNumbered = (one: Said) => partOf(one) !== undefined;
