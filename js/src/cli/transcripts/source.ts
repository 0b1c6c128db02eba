import { TranscriptError } from "./conversation.ts";

/** A file's JSON values: one for a JSON document, one a line for JSON lines. */
export interface Source {
  readonly file: string;
  readonly values: readonly unknown[];
}

/**
 * Reads JSON or JSON lines. A line that is broken, as where two records were written at once or the last one was cut off,
 * is skipped and reported.
 */
export function parse(file: string, text: string, skipped: (reason: string) => void): Source {
  const whole = attempt(text);
  if (whole.ok) return { file, values: [whole.value] };
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
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
