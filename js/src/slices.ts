/**
 * Slices: a long history is read piece by piece, so that a page goes on scrolling meanwhile. What is decided is the same.
 */

/** Where a person waits for the thread. */
const IN_PAGE = 12;

/** The milliseconds of a slice; 0 for no slices. */
export function sliceOf(tune: { readonly slice?: number | undefined } | undefined): number {
  return tune?.slice ?? (typeof document === "undefined" ? 0 : IN_PAGE);
}

/**
 * Works in slices: `step` does some of the work and returns whether there is more. Pauses first, so that what the caller has
 * done before is a slice of its own.
 *
 * @throws what `signal` says, once it is aborted.
 */
export async function inSlices(
  milliseconds: number,
  signal: AbortSignal | undefined,
  step: () => boolean,
): Promise<void> {
  let [goesOn, from] = [true, Number.NEGATIVE_INFINITY];
  while (goesOn) {
    if (performance.now() - from >= milliseconds) {
      await pause();
      signal?.throwIfAborted();
      from = performance.now();
    }
    goesOn = step();
  }
  await pause();
  signal?.throwIfAborted();
}

interface Platform {
  readonly scheduler?: { yield?(): Promise<void> };
  readonly setImmediate?: (work: () => void) => unknown;
}

/** Lets others have the thread. Timers would do, but those of a hidden page come once a second. */
function pause(): Promise<void> {
  const { scheduler, setImmediate } = globalThis as Platform;
  if (typeof scheduler?.yield === "function") return scheduler.yield();
  return new Promise((resolve) => {
    if (setImmediate) setImmediate(resolve);
    else if (typeof MessageChannel === "function") {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    } else setTimeout(resolve);
  });
}
