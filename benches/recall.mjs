// node benches/recall.mjs [FILE…] [--fraction 0.25 | --window 32000] [--set NAME] [--limit N] [--json] [--misses]
// [--no-peers]: what is still in the view of what a recorded assistant really used next. No LLM. Without files: the
// recorded sessions of tests/fixtures. node benches/recall.mjs --planted: what is planted once and asked for after many
// compactions.
//
// Thing: what has to be repeated exactly or is worth nothing: ids, codes, dates, flags, symbols, numbers, names, quoted
// phrases, stretches of Han. `recall/` defines them for this measure alone; tests/js/cli/recall.test.mjs has samples.
// Needed: it was used in a text or an argument of the assistant up to the next compaction, and some message before says it.
// Hard: no message that the view holds as it was says it. Fresh: hard, and nobody repeated it before its use.
// Kept: it stands anywhere in the view, and not as a part of a longer word. In context: in a message that is as it was, or
// in a line with a word of a line it came from; values of JSON are lines of their own.
// Bare names: of what a compaction wrote, the tokens in lists of four and more elements without a blank.
//
// Peers get as many tokens as our view has: the newest groups that fit (drop-oldest), the first 200 characters of each text
// (what contextguard does without a model), LangChain's `trimMessages`, the AI SDK's `pruneMessages`, and the newest
// identifiers, which no model could work with. The oracle knows what will be used, and quotes the shortest lines of the past
// that hold it: the bound of the measure.
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";

const USAGE =
  "node benches/recall.mjs [FILE…] [--fraction 0.25 | --window 32k] [--set NAME] [--limit N] [--json] [--misses] [--no-peers], or --planted";

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      fraction: { type: "string", default: "0.25" },
      window: { type: "string" },
      set: { type: "string" },
      limit: { type: "string" },
      json: { type: "boolean", default: false },
      misses: { type: "boolean", default: false },
      "no-peers": { type: "boolean", default: false },
      planted: { type: "boolean", default: false },
    },
  });
  if (values.planted) return showPlanted();
  const fraction = Number(values.fraction);
  const window = values.window === undefined ? undefined : tokensIn(values.window);
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  if (!(fraction > 0 && fraction < 1) || window <= 0 || Number.isNaN(window) || (limit !== undefined && !(limit > 0)))
    throw new Error(USAGE);
  await packages("benches");
  const { setsOf } = await import("./recall/sets.mjs");
  const { measure } = await import("./recall/measure.mjs");
  const { tables } = await import("./recall/table.mjs");
  const sets = await setsOf(positionals, { set: values.set, limit });
  const miss = values.misses ? (one) => note(lineOf(one)) : undefined;
  const rows = await measure(sets, { fraction, window, peers: !values["no-peers"], miss });
  console.log(values.json ? JSON.stringify({ rows }) : tables(rows));
});

const tokensIn = (words) => Number(words.replace(/k$/, "000"));

/**
 * A miss in a line: data set, session, the request, the message that used it, `fresh` or `hard` (repeated before it was
 * used), its class, the thing, whether a call or a text used it, who said it
 * first and last before the request, and the rung of the compaction.
 */
function lineOf({ source, session, index, at, hard, fresh, kind, thing, how, said, lastSaid, rung }) {
  const scope = fresh ? "fresh" : hard ? "hard" : "all";
  return [source, session, index, at, scope, kind, thing, how, said, lastSaid, rung].join("\t");
}

/** What is kept of a planted set after 1, 10 and 100 compactions, and how many lines of tools pass for a person's. */
async function showPlanted() {
  await packages("benches");
  const { createCompactor } = await import("precis");
  const { openaiChat } = await import("precis/formats");
  const { planted } = await import("../tests/js/suite/planted.mjs");
  const summarizers = {
    "no LLM": undefined,
    "an LLM that keeps nothing": async () => ({ text: "The work goes on.", finishReason: "stop" }),
  };
  for (const [name, summarize] of Object.entries(summarizers))
    for (const { compactions, kept, promoted } of await planted(createCompactor, openaiChat, summarize)) {
      const kinds = Object.entries(kept).map(([kind, { kept, planted }]) => `${kind} ${kept}/${planted}`);
      console.log([name, `after ${compactions}`, ...kinds, `promoted ${promoted.length}`].join("  "));
    }
}
