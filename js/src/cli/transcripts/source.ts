import { TranscriptError } from "./conversation.ts";

/** A file's JSON values: one for a JSON document, one a line for JSON lines. */
export interface Source {
  readonly file: string;
  readonly values: readonly unknown[];
}

export function parse(file: string, text: string): Source {
  const whole = attempt(text);
  if (whole.ok) return { file, values: [whole.value] };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (!lines.length) throw new TranscriptError(`${file} is empty.`);
  const values = lines.map((line, index) => {
    const one = attempt(line);
    if (one.ok) return one.value;
    throw new TranscriptError(
      index === 0
        ? `${file} is neither JSON (${whole.reason}) nor JSON lines.`
        : `${file}: line ${index + 1} is not JSON.`,
    );
  });
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
