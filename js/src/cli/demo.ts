import { createCompactor, PrecisError } from "precis";
import { openaiChat } from "precis/formats";
import { load } from "./files.ts";
import { matrix } from "./matrix.ts";
import { HELP, type Options, options, UsageError } from "./options.ts";
import { grouped, paint, percent, table } from "./paint.ts";
import { print, progressLine } from "./print.ts";
import { type Replayed, replay } from "./replay.ts";
import { opening, Story } from "./story.ts";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";

/** More conversations than this are not listed one by one. */
const TOLD = 3;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});
main().catch((error: unknown) => {
  if (!(error instanceof UsageError || error instanceof TranscriptError || error instanceof PrecisError)) throw error;
  console.error(error instanceof PrecisError ? `${error.code}: ${error.advice}` : error.message);
  process.exitCode = 2;
});

async function main(): Promise<void> {
  const asked = options(process.argv.slice(2));
  if (asked.help) return print(HELP.trimEnd());
  // Wrong options are refused before anything is printed.
  for (const contextWindow of asked.windows) createCompactor({ format: openaiChat, contextWindow, tune: asked.tune });
  let skipped = 0;
  const conversations = load(asked.files, (reason) => {
    if (asked.strict) throw new TranscriptError(reason);
    skipped += 1;
    console.error(reason);
  });
  if (asked.matrix) await matrix(conversations, asked);
  else if (asked.json) await asJson(conversations, asked);
  else if (conversations.length > TOLD) await inBulk(conversations, asked);
  else await oneByOne(conversations, asked);
  if (skipped === 0) return;
  console.error(
    `Skipped ${grouped(skipped)} ${skipped === 1 ? "line or file" : "lines or files"} that cannot be read.`,
  );
  process.exitCode = 2;
}

async function asJson(conversations: readonly Conversation[], { windows, tune }: Options): Promise<void> {
  const progress = progressLine();
  for (const [index, conversation] of conversations.entries()) {
    for (const window of windows) {
      const { totals } = await replay(conversation, window, tune, ({ request, requests }) =>
        progress(
          `${index + 1} of ${conversations.length} conversations, window ${window}, request ${request} of ${requests}`,
        ),
      );
      progress("");
      print(JSON.stringify(totals));
    }
  }
}

async function oneByOne(conversations: readonly Conversation[], { windows, tune }: Options): Promise<void> {
  const colours = paint(process.stdout);
  const progress = progressLine();
  for (const [index, conversation] of conversations.entries()) {
    if (index) print();
    opening(conversation, print, colours);
    const results: Replayed[] = [];
    for (const window of windows) {
      const story = new Story(window, tell, colours);
      const replayed = await replay(conversation, window, tune, (step) => {
        story.step(step);
        progress(`request ${step.request} of ${step.requests}`);
      });
      progress("");
      story.end(replayed);
      results.push(replayed);
    }
    closing(windows.map((_, index) => results.slice(index, index + 1)));
  }

  function tell(line = ""): void {
    progress("");
    print(line);
  }
}

async function inBulk(conversations: readonly Conversation[], { windows, tune }: Options): Promise<void> {
  const progress = progressLine();
  const results: Replayed[][] = [];
  for (const window of windows) {
    const own: Replayed[] = [];
    for (const [index, conversation] of conversations.entries()) {
      progress(`window ${window}: conversation ${index + 1} of ${conversations.length}`);
      own.push(await replay(conversation, window, tune, () => {}));
    }
    results.push(own);
  }
  progress("");
  const files = new Set(conversations.map(({ file }) => file)).size;
  print(
    paint(process.stdout).bold(
      `${grouped(conversations.length)} conversations from ${files} file${files === 1 ? "" : "s"}`,
    ),
  );
  closing(results);
}

/** One line a window, over all its replays. */
function closing(results: readonly (readonly Replayed[])[]): void {
  const sum = (
    own: readonly Replayed[],
    key: "requests" | "compactions" | "overWindow" | "infeasible" | "newestMissing" | "userMissing" | "invalid",
  ) => grouped(own.reduce((total, { totals }) => total + totals[key], 0));
  const rows = results.map((own) => {
    const peak = Math.max(...own.map(({ totals }) => totals.peakTokens));
    const window = own[0]?.totals.window ?? 0;
    const faults = [sum(own, "newestMissing"), sum(own, "userMissing"), sum(own, "invalid")];
    return [
      grouped(window),
      sum(own, "requests"),
      sum(own, "compactions"),
      grouped(peak),
      percent(peak / window),
      sum(own, "overWindow"),
      sum(own, "infeasible"),
      ...faults,
    ];
  });
  const head = [
    "window",
    "requests",
    "compactions",
    "peak tokens",
    "of window",
    "over window",
    "infeasible",
    "newest missing",
    "request missing",
    "illegal",
  ];
  const [titles = "", ...lines] = table([head, ...rows]);
  print();
  print(paint(process.stdout).bold(titles));
  for (const line of lines) print(line);
}
