import { type Compactor, createCompactor, type Format, type Prepared } from "precis";
import { type Anatomy, anatomyOf, type Share } from "../anatomy.ts";
import { CHOICE, COMMON, DEFAULT_WINDOW, LIMITS } from "../arguments.ts";
import { calibrated } from "../calibrated.ts";
import { type Changes, changesOf } from "../changes.ts";
import { listFolder } from "../choosing.ts";
import { type Command, EXIT } from "../command.ts";
import { checkLimits } from "../compactors.ts";
import { bar, fit, grouped, paint, percent, table } from "../paint.ts";
import { print } from "../print.ts";
import { isUnchosen, readOne } from "../reading.ts";
import { writeReport } from "../reporting.ts";
import type { Conversation } from "../transcripts/conversation.ts";
import { changesInWords, listOf, warningsInWords } from "../words.ts";

const BAR = 30;

export const inspect: Command = {
  name: "inspect",
  usage: "FILE [options]",
  summary: "Shows what fills the context of a chat, and what a compaction would remove from it.",
  about: ["Counts are estimates, corrected by the usage in the transcript if it was recorded."],
  options: {
    window: COMMON.window,
    top: { type: "string", value: "N", help: "how many of the biggest messages and duplicates to list (default 8)" },
    ...CHOICE,
    ...LIMITS,
    html: {
      type: "string",
      value: "OUT",
      help: "write a page that shows each request: chart, messages, summary, memory",
    },
    compare: { type: "boolean", help: "with --html: strategies, and what is done without precis, side by side" },
    prices: { type: "string", value: "I,C,W,O", help: "with --html: prices of a million tokens, for the bill" },
    force: { type: "boolean", help: "with --html: write over OUT if it exists" },
    strict: COMMON.strict,
    json: COMMON.json,
    help: COMMON.help,
  },
  async run(given) {
    const limits = given.limits(given.window());
    const top = given.count("top", 0) ?? 8;
    checkLimits(limits);
    if (isUnchosen(given)) {
      listFolder(given, given.files[0] as string, "inspect");
      return EXIT.done;
    }
    const html = given.text("html");
    if (html !== undefined) return writeReport(given, html);
    const { conversation, end } = await readOne(given);
    const format = conversation.format as Format<object>;
    const compactor = createCompactor<object>({ format, ...limits });
    const seen = await look(conversation, compactor);
    if (given.flag("json")) print(JSON.stringify(asJson(conversation, seen, top)));
    else show(conversation, seen, top, given.list("window").length === 0);
    return end(seen.next.report.outcome === "infeasible" ? EXIT.found : EXIT.done);
  },
};

/** The newest usage in the transcript, beside what is estimated of the texts alone. */
interface Recorded {
  readonly requests: number;
  readonly prompt: number;
  readonly estimate: number;
}

interface Seen {
  readonly recorded: Recorded | null;
  readonly anatomy: Anatomy;
  readonly usage: ReturnType<Compactor<object>["usage"]>;
  /** The next request as `beforeModel` would prepare it, or, where nothing is to be done yet, as `compact` would. */
  readonly next: Prepared<object>;
  readonly forced: boolean;
  readonly changes: Changes;
}

async function look(conversation: Conversation, compactor: Compactor<object>): Promise<Seen> {
  const { messages, system, tools, model, format } = conversation;
  const call = { messages, system, tools, model, state: await calibrated(conversation) };
  const usage = compactor.usage(call);
  const due = await compactor.beforeModel(call);
  const forced = due.report.outcome === "unchanged";
  const next = forced ? await compactor.compact(call) : due;
  const changes = changesOf(format as Format<object>, messages, next.view);
  const recorded = recordedOf(conversation, compactor);
  return { recorded, anatomy: anatomyOf(conversation, usage), usage, next, forced, changes };
}

function recordedOf(conversation: Conversation, compactor: Compactor<object>): Recorded | null {
  const { messages, usageAfter, system, tools, model } = conversation;
  const last = [...usageAfter].at(-1);
  if (!last) return null;
  const [at, { prompt_tokens: prompt }] = last;
  const estimate = compactor.usage({ messages: messages.slice(0, at), system, tools, model }).tokens;
  return { requests: usageAfter.size, prompt, estimate };
}

function show(conversation: Conversation, seen: Seen, top: number, byDefault: boolean): void {
  const { anatomy, usage, next, forced, changes } = seen;
  const { bold, dim, warn } = paint(process.stdout);
  const { file, name, shape, messages, model } = conversation;
  print(bold(name === file ? file : `${file}, ${name}`));
  print(dim([shape, `${grouped(messages.length)} messages`, model].filter(Boolean).join(" · ")));
  if (anatomy.unread.length > 0)
    print(warn(`${listOf(anatomy.unread)} cannot be read as ${shape}: counted whole, and never changed.`));
  print();
  distance(usage, byDefault && usage.window === DEFAULT_WINDOW);
  if (seen.recorded) {
    const { requests, prompt, estimate } = seen.recorded;
    const counted = `${grouped(requests)} ${requests === 1 ? "request has its" : "requests have their"} recorded usage`;
    print(
      dim(
        `${counted}: the newest prompt had ${grouped(prompt)} tokens; its texts alone are about ${grouped(estimate)}`,
      ),
    );
  }
  print();
  chart(anatomy.shares, usage.tokens);
  biggest(anatomy, usage.tokens, top);
  duplicates(anatomy, top);
  print();
  print(bold(forced ? "If it were compacted now, although it is not due" : "What precis does before the next request"));
  const { before, after, reason } = next.report;
  print(`  ${grouped(before.tokens)} → ${grouped(after.tokens)} tokens: ${reason}`);
  for (const line of changesInWords(changes)) print(`  ${line}`);
  for (const line of warningsInWords(next.report)) print(warn(`  ${line}`));
}

function distance(
  { tokens, bound, window, trigger, untilCompaction, source }: Seen["usage"],
  byDefault: boolean,
): void {
  const { good, warn, bad, dim } = paint(process.stdout);
  const full = tokens / window;
  const colour = tokens > window ? bad : untilCompaction === 0 ? warn : good;
  const how = source === "reported" ? "from what the provider counted" : `an estimate, ± ${grouped(bound)}`;
  print(
    `${colour(bar(full, BAR))} ${percent(full)} of a window of ${grouped(window)}${byDefault ? " (--window N sets another)" : ""}`,
  );
  const left = untilCompaction > 0 ? `${grouped(untilCompaction)} to go` : `${grouped(tokens + bound - trigger)} over`;
  // The distance counts what the estimate may be too low by, so the sentence has to say so to add up.
  const margin = bound > 0 ? ` with a margin of ${grouped(bound)}` : "";
  print(`${grouped(tokens)} tokens ${dim(`(${how})`)}; compaction starts at ${grouped(trigger)}: ${left}${margin}`);
}

/** Kinds, largest first, and below a kind its tools. */
function chart(shares: readonly Share[], tokens: number): void {
  const { dim } = paint(process.stdout);
  const kinds = new Map<string, Share[]>();
  for (const share of shares) kinds.set(share.kind, [...(kinds.get(share.kind) ?? []), share]);
  const sum = (some: readonly Share[]) => some.reduce((total, share) => total + share.tokens, 0);
  const rows: string[][] = [];
  const sorted = [...kinds].sort(([, one], [, other]) => sum(other) - sum(one));
  const row = (title: string, own: number, count: number) =>
    rows.push([
      title,
      grouped(own),
      percent(own / Math.max(1, tokens)),
      bar(own / Math.max(1, tokens), BAR),
      count ? `${grouped(count)} ×` : "",
    ]);
  for (const [kind, own] of sorted) {
    const unseen = kind === "system" && own.every(({ count }) => count === 0);
    row(
      unseen ? "system, not in the file" : kind,
      sum(own),
      own.reduce((total, { count }) => total + count, 0),
    );
    const tools = own.filter(({ tool }) => tool !== undefined);
    for (const { tool, tokens, count } of tools.slice(0, MOST_TOOLS)) row(`  ${fit(tool ?? "", 30)}`, tokens, count);
    const rest = tools.slice(MOST_TOOLS);
    if (rest.length > 0)
      row(
        `  ${rest.length} more tools`,
        sum(rest),
        rest.reduce((total, { count }) => total + count, 0),
      );
  }
  for (const [at, line] of table(rows).entries()) print(rows[at]?.[0]?.startsWith("  ") ? dim(line) : line);
}

const MOST_TOOLS = 8;

function biggest({ messages }: Anatomy, tokens: number, top: number): void {
  const sorted = [...messages].sort((one, other) => other.tokens - one.tokens).slice(0, top);
  if (sorted.length === 0) return;
  print();
  print(paint(process.stdout).bold("Biggest messages"));
  const rows = sorted.map(({ index, role, tools, tokens: own }) => [
    `  ${index + 1}`,
    grouped(own),
    percent(own / Math.max(1, tokens)),
    [role, ...tools.slice(0, 2).map((tool) => fit(tool, 30))].join(" ") + (tools.length > 2 ? " …" : ""),
  ]);
  if (sorted.some(({ tokens: own }) => own > tokens))
    print(
      paint(process.stdout).dim("  each by its own estimate, which is more than the provider counted for all of them"),
    );
  const width = Math.max(...rows.map((row) => (row[3] ?? "").length));
  for (const [at, line] of table(rows.map((row) => row.with(3, (row[3] ?? "").padEnd(width)))).entries())
    print(`${line}  ${paint(process.stdout).dim(fit(sorted[at]?.text ?? "", 50))}`);
}

function duplicates({ duplicates }: Anatomy, top: number): void {
  if (duplicates.length === 0 || top === 0) return;
  const all = duplicates.reduce((total, { tokens }) => total + tokens, 0);
  print();
  print(paint(process.stdout).bold(`Repeated content: ${grouped(all)} tokens`));
  for (const { indices, what, tokens, text } of duplicates.slice(0, top))
    print(`  ${grouped(tokens)}  ${fit(what, 60)}, ${listOf(indices)}  ${paint(process.stdout).dim(fit(text, 40))}`);
  if (duplicates.length > top) print(`  … and ${duplicates.length - top} more`);
}

function asJson(
  conversation: Conversation,
  { recorded, anatomy, usage, next, forced, changes }: Seen,
  top: number,
): object {
  const { file, name, shape, model, messages } = conversation;
  const short = <T extends { readonly text: string }>(one: T) => ({ ...one, text: fit(one.text, 200) });
  const biggest = [...anatomy.messages].sort((one, other) => other.tokens - one.tokens).slice(0, top);
  const { whole, clipped, cleared, covered, added } = changes;
  return {
    file,
    name,
    shape,
    model: model ?? null,
    messages: messages.length,
    usage,
    recorded,
    shares: anatomy.shares,
    biggest: biggest.map(short),
    duplicates: anatomy.duplicates.slice(0, top).map(short),
    unread: anatomy.unread,
    compaction: {
      due: !forced,
      ...{ whole: whole.length, clipped, cleared, covered, added: added.length },
      report: next.report,
    },
  };
}
