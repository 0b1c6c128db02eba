// node benches/reach.mjs [FILE…] [--fraction 0.25 | --window 32k] [--set NAME] [--limit N] [--json] [--misses]: of what
// benches/recall.mjs finds missing in the view, how much is in the first 1,000 tokens that `recall` returns. The query has
// the words around the place where the assistant used the thing, and those of the request, without the thing itself.
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";

const USAGE =
  "node benches/reach.mjs [FILE…] [--fraction 0.25 | --window 32k] [--set NAME] [--limit N] [--json] [--misses]";

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
    },
  });
  const fraction = Number(values.fraction);
  const window = values.window === undefined ? undefined : Number(values.window.replace(/k$/, "000"));
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  if (!(fraction > 0 && fraction < 1) || window <= 0 || Number.isNaN(window) || (limit !== undefined && !(limit > 0)))
    throw new Error(USAGE);
  await packages("benches");
  const { setsOf } = await import("./recall/sets.mjs");
  const { reach, table } = await import("./recall/reach.mjs");
  const sets = await setsOf(positionals, { set: values.set, limit });
  const miss = values.misses ? (one) => note(lineOf(one)) : undefined;
  const rows = await reach(sets, { fraction, window, miss });
  console.log(values.json ? JSON.stringify({ rows }) : table(rows));
});

/** A miss in a line: data set, session, the message that used it, its class, the thing, who said it last, the query. */
function lineOf({ source, session, at, kind, thing, lastSaid, query }) {
  return [source, session, at, kind, thing, lastSaid, query].join("\t");
}
