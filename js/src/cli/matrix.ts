import { COMMON, LIMITS } from "./arguments.ts";
import { type Command, EXIT } from "./command.ts";
import { Misfits } from "./misfits.ts";
import { grouped, table } from "./paint.ts";
import { print, progressLine } from "./print.ts";
import { readFiles } from "./reading.ts";
import { replay, type Totals } from "./replay.ts";

const TITLE = 70;
/** A request that cannot fit is no fault of the ladder, but a reader of the table must see it. */
const FAULTS = {
  overWindow: "over",
  newestMissing: "newest",
  userMissing: "request",
  invalid: "illegal",
  infeasible: "infeasible",
} as const;

/** The recorded sessions of the project; beside them lie files that are none. */
const FILES = "ai-sdk anthropic openai-chat pi-session provider-pairs swe-agent tau-bench"
  .split(" ")
  .map((folder) => `tests/fixtures/${folder}`);
const WINDOWS = [4_000, 8_000, 32_000, 200_000];

/** For the project itself, not in the package: replays everything at every window; how often it compacts, and every fault there is. */
export const matrix: Command = {
  name: "matrix",
  usage: "[FILE…] [options]",
  summary: "Prints a table with a line for each file and a column for each window. Fails on any fault.",
  about: ["Without a FILE, it uses the recorded sessions of the project."],
  options: {
    window: { ...COMMON.windows, help: `${COMMON.windows.help} (default ${WINDOWS.join(",")})` },
    ...LIMITS,
    strict: COMMON.strict,
    json: COMMON.json,
    help: COMMON.help,
  },
  async run(given) {
    const windows = given.windows(WINDOWS);
    const { conversations, end } = await readFiles(given, given.files.length > 0 ? given.files : FILES);
    const progress = progressLine();
    const results: Totals[] = [];
    const misfits = new Misfits();
    for (const [index, conversation] of conversations.entries()) {
      for (const window of windows) {
        progress(`conversation ${index + 1} of ${conversations.length}, window ${window}`);
        const { totals } = await replay(conversation, given.limits(window), ({ report }) =>
          misfits.add(conversation.file, report),
        );
        results.push(totals);
        if (given.flag("json")) print(JSON.stringify(totals));
      }
    }
    progress("");
    if (!given.flag("json")) show(results, windows);
    if (!given.flag("json")) misfits.print(short);
    return end(results.some((one) => faults([one])) ? EXIT.found : EXIT.done);
  },
};

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
