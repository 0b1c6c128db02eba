import type { ErrorCode } from "./contract.ts";

/** What {@link PrecisError} says: a code to act on, where it happened, what to do. */
export interface ErrorLike {
  readonly code: ErrorCode;
  readonly path: string | null;
  readonly advice: string;
}

/**
 * Something was refused, or the engine broke; state and history are as they were.
 *
 * Every `code` has a heading in the documentation of errors.
 */
export class PrecisError extends Error implements ErrorLike {
  override readonly name = "PrecisError";
  /** Stable, for code to act on: `"invalid-window"`, `"message-hole"`, … */
  readonly code: ErrorCode;
  /** What was wrong, as written by the caller: `"messages[3]"`, `"tune.reserve"`. */
  readonly path: string | null;
  /** One sentence for people: what is wrong and what to do. */
  readonly advice: string;

  constructor(code: ErrorCode, path: string | null, advice: string, options?: { readonly cause?: unknown }) {
    super(path === null ? advice : `${path}: ${advice}`, options?.cause === undefined ? undefined : options);
    this.code = code;
    this.path = path;
    this.advice = advice;
  }
}

/** The same error, at `path` if it does not know its own. */
export function at(path: string, error: unknown): unknown {
  if (!(error instanceof PrecisError) || error.path !== null) return error;
  return new PrecisError(error.code, path, error.advice, { cause: error.cause });
}

/** Whether the engine threw this to say what it refuses. */
export function isErrorLike(error: unknown): error is ErrorLike {
  if (typeof error !== "object" || error === null || error instanceof Error) return false;
  const { code, advice } = error as Partial<ErrorLike>;
  return typeof code === "string" && typeof advice === "string";
}

/** Whether an error only says that the caller was nested too deep: it tells nothing of what was called. */
export function isOutOfStack(error: unknown): boolean {
  // No regular expression: where the stack has run out, compiling one fails with an error of its own.
  return error instanceof Error && (error.message.includes("call stack") || error.message.includes("recursion"));
}
