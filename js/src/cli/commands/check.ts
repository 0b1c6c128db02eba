import { checkMessages, createCompactor, type Format } from "precis";

import { COMMON } from "../arguments.ts";
import { type Command, EXIT } from "../command.ts";
import { grouped, paint } from "../paint.ts";
import { print } from "../print.ts";
import { providerFor, providerNames, rulesFor } from "../providers.ts";
import { readFiles } from "../reading.ts";
import { outliner } from "../recognise.ts";
import type { Conversation } from "../transcripts/conversation.ts";

/** A window that nothing is compacted for. */
const ANY_WINDOW = 1_000_000_000;
/** More are counted, not listed. */
const LISTED = 20;

export const check: Command = {
  name: "check",
  usage: "FILE… [options]",
  summary: "Lists the messages that a provider would refuse, and why. Exit code 1 if there are any.",
  about: ["It checks the rules for every request, and says what precis would repair before sending it."],
  options: {
    provider: { type: "string", value: "P", help: `whose rules: ${providerNames}` },
    strict: COMMON.strict,
    json: { ...COMMON.json, help: "one JSON object a line for each conversation" },
    help: COMMON.help,
  },
  async run(given) {
    const named = given.text("provider");
    if (named !== undefined) rulesFor(named);
    const { conversations, end } = await readFiles(given);
    let bad = 0;
    for (const conversation of conversations) {
      const found = await examine(conversation, named);
      bad += Number(found.problems.length > 0);
      if (given.flag("json")) print(JSON.stringify(found));
      else if (found.problems.length > 0 || conversations.length === 1) show(conversation, found);
    }
    if (!given.flag("json") && conversations.length > 1)
      print(
        `${grouped(conversations.length)} conversations, ${bad === 0 ? "none" : grouped(bad)} of which would be refused`,
      );
    return end(bad > 0 ? EXIT.found : EXIT.done);
  },
};

interface Problem {
  readonly rule: string;
  readonly index: number;
  readonly message: string;
}

interface Examined {
  readonly file: string;
  readonly name: string;
  readonly provider: string;
  readonly messages: number;
  readonly problems: readonly Problem[];
  /** How many of them are left in what precis sends. */
  readonly left: number;
  readonly warnings: readonly { readonly code: string; readonly path: string | null; readonly advice: string }[];
}

async function examine(conversation: Conversation, named: string | undefined): Promise<Examined> {
  const { file, name, messages } = conversation;
  const { name: provider, format } = providerFor(conversation, named);
  const problems = problemsIn(format, messages);
  const compactor = createCompactor<object>({ format, contextWindow: ANY_WINDOW });
  const { view, report } = await compactor.beforeModel({ messages });
  const warnings = report.warnings.filter(({ code }) => code !== "no-reply-limit");
  return { file, name, provider, messages: messages.length, problems, left: problemsIn(format, view).length, warnings };
}

function problemsIn(format: Format<object>, messages: readonly object[]): Problem[] {
  const found = checkMessages(format, messages).filter(({ rule }) => !(format.takesEmpty && rule === "empty-content"));
  const outline = outliner(format);
  const first = messages.findIndex((message) => outline(message).role !== "system");
  const opening =
    format.opening === "user" && first >= 0 && outline(messages[first] as object).role === "assistant"
      ? [
          {
            rule: "opening",
            index: first,
            message: "The first message is the assistant's, but a user message must come first.",
          },
        ]
      : [];
  return [...found, ...opening].sort((one, other) => one.index - other.index);
}

function show({ file, name, shape }: Conversation, { provider, messages, problems, left, warnings }: Examined): void {
  const { bold, dim, good, bad } = paint(process.stdout);
  print(bold(name === file ? file : `${file}, ${name}`));
  print(dim(`${shape} · ${grouped(messages)} messages · rules of ${provider}`));
  if (problems.length === 0) print(good("A provider would refuse nothing in it."));
  for (const { rule, index, message } of problems.slice(0, LISTED))
    print(`  message ${index + 1}  ${bad(rule)}  ${message}`);
  if (problems.length > LISTED) print(`  … and ${grouped(problems.length - LISTED)} more`);
  if (problems.length === 0) return;
  const repaired = problems.length - left;
  if (repaired > 0) print(`precis repairs ${left === 0 ? "all" : grouped(repaired)} of this in what it sends.`);
  if (left > 0) print(bad(`${grouped(left)} would be left in what precis sends.`));
  for (const { code, advice } of warnings) print(dim(`  ${code}: ${advice}`));
}
