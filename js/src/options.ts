/**
 * Options and errors of the host as plain data for the engine.
 */

/** Deep enough for every option there is. */
const DEEPEST_OPTION = 4;
/** Of an error's text, as much as could name a limit. */
const LONGEST_ERROR = 4_000;

/** The options with every function replaced by `true`; what is wrong with them is for the engine to say. */
export function plainOptions(options: unknown, depth = 0): unknown {
  if (typeof options === "function") return true;
  if (typeof options !== "object" || options === null || Array.isArray(options) || depth === DEEPEST_OPTION)
    return options;
  const plain: Record<string, unknown> = {};
  for (const key of Object.keys(options)) {
    const value = (options as Record<string, unknown>)[key];
    if (value !== undefined) plain[key] = plainOptions(value, depth + 1);
  }
  return plain;
}

/** What a provider's "too long" error says, wherever its SDK puts it; null if there is none. Never throws. */
export function errorText(error: unknown): string | null {
  if (error === undefined || error === null || error === false) return null;
  const texts: string[] = [];
  collect(error, texts, 0);
  return texts.join("\n").slice(0, LONGEST_ERROR);
}

/** Members of errors that hold text, or another error. */
const TELLING = ["message", "responseBody", "body", "error", "cause", "lastError"] as const;

function collect(error: unknown, texts: string[], depth: number): void {
  if (typeof error === "string") texts.push(error);
  if (typeof error !== "object" || error === null || depth > 3) return;
  for (const name of TELLING) {
    try {
      collect((error as Record<string, unknown>)[name], texts, depth + 1);
    } catch {}
  }
}
