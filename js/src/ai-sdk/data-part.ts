import type { CompactionEvent } from "precis";
import { objectOf } from "./given.ts";

/** What a user interface may show of a compaction. All numbers are tokens. */
export interface CompactionData {
  /** `"failed"`: what could be sent does not fit the window. */
  readonly status: "running" | "done" | "failed";
  /** The request as it would have been. */
  readonly before: number;
  /** The request as it is sent; null while that is being worked on. */
  readonly after: number | null;
  readonly window: number;
}

/**
 * The part that tells a `useChat` interface of a compaction; it holds no text of the chat. All parts of one compaction
 * have the same id, so that each replaces the one before. `convertToModelMessages` leaves data parts out: the model
 * never sees them.
 */
export function toDataPart(event: CompactionEvent): { type: "data-compaction"; id: string; data: CompactionData } {
  const { type, before, report } = objectOf(event, "event", "an event of onEvent");
  const told =
    type === "done" ? objectOf(report, "event.report", "the report of the event") : { before, after: before };
  const { before: was, after } = told;
  objectOf(was, "event.before", "how full the context was");
  objectOf(after, "event.report.after", "how full the context is");
  return { type: "data-compaction", id: event.id, data: dataOf(event) };
}

function dataOf(event: CompactionEvent): CompactionData {
  if (event.type !== "done") {
    const { tokens, window } = event.before;
    return { status: "running", before: tokens, after: null, window };
  }
  const { outcome, before, after } = event.report;
  const status = outcome === "infeasible" ? "failed" : "done";
  return { status, before: before.tokens, after: after.tokens, window: after.window };
}
