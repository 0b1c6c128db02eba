import { fit } from "../paint.ts";
import { TranscriptError } from "./conversation.ts";

/** A file's JSON values: one for a JSON document, one a line for JSON lines. */
export interface Source {
  readonly file: string;
  readonly values: readonly unknown[];
  /** How a JSON document was indented; nothing for JSON lines. */
  readonly indent?: number;
}

/** The text of a file that holds these messages in place of those that were read. */
export type Save = (messages: readonly object[]) => string;

/** Messages one a line. */
export const asLines: Save = (messages) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

/** One JSON value, as the source had its own. */
export function asValue({ indent }: Pick<Source, "indent">): (value: unknown) => string {
  return (value) => `${JSON.stringify(value, null, indent)}\n`;
}

/**
 * Reads JSON or JSON lines. A line that is broken, as where two records were written at once or the last one was cut off,
 * is skipped and reported.
 */
export function parse(file: string, text: string, skipped: (reason: string) => void): Source {
  const whole = attempt(text);
  if (whole.ok) return { file, values: [whole.value], indent: /^\s*[[{]\r?\n( +)/.exec(text)?.[1]?.length ?? 0 };
  const { values, broken } = parseEach(file, text.split("\n"));
  if (values.length + broken.length === 0) throw new TranscriptError(`${file} is empty.`);
  // Lines of indented JSON, or of prose, may happen to be values: records are objects or arrays.
  if (!values.some(isRecord)) throw new TranscriptError(`${file} is neither JSON (${whole.reason}) nor JSON lines.`);
  for (const reason of broken) skipped(reason);
  return { file, values };
}

/**
 * The same of lines that are read one after another, so that their text is never held as a whole. Undefined if the first is
 * no record by itself: then it is the beginning of a document, or of something else.
 */
export function parseLines(
  file: string,
  lines: Iterable<string>,
  skipped: (reason: string) => void,
): Source | undefined {
  const { values, broken } = parseEach(file, lines, isRecord);
  if (values.length === 0) return undefined;
  for (const reason of broken) skipped(reason);
  return values.length + broken.length === 1 ? { file, values, indent: 0 } : { file, values };
}

const isRecord = (value: unknown) => typeof value === "object" && value !== null;

/** The values of lines, and a report of each that is none. Ends at once where the first must be something else. */
function parseEach(
  file: string,
  lines: Iterable<string>,
  isFirst?: (value: unknown) => boolean,
): { values: unknown[]; broken: string[] } {
  const values: unknown[] = [];
  const broken: string[] = [];
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const one = attempt(line);
    if (values.length === 0 && isFirst && !(one.ok && isFirst(one.value))) break;
    if (one.ok) values.push(one.value);
    else broken.push(`${file}:${number}: this line is not JSON (${one.reason}) and is skipped.`);
  }
  return { values, broken };
}

type Attempt = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

function attempt(text: string): Attempt {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: fit(error instanceof Error ? error.message : String(error), 160) };
  }
}
