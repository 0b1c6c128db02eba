// node benches/recall.mjs [FILE…] [--fraction 0.25 | --window 32000] [--set NAME] [--limit N] [--json] [--misses]
// [--no-peers]: what is still in the view of what a recorded assistant really used next. No LLM. Without files: the
// recorded sessions of tests/fixtures. node benches/recall.mjs --planted: what is planted once and asked for after many
// compactions. See docs/recall.md for the definitions.
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
