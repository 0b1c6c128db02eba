import { bar, fit, grouped, type Paint, percent, sparkline } from "./paint.ts";
import type { Compaction, Replayed, Step } from "./replay.ts";
import type { Conversation } from "./transcripts/conversation.ts";

const BAR = 40;
const SUMMARY_LINES = 8;
/** Compactions, and summaries, shown at length; later ones take a line, and those past the limit are only counted. */
const TOLD = 2;
const LISTED = 12;

type Print = (line?: string) => void;

export function opening(
  { file, name, shape, messages, usageAfter }: Conversation,
  print: Print,
  { bold, dim }: Paint,
): void {
  const recorded = [...usageAfter.values()].map((usage) => usage.prompt_tokens);
  const counted = recorded.length
    ? ` · the provider counted up to ${grouped(Math.max(...recorded))} tokens a request`
    : "";
  print(bold(name === file ? file : `${file}, ${name}`));
  print(dim(`${shape} · ${grouped(messages.length)} messages${counted}`));
}

/** Tells one replay while it runs: the window filling up, and what each compaction does. */
export class Story {
  private readonly fractions: number[] = [];
  private nextMark = 0;
  private compactions = 0;
  private unlisted = 0;
  private summaries = 0;
  private summary: string | null = null;

  constructor(
    window: number,
    private readonly print: Print,
    private readonly paint: Paint,
  ) {
    print();
    print(paint.bold(`A window of ${grouped(window)} tokens`));
  }

  step({ request, requests, report, compaction }: Step): void {
    this.fractions.push(report.after.fraction);
    const place = `request ${String(request).padStart(String(requests).length)}`;
    if (compaction) this.compaction(place, report, compaction);
    else if (this.compactions < TOLD && report.after.fraction >= this.nextMark) this.fill(place, report.after);
  }

  end({ billed, totals }: Replayed): void {
    const { dim, bad, good } = this.paint;
    if (this.unlisted) this.print(`  … and ${this.unlisted} more compactions`);
    this.print(dim(`  ${sparkline(this.fractions, 80)}  all ${totals.requests} requests`));
    const faults = [
      [totals.newestMissing, "lack the newest message"],
      [totals.userMissing, "lack the turn's user message"],
      [totals.invalid, "break a rule of the provider that the recorded history keeps"],
    ] as const;
    const found = faults.filter(([count]) => count > 0).map(([count, what]) => `${count} requests ${what}`);
    if (found.length) this.print(bad(`  ${found.join("; ")}`));
    else
      this.print(
        good("  every request holds the newest message and the turn's request, and is valid for the provider"),
      );
    if (billed.requests) {
      const over = billed.overWindow ? bad(`${billed.overWindow} over the window`) : "none over the window";
      this.print(dim(`  by the provider's own recorded counts: at most ${grouped(billed.peakTokens)} tokens, ${over}`));
    }
  }

  private fill(place: string, { tokens, fraction }: { tokens: number; fraction: number }): void {
    const { good, warn, bad } = this.paint;
    const colour = fraction > 1 ? bad : fraction > 0.75 ? warn : good;
    this.print(`  ${place}  ${colour(bar(fraction, BAR))} ${percent(fraction).padStart(5)}  ${grouped(tokens)}`);
    this.nextMark = Math.floor(fraction * 10) / 10 + 0.1;
  }

  private compaction(place: string, { before, after, rung, outcome }: Step["report"], made: Compaction): void {
    this.compactions = made.number;
    const summarized = made.summary !== this.summary && this.summaries < TOLD;
    if (made.number > LISTED && !summarized) {
      this.unlisted += 1;
      return;
    }
    const atLength = made.number <= TOLD || summarized;
    if (atLength) this.fill(place, before);
    const how = [rung, outcome === "compacted" ? null : outcome].filter(Boolean).join(", ");
    const change = `compaction ${made.number}: ${grouped(before.tokens)} → ${grouped(after.tokens)} tokens`;
    this.print(`  ${place}  ${this.paint.bold(change)} (${how}); ${keeps(made)}`);
    if (summarized) {
      this.summaries += 1;
      this.summary = made.summary;
      for (const line of excerpt(made.summary)) this.print(this.paint.dim(`    │ ${line}`));
    }
    if (atLength) this.fill(place, after);
  }
}

function keeps({ whole, shortened, gone }: Compaction): string {
  const messages = (count: number) => `${count} message${count === 1 ? "" : "s"}`;
  const parts = [`${messages(whole)} kept whole`];
  if (shortened) parts.push(`${shortened} shortened`);
  if (gone) parts.push(`${gone} replaced by the summary`);
  return parts.join(", ");
}

/** The first lines of the summary, as wide as a terminal is. */
function excerpt(summary: string | null): string[] {
  const lines = (summary ?? "").split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, SUMMARY_LINES).map((line) => fit(line, 110));
  return lines.length > SUMMARY_LINES ? [...shown, `… ${lines.length - SUMMARY_LINES} more lines`] : shown;
}
