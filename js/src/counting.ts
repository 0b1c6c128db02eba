/**
 * A request counted by the host where the estimate does not decide: what its provider's endpoint says is learned as usage is,
 * and then it is decided. Internal.
 */
import { shown } from "./members.ts";
import { quiet } from "./quiet.ts";
import type { CountTokens, ModelCall, Warning } from "./types.ts";

/** Milliseconds that a request waits for a count. */
const PATIENCE = 5_000;

/** What a counter said, or why it said nothing. */
export type Count = { readonly tokens: number } | { readonly warning: Warning };

/**
 * Asks the host for the tokens of a request. Whatever the counter does becomes a count or a warning; only the call's own
 * signal makes it reject, with the signal's reason.
 */
export function counted<M>(countTokens: CountTokens, view: M[], call: ModelCall<M>): Promise<Count> {
  const { signal } = call;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      settle({ warning: failed(`did not answer within ${PATIENCE} ms`) });
      stop.abort(new DOMException("The count is no longer waited for.", "TimeoutError"));
    }, PATIENCE);
    const aborted = () => {
      reject(signal?.reason);
      clearTimeout(timer);
      stop.abort(signal?.reason);
    };
    signal?.addEventListener("abort", aborted, { once: true });
    function settle(count: Count): void {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
      resolve(count);
    }
    const { system, tools, schemas, model, maxOutputTokens } = call;
    const asked = { messages: view, system, tools, schemas, model, maxOutputTokens };
    // In a task of its own: whatever it throws is a warning, and it may call the compactor.
    const answer = Promise.resolve().then((): unknown => countTokens(asked, { signal: stop.signal }));
    quiet(
      answer.then(
        (tokens) => settle(isCount(tokens) ? { tokens } : { warning: failed(`returned ${shown(tokens)}`) }),
        (error: unknown) => settle({ warning: failed(`threw “${messageOf(error)}”`) }),
      ),
    );
  });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const failed = (what: string): Warning => ({
  code: "counter-failed",
  path: "countTokens",
  advice: `\`countTokens\` ${what}, so the estimate decided. It must return the tokens of the request, a whole number above 0.`,
});

/** Of an error's message, as much as fits in a warning. */
function messageOf(error: unknown): string {
  try {
    return String((error as { message?: unknown } | null)?.message ?? error).slice(0, 200);
  } catch {
    return "unknown";
  }
}
