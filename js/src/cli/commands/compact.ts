import { createCompactor, type Format, type Prepared, summaryOf } from "precis";
import { CHOICE, COMMON, type Given, LIMITS } from "../arguments.ts";
import { calibrated } from "../calibrated.ts";
import { type Changes, changesOf } from "../changes.ts";
import { listFolder } from "../choosing.ts";
import { type Command, EXIT } from "../command.ts";
import { checkLimits } from "../compactors.ts";
import { differences } from "../difference.ts";
import { checkTarget, save } from "../output.ts";
import { cleanLines, grouped } from "../paint.ts";
import { notice, print, progressLine } from "../print.ts";
import { isUnchosen, readOne } from "../reading.ts";
import { commandSummarizer } from "../shell.ts";
import { type Conversation, TranscriptError } from "../transcripts/conversation.ts";
import { asValue } from "../transcripts/source.ts";
import { changesInWords, warningsInWords } from "../words.ts";

/** Seconds for one answer of the summarizer. */
const PATIENCE = 120;

export const compact: Command = {
  name: "compact",
  usage: "FILE [-o OUT] [options]",
  summary: "Compacts a chat once, whatever its size, and writes the messages in the form they had.",
  about: [],
  options: {
    output: { type: "string", short: "o", value: "OUT", help: "where to write; - (default) is standard output" },
    force: { type: "boolean", help: "write over OUT if it exists" },
    summarizer: {
      type: "string",
      value: "CMD",
      help: 'command: prompt in, summary out ("llm -m small"); default: a digest',
    },
    timeout: { type: "string", value: "S", help: `seconds for one answer of the summarizer (default ${PATIENCE})` },
    turns: { type: "string", value: "N", help: "how many of the newest turns stay as they are (default 1)" },
    keep: { type: "string", value: "N", help: "how many of the newest messages stay as they are" },
    focus: { type: "string", value: "TEXT", help: "what the summary should emphasize" },
    explain: { type: "boolean", help: "say what is done and why; writes messages only with -o" },
    diff: { type: "boolean", help: "show what changed, message by message; writes messages only with -o" },
    json: { ...COMMON.json, help: "what --explain says, as JSON; likewise" },
    window: COMMON.window,
    ...LIMITS,
    ...CHOICE,
    strict: COMMON.strict,
    help: COMMON.help,
  },
  async run(given) {
    const limits = given.limits(given.window());
    const keep = keepOf(given);
    const timeoutMs = 1_000 * (given.count("timeout", 1) ?? PATIENCE);
    checkLimits(limits);
    if (isUnchosen(given)) {
      listFolder(given, given.files[0] as string, "compact");
      return EXIT.done;
    }
    const told = ["explain", "diff", "json"].some((name) => given.flag(name));
    const output = given.text("output") ?? (told ? undefined : "-");
    if (output !== undefined) checkTarget(output, given.flag("force"));

    const { conversation, end } = await readOne(given);
    const write = writerOf(conversation);
    const command = given.text("summarizer");
    const progress = progressLine();
    const compactor = createCompactor<object>({
      format: conversation.format as Format<object>,
      ...limits,
      ...(command !== undefined && { summarize: commandSummarizer(command), summarizer: { timeoutMs } }),
      onEvent: (event) => {
        if (event.type === "start") progress("calling the summarizer …");
        if (event.type === "progress" && event.total > 1)
          progress(`summarizer: ${event.done} of ${event.total} answers`);
      },
    });
    const { messages, system, tools, model } = conversation;
    const focus = given.text("focus");
    const state = await calibrated(conversation);
    const prepared = await compactor.compact({
      ...{ messages, system, tools, model, state },
      ...(focus !== undefined && { focus }),
      ...(keep && { keep }),
    });
    progress("");
    const changes = changesOf(conversation.format as Format<object>, messages, prepared.view);
    if (output !== undefined) save(output, write(prepared.view), given.flag("force"));
    explain(given, { conversation, prepared, changes, aside: output === "-" });
    return end(codeOf(prepared, command !== undefined));
  },
};

function keepOf(given: Given): { turns?: number; messages?: number } | undefined {
  const turns = given.count("turns", 0);
  const messages = given.count("keep", 0);
  if (turns === undefined && messages === undefined) return undefined;
  return { ...(turns !== undefined && { turns }), ...(messages !== undefined && { messages }) };
}

/** How the messages are written: as the file had them, or as a list in the format that they were read as. */
function writerOf({ save, file, shape, format }: Conversation): (messages: readonly object[]) => string {
  if (save === null)
    throw new TranscriptError(
      `${file} holds requests of several providers (${shape}), which can be read but not written.`,
    );
  if (save) return save;
  notice(`${file} is a log, which cannot be written: its messages become a JSON list (${format.name}).`);
  return asValue({ indent: 2 });
}

function codeOf({ report }: Prepared<object>, asked: boolean): number {
  if (report.outcome === "infeasible") return EXIT.found;
  return asked && report.summarizer.failed !== null ? EXIT.fallback : EXIT.done;
}

interface Outcome {
  readonly conversation: Conversation;
  readonly prepared: Prepared<object>;
  readonly changes: Changes;
  /** Standard output is taken by the messages. */
  readonly aside: boolean;
}

/** What was asked for on standard output, where that is free; failures and refusals on standard error in any case. */
function explain(given: Given, { conversation, prepared, changes, aside }: Outcome): void {
  const { report, state, view } = prepared;
  const line = (text = "") => (aside ? notice(text) : print(text));
  const { failed } = report.summarizer;
  if (failed !== null)
    notice(`The summarizer's answer was not used: ${failed} A digest written by code takes its place.`);
  if (report.outcome === "infeasible") notice(report.reason);
  if (given.flag("json")) {
    const { whole, clipped, cleared, covered, added } = changes;
    const counts = { whole: whole.length, clipped, cleared, covered, added: added.length };
    line(JSON.stringify({ messages: conversation.messages.length, view: view.length, ...counts, report }));
    return;
  }
  if (given.flag("explain")) {
    line(`${grouped(report.before.tokens)} → ${grouped(report.after.tokens)} tokens: ${report.reason}`);
    for (const one of changesInWords(changes)) line(one);
    for (const one of warningsInWords(report)) line(one);
    const summary = summaryOf(state);
    if (summary !== null && changes.covered.length > 0) line(`\nThe summary:\n\n${cleanLines(summary)}`);
  }
  if (given.flag("diff")) for (const one of differences(conversation, view, changes)) line(one);
  if (!changes.covered.length && !changes.copies.size) notice("There was nothing to compact.");
}
