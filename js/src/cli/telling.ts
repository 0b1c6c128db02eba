import type { Given } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { checkLimits } from "./compactors.ts";
import { bar, grouped, paint, percent, table } from "./paint.ts";
import { print, progressLine } from "./print.ts";
import { checkLength, type Replayed, replay, type Totals } from "./replay.ts";
import { opening, Story } from "./story.ts";
import type { Conversation } from "./transcripts/conversation.ts";

/** More conversations than this are not listed one by one. */
const TOLD = 3;
/** What may go wrong with a request. */
const FAULTS = ["overWindow", "infeasible", "newestMissing", "userMissing", "invalid"] as const;

/** Replays all conversations through all windows and prints how it goes; the exit code says whether anything was wrong. */
export async function tell(
  given: Given,
  conversations: readonly Conversation[],
  windows: readonly number[],
): Promise<number> {
  for (const window of windows) checkLimits(given.limits(window));
  for (const conversation of conversations) checkLength(conversation, given.count("limit", 1));
  const way = given.flag("json") ? asJson : conversations.length > TOLD ? inBulk : oneByOne;
  const results = await way(
    conversations,
    windows.map((window) => ({ ...given.limits(window), limit: given.count("limit", 1) })),
  );
  return results.some((totals) => FAULTS.some((fault) => totals[fault] > 0)) ? EXIT.found : EXIT.done;
}

/** A line for each request of all conversations, or a JSON object. */
export async function everyRequest(
  given: Given,
  conversations: readonly Conversation[],
  windows: readonly number[],
): Promise<number> {
  let found = 0;
  for (const conversation of conversations) {
    for (const window of windows) {
      if (!given.flag("json")) print(`${conversation.name}, a window of ${grouped(window)}`);
      await replay(
        conversation,
        { ...given.limits(window), limit: given.count("limit", 1) },
        ({ request, requests, report, compaction }) => {
          found += Number(report.outcome === "infeasible");
          if (given.flag("json")) {
            const { outcome, rung, reason, before, after, firstChanged, replyRoom } = report;
            const { file, name } = conversation;
            const own = { file, name, window, request, requests, outcome, rung, reason, firstChanged, replyRoom };
            print(JSON.stringify({ ...own, before, after, ...(compaction && { compaction }) }));
            return;
          }
          const what = compaction
            ? `  ${grouped(report.before.tokens)} → ${grouped(report.after.tokens)}: ${report.rung}`
            : "";
          const place = String(request).padStart(String(requests).length);
          print(
            `  ${place}  ${bar(report.after.fraction, 30)} ${percent(report.after.fraction).padStart(5)}  ${report.outcome}${what}`,
          );
        },
      );
    }
  }
  return found > 0 ? EXIT.found : EXIT.done;
}

type Limits = ReturnType<Given["limits"]> & { readonly limit?: number | undefined };

type Way = (conversations: readonly Conversation[], limits: readonly Limits[]) => Promise<Totals[]>;

const asJson: Way = async (conversations, limits) => {
  const progress = progressLine();
  const results: Totals[] = [];
  for (const [index, conversation] of conversations.entries()) {
    for (const own of limits) {
      const { totals } = await replay(conversation, own, ({ request, requests }) =>
        progress(
          `${index + 1} of ${conversations.length} conversations, window ${own.contextWindow}, request ${request} of ${requests}`,
        ),
      );
      progress("");
      print(JSON.stringify(totals));
      results.push(totals);
    }
  }
  return results;
};

const oneByOne: Way = async (conversations, limits) => {
  const colours = paint(process.stdout);
  const progress = progressLine();
  const all: Totals[] = [];
  for (const [index, conversation] of conversations.entries()) {
    if (index) print();
    opening(conversation, print, colours);
    const results: Replayed[] = [];
    for (const own of limits) {
      const story = new Story(own.contextWindow, line, colours);
      const replayed = await replay(conversation, own, (step) => {
        story.step(step);
        progress(`request ${step.request} of ${step.requests}`);
      });
      progress("");
      story.end(replayed);
      results.push(replayed);
    }
    closing(limits.map((_, index) => results.slice(index, index + 1)));
    all.push(...results.map(({ totals }) => totals));
  }
  return all;

  function line(text = ""): void {
    progress("");
    print(text);
  }
};

const inBulk: Way = async (conversations, limits) => {
  const progress = progressLine();
  const results: Replayed[][] = [];
  for (const own of limits) {
    const replayed: Replayed[] = [];
    for (const [index, conversation] of conversations.entries()) {
      progress(`window ${own.contextWindow}: conversation ${index + 1} of ${conversations.length}`);
      replayed.push(await replay(conversation, own, () => {}));
    }
    results.push(replayed);
  }
  progress("");
  const files = new Set(conversations.map(({ file }) => file)).size;
  print(
    paint(process.stdout).bold(
      `${grouped(conversations.length)} conversations from ${files} file${files === 1 ? "" : "s"}`,
    ),
  );
  closing(results);
  return results.flatMap((own) => own.map(({ totals }) => totals));
};

/** One line a window, over all its replays. */
function closing(results: readonly (readonly Replayed[])[]): void {
  const sum = (own: readonly Replayed[], key: "requests" | "compactions" | (typeof FAULTS)[number]) =>
    grouped(own.reduce((total, { totals }) => total + totals[key], 0));
  const seen = FAULTS.filter((fault) => results.some((own) => own.some(({ totals }) => totals[fault] > 0)));
  const rows = results.map((own) => {
    const peak = Math.max(...own.map(({ totals }) => totals.peakTokens));
    const window = own[0]?.totals.window ?? 0;
    return [
      grouped(window),
      sum(own, "requests"),
      sum(own, "compactions"),
      grouped(peak),
      percent(peak / window),
      ...seen.map((fault) => sum(own, fault)),
    ];
  });
  const head = ["window", "requests", "compactions", "peak tokens", "of window", ...seen.map((fault) => TITLES[fault])];
  const [titles = "", ...lines] = table([head, ...rows]);
  print();
  print(paint(process.stdout).bold(titles));
  for (const line of lines) print(line);
  if (seen.length === 0) print("No request was over the window, invalid, or without the message it answers.");
}

const TITLES = {
  overWindow: "over window",
  infeasible: "infeasible",
  newestMissing: "newest missing",
  userMissing: "request missing",
  invalid: "illegal",
} as const;
