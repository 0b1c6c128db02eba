/** Keeps a promise that nobody waits for from being reported as unhandled. */
export function quiet(answer: unknown): void {
  const then = (answer as { then?: unknown } | null | undefined)?.then;
  if (typeof then === "function") then.call(answer, undefined, () => {});
}
