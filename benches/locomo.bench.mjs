// Of the turns of LoCoMo's conversations that answer its questions and are out of view, how many `recall` returns to the
// question in 1,000 tokens: PRECIS_LOCOMO=FILE npm run bench -- locomo. By itself: node benches/locomo.bench.mjs [FILE]
// [--table] [--misses] [--embedder FOLDER] [--window 8000]. FILE is locomo10.json of github.com/snap-research/locomo, which
// may not be passed on. `--embedder` (or PRECIS_EMBEDDER) is a folder with tokenizer.json and onnx/model.onnx for
// @huggingface/transformers, which is looked for where PRECIS_TRANSFORMERS says, for the row with `rank`.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";
import { row } from "./row.mjs";

const GOAL = 0.65;
const GOAL_WITH_RANK = 0.75;

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      table: { type: "boolean", default: false },
      misses: { type: "boolean", default: false },
      embedder: { type: "string", default: process.env.PRECIS_EMBEDDER ?? "" },
      window: { type: "string", default: "8000" },
    },
  });
  const file = positionals[0] ?? process.env.PRECIS_LOCOMO ?? "";
  if (!existsSync(file)) {
    note("PRECIS_LOCOMO does not name locomo10.json: nothing is measured");
    return;
  }
  await packages("benches");
  const { conversations } = await import("./locomo/conversations.mjs");
  const { bm25 } = await import("./locomo/bm25.mjs");
  const { measure } = await import("./locomo/measure.mjs");
  const { ours, reranked } = await import("./locomo/ours.mjs");
  const ways = { precis: ours, "BM25 over turns": bm25(), "BM25 with a crude stemmer": bm25({ stemmed: true }) };
  if (values.embedder) ways["precis with rank"] = await reranked(values.embedder);
  const miss = values.misses ? note : undefined;
  const results = await measure(conversations(file), ways, Number(values.window), miss);
  if (values.table) table(results);
  else for (const one of rows(results)) console.log(JSON.stringify(one));
});

function rows(results) {
  return results.flatMap(({ way, all, halves }) => {
    const goal = way === "precis" ? GOAL : way === "precis with rank" ? GOAL_WITH_RANK : null;
    const peer = way.startsWith("precis") ? null : way;
    const of = ({ found, due }) => Math.round((found / due) * 1_000) / 1_000;
    const what = way === "precis with rank" ? "evidence found with an embedder" : "evidence found";
    return [
      row(what, of(all), "of what is out of view", goal && `>= ${goal}`, goal === null || of(all) >= goal, { peer }),
      ...halves.map((half, at) =>
        row(`${what}, ${at ? "not tuned on" : "tuned on"}`, of(half), "of it", null, true, { peer }),
      ),
    ];
  });
}

function table(results) {
  const kinds = [...results[0].kinds.keys()].sort();
  const percent = ({ found, due }) => `${((100 * found) / due).toFixed(1)} %`;
  const head = ["", "all", "tuned on", "not tuned on", ...kinds.map((kind) => `category ${kind}`)];
  console.log(`| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}`);
  for (const { way, all, halves, kinds: by } of results)
    console.log(`| ${[way, ...[all, ...halves, ...kinds.map((kind) => by.get(kind))].map(percent)].join(" | ")} |`);
  note(`${results[0].all.due} turns are due`);
}
