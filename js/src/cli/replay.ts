import {
  type Compactor,
  type CompactorOptions,
  checkMessages,
  createCompactor,
  type Format,
  type Prepared,
  type Report,
  type SessionState,
  summaryOf,
} from "precis";

import { billing } from "./billing.ts";
import { changesOf } from "./changes.ts";
import { grouped } from "./paint.ts";
import { isRequest, type Outline, outliner, standsFor } from "./recognise.ts";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";

/** What `--json` prints. */
export interface Totals {
  file: string;
  messages: number;
  requests: number;
  compactions: number;
  summarizerCalls: number;
  peakTokens: number;
  window: number;
  /** Requests over the window of which the engine did not say so. */
  overWindow: number;
  /** Requests that the engine reported as too large for the window, naming what does not fit. */
  infeasible: number;
  newestMissing: number;
  userMissing: number;
  invalid: number;
  prefixBreaks: number;
}

/** What only the provider's own figures tell, where they were recorded. */
export interface Billed {
  requests: number;
  peakTokens: number;
  overWindow: number;
}

/** One request of the replay. */
export interface Step {
  readonly request: number;
  readonly requests: number;
  readonly report: Report;
  readonly compaction: Compaction | undefined;
}

export interface Compaction {
  readonly number: number;
  readonly whole: number;
  readonly shortened: number;
  readonly gone: number;
  readonly summary: string | null;
}

export interface Replayed {
  readonly totals: Totals;
  readonly billed: Billed;
}

/** What a compactor is made with. */
type Limits = Pick<CompactorOptions<object>, "maxOutputTokens" | "tune"> & {
  readonly contextWindow: number;
  /** How many requests to play at most. */
  readonly limit?: number | undefined;
};

/** The time of a replay grows with the square of the requests. */
const MOST_REQUESTS = 5_000;
/** In chats with more requests, a view is judged only where it begins otherwise than the one before. */
const LONG = 1_000;

/** Walks a recorded history: before each recorded reply the compactor sees all messages so far; recorded usage follows it. */
export async function replay(
  conversation: Conversation,
  { limit, ...limits }: Limits,
  onStep: (step: Step) => void,
): Promise<Replayed> {
  const format = conversation.format as Format<object>;
  const compactor = createCompactor<object>({ format, ...limits });
  const { messages, system, tools } = conversation;
  const window = limits.contextWindow;
  const outline = outliner(format);
  const bill = billing(conversation, estimator(compactor));
  const replies = requestsOf(conversation, outline, limit, MOST_REQUESTS);
  const totals: Totals = {
    file: conversation.file,
    messages: messages.length,
    requests: replies.length,
    compactions: 0,
    summarizerCalls: 0,
    peakTokens: 0,
    window,
    overWindow: 0,
    infeasible: 0,
    newestMissing: 0,
    userMissing: 0,
    invalid: 0,
    prefixBreaks: 0,
  };
  const billed: Billed = { requests: 0, peakTokens: 0, overWindow: 0 };
  const isLong = replies.length > LONG;
  let state: SessionState | null = null;
  let sent: readonly object[] = [];

  for (const [index, reply] of replies.entries()) {
    const history = messages.slice(0, reply);
    const prepared: Prepared<object> = await compactor.beforeModel({ messages: history, state, system, tools });
    const { view, report } = prepared;
    const broke = commonPrefix(sent, view) < sent.length;
    const compacted =
      report.outcome === "compacted" || (broke && (report.outcome === "tight" || report.outcome === "infeasible"));

    totals.compactions += Number(compacted);
    totals.summarizerCalls += report.summarizer.calls;
    totals.peakTokens = Math.max(totals.peakTokens, report.after.tokens);
    const infeasible = report.outcome === "infeasible";
    totals.overWindow += Number(report.after.tokens > window && !infeasible);
    totals.infeasible += Number(infeasible);
    totals.newestMissing += Number(!holdsNewest(history, view, outline));
    totals.userMissing += Number(!holdsRequest(history, view, outline));
    // A view that only goes on from the one before breaks no other rule; in a long chat that saves most of the work.
    if (broke || !isLong) totals.invalid += Number(addsViolation(format, history, view));
    totals.prefixBreaks += Number(broke);
    const compaction = compacted
      ? { number: totals.compactions, ...kept(format, history, view), summary: summaryOf(prepared.state) }
      : undefined;
    onStep({ request: index + 1, requests: replies.length, report, compaction });

    const usage = bill(reply, view);
    // Over the window there would have been a refusal, not a usage.
    const reported = usage && usage.prompt_tokens <= window ? usage : undefined;
    state = reported ? compactor.afterModel(prepared.state, reported, report.request) : prepared.state;
    if (usage) {
      billed.requests += 1;
      billed.peakTokens = Math.max(billed.peakTokens, usage.prompt_tokens);
      billed.overWindow += Number(!reported);
    }
    sent = view;
  }
  return { totals, billed };
}

/**
 * Where the recorded replies stand; one before anything was asked (a greeting) answers no request. What Responses keeps as
 * several items in a row is one reply.
 */
export function repliesOf({ messages, format }: Conversation, outline: (message: object) => Outline): number[] {
  const roles = messages.map((message) => outline(message).role);
  const first = roles.findIndex((role) => role !== "system");
  return roles.flatMap((role, index) => {
    const goesOn = format.name === "openai-responses" && roles[index - 1] === "assistant";
    return index > first && role === "assistant" && !goesOn ? [index] : [];
  });
}

/** Refuses a conversation that {@link replay} would refuse, before anything is printed. */
export function checkLength(conversation: Conversation, limit: number | undefined): void {
  requestsOf(conversation, outliner(conversation.format as Format<object>), limit, MOST_REQUESTS);
}

/** Those that are played; refused where they would take minutes and nobody said how many are enough. */
export function requestsOf(
  conversation: Conversation,
  outline: (message: object) => Outline,
  limit: number | undefined,
  most: number,
): number[] {
  const replies = repliesOf(conversation, outline);
  if (limit !== undefined) return replies.slice(0, limit);
  if (replies.length <= most) return replies;
  throw new TranscriptError(
    `${conversation.file} has ${grouped(replies.length)} requests, more than the ${grouped(most)} that can be replayed in a minute. --limit ${most} stops there. precis inspect shows the whole at once.`,
  );
}

function estimator(compactor: Compactor<object>): (message: object) => number {
  const known = new WeakMap<object, number>();
  return (message) => {
    const tokens = known.get(message) ?? compactor.usage({ messages: [message] }).tokens;
    known.set(message, tokens);
    return tokens;
  };
}

function holdsNewest(
  history: readonly object[],
  view: readonly object[],
  outline: (message: object) => Outline,
): boolean {
  const newest = history.at(-1);
  return !newest || holds(view, newest, outline);
}

export function holdsRequest(
  history: readonly object[],
  view: readonly object[],
  outline: (message: object) => Outline,
): boolean {
  const request = history.findLast((message) => isRequest(outline(message)));
  return !request || holds(view, request, outline);
}

function holds(view: readonly object[], wanted: object, outline: (message: object) => Outline): boolean {
  return view.includes(wanted) || view.some((message) => standsFor(outline(message), outline(wanted)));
}

/** Violations are relative: what the history brought along is not the view's fault. */
export function addsViolation(format: Format<object>, history: readonly object[], view: readonly object[]): boolean {
  if (view.length === history.length && commonPrefix(history, view) === view.length) return false;
  const ours = checkMessages(format, view);
  if (!ours.length) return false;
  const brought = checkMessages(format, history).map(({ rule, index }) => ({ rule, message: history[index] }));
  for (const { rule, index } of ours) {
    const same = brought.findIndex((one) => one.rule === rule && one.message === view[index]);
    const shortened = brought.findIndex((one) => one.rule === rule && one.message && !view.includes(one.message));
    const found = same >= 0 ? same : shortened;
    if (found < 0) return true;
    brought.splice(found, 1);
  }
  return false;
}

function kept(format: Format<object>, history: readonly object[], view: readonly object[]) {
  const { whole, clipped, cleared, covered } = changesOf(format, history, view);
  return { whole: whole.length, shortened: clipped.length + cleared.length, gone: covered.length };
}

/** How many messages two requests share from the start; made ones may be other objects with the same bytes. */
export function commonPrefix(previous: readonly object[], view: readonly object[]): number {
  const end = Math.min(previous.length, view.length);
  let at = 0;
  while (at < end && (previous[at] === view[at] || JSON.stringify(previous[at]) === JSON.stringify(view[at]))) at += 1;
  return at;
}
