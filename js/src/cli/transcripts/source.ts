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
  const values: unknown[] = [];
  const broken: string[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const one = attempt(line);
    if (one.ok) values.push(one.value);
    else broken.push(`${file}:${index + 1}: this line is not JSON (${one.reason}) and is skipped.`);
  }
  if (values.length + broken.length === 0) throw new TranscriptError(`${file} is empty.`);
  // Lines of indented JSON, or of prose, may happen to be values: records are objects or arrays.
  if (!values.some((value) => typeof value === "object" && value !== null))
    throw new TranscriptError(`${file} is neither JSON (${whole.reason}) nor JSON lines.`);
  for (const reason of broken) skipped(reason);
  return { file, values };
}

type Attempt = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string };

function attempt(text: string): Attempt {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, reason: fit(error instanceof Error ? error.message : String(error), 160) };
  }
}
