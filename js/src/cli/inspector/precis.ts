import {
  type Compactor,
  type CompactorOptions,
  createCompactor,
  type Format,
  type Prepared,
  type SessionState,
  summaryOf,
  type ToolPolicy,
} from "precis";
import type { Prices } from "../bill.ts";
import { changesOf } from "../changes.ts";
import { commonPrefix } from "../replay.ts";
import { sum } from "./displayed.ts";
import type { Entry, Settings, View } from "./document.ts";
import { type Billed, billedAs, type Ledger } from "./ledger.ts";
import type { Pause, Subject } from "./subject.ts";

/** Chats with more requests are not played request by request: only those around compactions are. */
export const MOST_PLAYED = 400;
/** How much of the room is passed over at once. The rest is played, so that no compaction comes later than it would. */
const PASSED = 0.85;

/** What {@link Settings} are to a compactor. */
export function optionsOf(settings: Settings, format: Format<object>, prices: Prices | null): CompactorOptions<object> {
  const { way, window, reply, prefer, trigger, turns, policies, pays, estimator } = settings;
  const preset = way === "contextguard";
  return {
    format,
    contextWindow: window,
    ...(reply !== undefined && { maxOutputTokens: reply }),
    ...(!preset && {
      ...(prefer && { prefer }),
      ...(trigger !== undefined && { trigger: { share: trigger } }),
      ...(turns !== undefined && { keep: { turns } }),
      ...(policies && { toolPolicy: policies as Record<string, ToolPolicy> }),
    }),
    tune: {
      ...(preset ? { preset: way } : { strategy: way as "tail" }),
      ...(estimator && { tokens: { estimator } }),
      ...(pays && !preset && { prices: prices ? pricesFor(prices) : {} }),
    },
  };
}

const pricesFor = ({ input, cached, write, output }: Prices) => ({
  input,
  cachedRead: cached,
  cacheWrite: write,
  output,
});

/** Plays a conversation through a compactor; summaries are digests by code. */
export async function precisOf(subject: Subject, settings: Settings, book: Ledger, pause: Pause): Promise<void> {
  const { conversation, requests, weight, bill } = subject;
  const { messages, system, tools, model } = conversation;
  const format = conversation.format as Format<object>;
  const compactor = createCompactor<object>(optionsOf(settings, format, subject.prices));
  const places = new Map(messages.map((message, index) => [message, index]));
  const isLong = requests.length > MOST_PLAYED;
  let state: SessionState | null = null;
  let sent: readonly object[] = [];
  let end = 0;

  for (let request = 0; request < requests.length; ) {
    await pause(request, requests.length);
    const reply = requests[request] ?? 0;
    // What is covered need not be read again.
    const offset: number = isLong && state ? compactor.keepFrom(state).index : 0;
    const history = messages.slice(offset, reply);
    const prepared: Prepared<object> = await compactor.beforeModel({
      ...{ messages: history, offset, state, system, tools, model },
    });
    const { view, report } = prepared;
    const before = [...sent, ...messages.slice(end, reply)];
    const goesOn = request > 0 && view.length === before.length && commonPrefix(before, view) === before.length;
    const billed = goesOn && isLong ? undefined : billedOf(sent, view, request, reply);
    book.ours(request, report, goesOn ? undefined : viewOf(request, reply, prepared), billed);
    sent = view;
    end = reply;
    state = learned(compactor, prepared, reply);
    request += 1;
    if (!isLong) continue;
    // Views only grow until there is no room left: requests that surely fit are not played.
    // What is added is as uncertain as what is there.
    const { tokens, bound, raw, untilCompaction } = report.after;
    const ratio = Math.max(1, (tokens + bound) / Math.max(1, raw));
    const room = untilCompaction * PASSED;
    const added = (request: number) => ((weight[requests[request] ?? 0] ?? 0) - (weight[reply] ?? 0)) * ratio;
    for (; request + 1 < requests.length && added(request) < room; request++) book.between(request);
  }

  function learned(own: Compactor<object>, { state, view, report }: Prepared<object>, reply: number): SessionState {
    const usage = bill(reply, view);
    // Over the window there would have been a refusal, not a usage.
    const reported = usage && usage.prompt_tokens <= settings.window ? usage : undefined;
    return reported ? own.afterModel(state, reported, report.request) : state;
  }

  function billedOf(before: readonly object[], view: readonly object[], request: number, reply: number): Billed {
    const weigh = (some: readonly object[]) =>
      some.reduce((total, message) => total + sum(subject.display.parts(message)), subject.beside);
    const last = request === 0 ? [] : [...before, ...messages.slice(end, requests[request - 1])];
    const same = commonPrefix(last, view);
    const beforehand = request === 0 ? 0 : weigh(view.slice(0, same));
    const isRewritten = same < last.length;
    return { ...billedAs(bill(reply, view)?.prompt_tokens, weigh(view), beforehand), isRewritten };
  }

  function viewOf(request: number, reply: number, { view, state }: Prepared<object>): View {
    return {
      request,
      end: reply,
      entries: entriesOf(reply, view),
      state,
      summary: summaryOf(state),
    };
  }

  function entriesOf(reply: number, view: readonly object[]): Entry[] {
    const known = view.every((message) => places.has(message));
    const changes = known ? undefined : changesOf(format, messages.slice(0, reply), view);
    const copies = new Map([...(changes?.copies ?? [])].map(([index, copy]) => [copy, index]));
    const cleared = new Set(changes?.cleared);
    return view.map((message) => {
      const index = places.get(message);
      if (index !== undefined) return index;
      const shown = subject.display.of(message);
      const of = copies.get(message);
      return of === undefined ? shown : { of, fate: cleared.has(of) ? "cleared" : "clipped", shown };
    });
  }
}
