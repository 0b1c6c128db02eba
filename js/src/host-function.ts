/** What the host's functions that are awaited have in common: how long they may take, and what their errors say. */

/** Milliseconds an answer may take when the host does not say. */
const PATIENCE = 30_000;
/** The longest delay a timer takes. */
const LONGEST_DELAY = 2 ** 31 - 1;
/** Of an error's message, as much as fits in a report. */
const LONGEST_REASON = 300;

/** Milliseconds to wait for an answer. */
export const patienceOf = (timeoutMs: number | undefined): number => Math.min(timeoutMs ?? PATIENCE, LONGEST_DELAY);

/** The error of an answer that took too long. */
export const timeoutError = (message: string): Error => Object.assign(new Error(message), { name: "TimeoutError" });

/** What an error says, for a report. */
export function reasonOf(error: unknown): string {
  try {
    const message = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
    return String(message ?? "unknown").slice(0, LONGEST_REASON) || "unknown";
  } catch {
    return "unknown";
  }
}
