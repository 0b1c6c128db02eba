import { enter } from "./boundary/engine.ts";
import { Memory } from "./cache/read.ts";
import type { Format, ReadableFormat } from "./format.ts";
import { checkReadable } from "./members.ts";
import type { Plan, Report, SessionState } from "./types.ts";

/** Flat attributes for a span or a log line; no message text. */
export function attributes(report: Report): Record<string, string | number | boolean> {
  return enter((glue) => glue.attributes(report));
}

/** The newest summary, for a UI; null if there is none. */
export function summaryOf(state: SessionState | null): string | null {
  return enter((glue) => glue.summary_of(state)) ?? null;
}

/**
 * Says in a few plain sentences what a plan will do, or what a report says was done: for a UI or a log. No message text.
 *
 * @throws PrecisError with the code `invalid-plan` when it is given something else.
 */
export function describe(plan: Plan | Report): string {
  return enter((glue) => glue.describe(plan));
}

/** What a provider would refuse about a list of messages. For `precis/testing`. @internal */
export function checkMessages<M>(
  format: ReadableFormat<M> & Pick<Format<M>, "alternation">,
  messages: readonly M[],
): { rule: string; index: number; message: string }[] {
  checkReadable(format);
  const history = new Memory(format, "bytes4", null).history(messages);
  return enter((glue) => glue.check(history.records(), format.alternation === "strict"));
}
