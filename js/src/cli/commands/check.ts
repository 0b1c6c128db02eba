import { createCompactor } from "precis";

import { CHOICE, COMMON } from "../arguments.ts";
import { type Command, EXIT } from "../command.ts";
import { grouped, paint } from "../paint.ts";
import { print } from "../print.ts";
import { providerFor, providerNamed, providerNames, refusedBy } from "../providers.ts";
import { readFiles } from "../reading.ts";
import type { Conversation } from "../transcripts/conversation.ts";

/** A window that nothing is compacted for. */
const ANY_WINDOW = 1_000_000_000;
/** The names for `--provider`, in two lines. */
const NAMES = `P is ${providerNames}.`.split(/(?<=kimi,) /);
/** More are counted, not listed. */
const LISTED = 20;

export const check: Command = {
  name: "check",
  usage: "FILE… [options]",
  summary: "Lists the messages that a provider would refuse, and why. Exit code 1 if there are any.",
  about: [
    ...NAMES,
    "Each finding has the provider's words, the rule, and where the rule is from. Chats of another form",
    "are judged as clients of the provider would write them. What precis would repair is said as well.",
  ],
  options: {
    provider: {
      type: "string",
      value: "P",
      help: "whose rules; without it, those of the API whose form the messages have",
    },
    ...CHOICE,
    strict: COMMON.strict,
    json: { ...COMMON.json, help: "one JSON object a line for each conversation" },
    help: COMMON.help,
  },
  async run(given) {
    const named = given.text("provider");
    if (named !== undefined) providerNamed(named);
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
  /** The provider's words. */
  readonly message: string;
  readonly source: string;
  readonly status: number;
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
  const { file, name, messages, model } = conversation;
  const { provider, format } = providerFor(conversation, named);
  const problems = refusedBy(provider, conversation, messages);
  const compactor = createCompactor<object>({ format, contextWindow: ANY_WINDOW });
  const { view, report } = await compactor.beforeModel({ messages, ...(model !== undefined && { model }) });
  const left = refusedBy(provider, conversation, view).length;
  const warnings = report.warnings.filter(({ code }) => code !== "no-reply-limit");
  return { file, name, provider: provider.name, messages: messages.length, problems, left, warnings };
}

function show({ file, name, shape }: Conversation, { provider, messages, problems, left, warnings }: Examined): void {
  const { bold, dim, good, bad } = paint(process.stdout);
  print(bold(name === file ? file : `${file}, ${name}`));
  print(dim(`${shape} · ${grouped(messages)} messages · rules of ${provider}`));
  if (problems.length === 0) print(good("A provider would refuse nothing in it."));
  for (const { rule, index, message, source, status } of problems.slice(0, LISTED)) {
    print(`  ${index < 0 ? "request" : `message ${index + 1}`}  ${bad(rule)}  ${status}: ${message}`);
    print(dim(`    ${source}`));
  }
  if (problems.length > LISTED) print(`  … and ${grouped(problems.length - LISTED)} more`);
  if (problems.length === 0) return;
  const repaired = problems.length - left;
  if (repaired > 0) print(`precis repairs ${left === 0 ? "all" : grouped(repaired)} of this in what it sends.`);
  if (left > 0) print(bad(`${grouped(left)} would be left in what precis sends.`));
  for (const { code, advice } of warnings) print(dim(`  ${code}: ${advice}`));
}
