/**
 * Options and errors of the host as plain data for the engine.
 */
import type { Refusal } from "./boundary/glue.ts";
import { ASKED, FUNCTIONS } from "./contract.ts";
import { wrong } from "./members.ts";
import { nearestName } from "./names.ts";

/** Deep enough for every option there is. */
const DEEPEST_OPTION = 4;
/** Of an error's text, as much as could name a limit. */
const LONGEST_ERROR = 4_000;

/**
 * The options with `true` in place of every function; what else is wrong with them is for the engine to say. A format
 * is not looked into.
 *
 * @throws PrecisError `invalid-option` where the engine could not tell what was given.
 */
export function plainOptions(options: unknown): unknown {
  return plain(options, "", 0);
}

function plain(value: unknown, path: string, depth: number): unknown {
  const mayBeFunction = (FUNCTIONS as readonly string[]).includes(path);
  if (typeof value === "function" && mayBeFunction) return true;
  // A list of functions stands for the one that it is to the engine.
  if (path === "summarize" && Array.isArray(value)) return true;
  if (
    typeof value === "function" ||
    typeof value === "symbol" ||
    typeof value === "bigint" ||
    (value === true && mayBeFunction)
  )
    throw wrong(
      "invalid-option",
      path || "options",
      mayBeFunction ? "a name or a function" : "plain data",
      value,
      typeof value === "function" ? takerOf(path) : undefined,
    );
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth === DEEPEST_OPTION) return value;
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined) continue;
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof member === "function" && (ASKED as readonly string[]).includes(at)) continue;
    members[name] = at === "format" ? true : plain(member, at, depth + 1);
  }
  return members;
}

/** Where a function was meant to go that stands in another place. */
function takerOf(path: string): string | undefined {
  const meant = nearestName(path, [...FUNCTIONS, ...ASKED]);
  return meant && meant !== path ? `Did you mean \`${meant}\`, which takes a function?` : undefined;
}

/** What a provider's error says, wherever its SDK puts it; `true` is the host's own word; null if there is none. Never throws. */
export function refusalOf(error: unknown): Refusal | true | null {
  if (error === undefined || error === null || error === false) return null;
  if (error === true) return true;
  const found = { texts: new Set<string>(), status: null };
  collect(error, found, 0);
  return { text: [...found.texts].join("\n\n").slice(0, LONGEST_ERROR), status: found.status };
}

interface Found {
  /** The same text often stands in several places. */
  readonly texts: Set<string>;
  status: number | null;
}

/** Members of errors that hold text, a status, a count, or another error. What was sent is never among them. */
const TELLING = [
  "status",
  "statusCode",
  "httpStatusCode",
  "message",
  "responseBody",
  "body",
  "error",
  "errors",
  "lastError",
  "cause",
  "data",
  "detail",
  "details",
  "code",
  "type",
  "name",
  "n_prompt_tokens",
  "n_ctx",
  "$metadata",
] as const;
/** Deep enough for an error of a provider in the one of an SDK in the one of a retry. */
const DEEPEST_ERROR = 6;
/** Of an error's list of errors, as many are read. */
const MOST_ERRORS = 8;

function collect(error: unknown, found: Found, depth: number): void {
  if (typeof error === "string") found.texts.add(error.slice(0, LONGEST_ERROR));
  if (typeof error !== "object" || error === null || depth > DEEPEST_ERROR) return;
  if (Array.isArray(error)) {
    for (const one of error.slice(0, MOST_ERRORS)) collect(one, found, depth + 1);
    return;
  }
  for (const name of TELLING) {
    try {
      const value = (error as Record<string, unknown>)[name];
      if (typeof value !== "number") collect(value, found, depth + 1);
      else if (name.startsWith("n_")) found.texts.add(`${name}: ${value}`);
      else if (value >= 400 && value < 600) found.status ??= value;
    } catch {}
  }
}
