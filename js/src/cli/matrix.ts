import { Misfits } from "./misfits.ts";
import type { Options } from "./options.ts";
import { grouped, table } from "./paint.ts";
import { print, progressLine } from "./print.ts";
import { replay, type Totals } from "./replay.ts";
import type { Conversation } from "./transcripts/conversation.ts";

const TITLE = 70;
/** A request that cannot fit is no fault of the ladder, but a reader of the table must see it. */
const FAULTS = {
  overWindow: "over",
  newestMissing: "newest",
  userMissing: "request",
  invalid: "illegal",
  infeasible: "infeasible",
} as const;

/** Replays everything at every window: how often it compacts, and every fault there is. */
export async function matrix(conversations: readonly Conversation[], { windows, tune, json }: Options): Promise<void> {
  const progress = progressLine();
  const results: Totals[] = [];
  const misfits = new Misfits();
  for (const [index, conversation] of conversations.entries()) {
    for (const window of windows) {
      progress(`conversation ${index + 1} of ${conversations.length}, window ${window}`);
      const { totals } = await replay(conversation, window, tune, ({ report }) =>
        misfits.add(conversation.file, report),
      );
      results.push(totals);
      if (json) print(JSON.stringify(totals));
    }
  }
  progress("");
  if (!json) show(results, windows);
  if (!json) misfits.print(short);
  process.exitCode = results.some((one) => faults([one])) ? 1 : 0;
}

function show(results: readonly Totals[], windows: readonly number[]): void {
  const files = [...new Set(results.map(({ file }) => file))];
  const row = (title: string, own: readonly Totals[]) => {
    const at = windows.map((window) => own.filter((one) => one.window === window));
    const first = at[0] ?? [];
    return [title, grouped(first.length), grouped(sum(first, "requests")), ...at.map(cell)];
  };
  const rows = files.map((file) =>
    row(
      short(file),
      results.filter((one) => one.file === file),
    ),
  );
  const head = ["compactions (and faults) by window", "conversations", "requests", ...windows.map(grouped)];
  for (const line of table([head, ...rows, row("all", results)])) print(line);
}

function short(file: string): string {
  return file.length > TITLE ? `…${file.slice(1 - TITLE)}` : file;
}

/** `12`, or `12 (3 over, 1 illegal)`. */
function cell(own: readonly Totals[]): string {
  const found = faults(own);
  return grouped(sum(own, "compactions")) + (found ? ` (${found})` : "");
}

function faults(own: readonly Totals[]): string {
  return Object.entries(FAULTS)
    .map(([key, name]) => [sum(own, key as keyof typeof FAULTS), name] as const)
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(", ");
}

function sum(own: readonly Totals[], key: "requests" | "compactions" | keyof typeof FAULTS): number {
  return own.reduce((total, one) => total + one[key], 0);
}
