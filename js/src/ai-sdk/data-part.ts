import { type CompactionEvent, input } from "precis";
import { objectOf } from "./given.ts";
import type { Covered, RunEvent } from "./types.ts";

/** What a user interface may show of a compaction. All numbers are tokens. */
export interface CompactionData {
  /** `"failed"`: what could be sent does not fit the window. */
  readonly status: "running" | "done" | "failed";
  /** The request as it would have been. */
  readonly before: number;
  /** The request as it is sent; null while that is being worked on. */
  readonly after: number | null;
  readonly window: number;
  /** The text of the newest summary, if it was asked for; null if there is none. */
  readonly summary?: string | null;
  /**
   * The id of the first UI message that the summary does not stand for as a whole: a divider belongs before it. null if
   * there is no summary, or none of the messages is left. Only if the messages were given.
   */
  readonly messageId?: string | null;
}

/** A message of `useChat`, as far as it is used here. */
interface UiMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly unknown[];
}

/** The options of {@link toDataPart}. Both need an event of a run's `onEvent`. */
export interface DataPartOptions {
  /** Whether the part has the text of the summary, which describes the chat. Default false. */
  readonly summary?: boolean | undefined;
  /** The UI messages that the run's messages were converted from, to find the one before which a divider belongs. */
  readonly messages?: readonly UiMessage[] | undefined;
}

const OPTIONS: ReturnType<typeof input.table> = /* @__PURE__ */ input.table<DataPartOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    owner: "the options of toDataPart",
  },
  {
    summary: { expected: "true or false", fits: (value) => typeof value === "boolean" },
    messages: {
      expected: "an array of UI messages, each with an id, a role and parts",
      fits: (value) => Array.isArray(value) && value.every(isUiMessage),
    },
  },
);

/**
 * The part that tells a `useChat` interface of a compaction; it holds no text of the chat unless you ask for the summary.
 * All parts of one compaction have the same id, so that each replaces the one before. `convertToModelMessages` leaves data
 * parts out: the model never sees them.
 */
export function toDataPart(
  event: CompactionEvent | RunEvent,
  options: DataPartOptions = {},
): { type: "data-compaction"; id: string; data: CompactionData } {
  const { type, before, report } = objectOf(event, "event", "an event of onEvent");
  const told =
    type === "done" ? objectOf(report, "event.report", "the report of the event") : { before, after: before };
  const { before: was, after } = told;
  objectOf(was, "event.before", "how full the context was");
  objectOf(after, "event.report.after", "how full the context is");
  input.checkMembers(OPTIONS, options);
  return { type: "data-compaction", id: event.id, data: { ...dataOf(event), ...moreOf(event, options) } };
}

/** What the newest compaction of a UI message came to; null if it has none. */
export function compactionOf(message: { readonly parts: readonly unknown[] }): CompactionData | null {
  const { parts } = objectOf(message, "message", "a UI message");
  if (!Array.isArray(parts)) throw input.wrong("invalid-call", "message.parts", "an array of parts", parts);
  for (const part of [...parts].reverse()) {
    const { type, data } = (part ?? {}) as { type?: unknown; data?: unknown };
    if (type === "data-compaction" && isData(data)) return data;
  }
  return null;
}

function isData(data: unknown): data is CompactionData {
  const { status, before, after, window } = (data ?? {}) as Record<string, unknown>;
  return (
    (status === "running" || status === "done" || status === "failed") &&
    typeof before === "number" &&
    (after === null || typeof after === "number") &&
    typeof window === "number"
  );
}

function dataOf(event: CompactionEvent | RunEvent): CompactionData {
  if (event.type !== "done") {
    const { tokens, window } = event.before;
    return { status: "running", before: tokens, after: null, window };
  }
  const { outcome, before, after } = event.report;
  const status = outcome === "infeasible" ? "failed" : "done";
  return { status, before: before.tokens, after: after.tokens, window: after.window };
}

function moreOf(
  event: CompactionEvent | RunEvent,
  { summary, messages }: DataPartOptions,
): Pick<CompactionData, "summary" | "messageId"> {
  if (event.type !== "done") return {};
  const { summary: text, covered } = event as Partial<Extract<RunEvent, { type: "done" }>>;
  return {
    ...(summary ? { summary: typeof text === "string" ? text : null } : {}),
    ...(messages ? { messageId: covered ? dividerOf(messages, covered) : null } : {}),
  };
}

/** The first message that is not covered as a whole. A message of the user is one message of the model, too. */
function dividerOf(messages: readonly UiMessage[], { messages: count, users, replies }: Covered): string | null {
  if (count === 0) return null;
  let [seen, left] = [0, replies];
  for (const { id, role, parts } of messages) {
    if (role === "user") {
      if (seen === users) return id;
      seen += 1;
    } else if (role === "assistant" && seen === users) {
      left -= repliesOf(parts);
      if (left < 0) return id;
    }
  }
  return null;
}

/** How many messages of the model a message of the assistant becomes: one for each step that has something to send. */
function repliesOf(parts: readonly unknown[]): number {
  let [replies, open] = [0, false];
  for (const part of parts) {
    const { type } = (part ?? {}) as { type?: unknown };
    if (type === "step-start") open = false;
    else if (!open && typeof type === "string" && !/^(data-|source-)/.test(type)) {
      replies += 1;
      open = true;
    }
  }
  return replies;
}

function isUiMessage(value: unknown): boolean {
  const { id, role, parts } = (value ?? {}) as Record<string, unknown>;
  return typeof id === "string" && typeof role === "string" && Array.isArray(parts);
}
