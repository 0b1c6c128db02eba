import type { Format } from "precis";
import { weigher, weightBeside } from "./anatomy.ts";
import type { Given } from "./arguments.ts";
import { type Billed, costs, money, type Prices } from "./bill.ts";
import { billing } from "./billing.ts";
import { grouped, paint, table } from "./paint.ts";
import { print, progressLine } from "./print.ts";
import { outliner } from "./recognise.ts";
import { addsViolation, commonPrefix, holdsRequest, requestsOf } from "./replay.ts";
import type { Conversation } from "./transcripts/conversation.ts";
import { all, chosen, type Way } from "./ways.ts";

/** Each request is looked at as a whole. */
const MOST_REQUESTS = 1_000;

/** One way through one or more conversations. */
export interface Sum extends Billed {
  readonly way: string;
  readonly window: number;
  readonly requests: number;
  readonly peakTokens: number;
  /** Requests that do not fit: a provider refuses them. */
  readonly overWindow: number;
  /** Requests whose beginning is not that of the one before: what follows is read again. */
  readonly prefixBreaks: number;
  /** Requests that lack what a person asked last. */
  readonly userMissing: number;
  /** Requests that break a rule which the history keeps. */
  readonly invalid: number;
}

/** Walks all conversations in each way and prints a table for each window, or one JSON object a line. */
export async function compare(
  given: Given,
  conversations: readonly Conversation[],
  windows: readonly number[],
  prices?: Prices,
) {
  const progress = progressLine();
  for (const window of windows) {
    const sums = new Map<string, Sum>();
    for (const [number, conversation] of conversations.entries()) {
      const waysOf = given.flag("compare") ? all : chosen;
      for (const way of waysOf(conversation, given.limits(window))) {
        progress(`${number + 1} of ${conversations.length} conversations, window ${window}: ${way.name}`);
        const own = await walk(way, conversation, window, given.count("limit", 1));
        const before = sums.get(way.name);
        sums.set(way.name, before ? added(before, own) : own);
      }
    }
    progress("");
    if (!given.flag("json")) show([...sums.values()], prices);
    else for (const sum of sums.values()) print(JSON.stringify({ ...sum, ...(prices && costs(sum, prices)) }));
  }
}

async function walk(way: Way, conversation: Conversation, window: number, limit: number | undefined): Promise<Sum> {
  const { messages } = conversation;
  const format = conversation.format as Format<object>;
  const outline = outliner(format);
  const weigh = remembered(weigher(conversation));
  const fixed = weightBeside(conversation);
  const bill = billing(conversation, weigh);
  const replies = requestsOf(conversation, outline, limit, MOST_REQUESTS);
  const counts = { peakTokens: 0, overWindow: 0, prefixBreaks: 0, userMissing: 0, invalid: 0 };
  const billed = { cached: 0, written: 0, output: 0 };
  let before: readonly object[] = [];
  for (const [number, reply] of replies.entries()) {
    const history = messages.slice(0, reply);
    const view = await way.view(reply);
    const same = commonPrefix(before, view);
    const estimate = fixed + sumOf(view, weigh);
    const prompt = bill(reply, view)?.prompt_tokens ?? estimate;
    // What was there before, as a share of what is counted.
    const share = number === 0 ? 0 : (fixed + sumOf(view.slice(0, same), weigh)) / Math.max(1, estimate);
    const cached = Math.round(prompt * share);
    billed.cached += cached;
    billed.written += prompt - cached;
    billed.output += conversation.usageAfter.get(reply)?.completion_tokens ?? weigh(messages[reply] as object);
    counts.peakTokens = Math.max(counts.peakTokens, prompt);
    counts.overWindow += Number(prompt > window);
    counts.prefixBreaks += Number(same < before.length);
    counts.userMissing += Number(!holdsRequest(history, view, outline));
    counts.invalid += Number(addsViolation(format, history, view));
    before = view;
  }
  return { way: way.name, window, requests: replies.length, ...counts, ...billed };
}

const sumOf = (messages: readonly object[], weigh: (message: object) => number) =>
  messages.reduce((total, message) => total + weigh(message), 0);

function remembered(weigh: (message: object) => number): (message: object) => number {
  const known = new WeakMap<object, number>();
  return (message) => {
    const tokens = known.get(message) ?? weigh(message);
    known.set(message, tokens);
    return tokens;
  };
}

function added(one: Sum, other: Sum): Sum {
  const sum = { ...one } as Record<string, unknown>;
  for (const [name, value] of Object.entries(other))
    if (typeof value === "number" && name !== "window") sum[name] = Number(sum[name]) + value;
  sum.peakTokens = Math.max(one.peakTokens, other.peakTokens);
  return sum as unknown as Sum;
}

function show(sums: readonly Sum[], prices: Prices | undefined): void {
  const { bold, dim } = paint(process.stdout);
  const [{ window, requests } = { window: 0, requests: 0 }] = sums;
  print();
  print(bold(`${grouped(requests)} requests through a window of ${grouped(window)} tokens, without an LLM`));
  const rows = sums.map((sum) => {
    const paid = prices && costs(sum, prices);
    return [
      sum.way,
      grouped((sum.cached + sum.written) / Math.max(1, sum.requests)),
      grouped(sum.peakTokens),
      grouped(sum.overWindow),
      grouped(sum.userMissing),
      grouped(sum.invalid),
      grouped(sum.prefixBreaks),
      ...(paid ? [money(paid.bill), money(paid.uncached)] : []),
    ];
  });
  const head = [
    "",
    "mean",
    "peak",
    "too long",
    "forgets",
    "illegal",
    "rewrites",
    ...(prices ? ["bill", "uncached"] : []),
  ];
  const [titles = "", ...lines] = table([head, ...rows]);
  print(bold(titles));
  for (const line of lines) print(line);
  print(dim("mean, peak: tokens of a request. too long: requests over the window, which a provider refuses."));
  print(dim("forgets: requests without the last user message. illegal: requests that break a rule the history keeps."));
  print(dim("rewrites: requests that begin differently from the one before, so the prompt cache is lost from there."));
  if (prices) print(dim("bill: with prompt caching, as if every request were sent. uncached: the same without it."));
}
