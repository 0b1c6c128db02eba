// node benches/recall.mjs FILE… [--fraction 0.25] [--json] [--misses]: what is still in the view of what a recorded
// session needs next. No LLM. node benches/recall.mjs --planted: what is planted once and asked for after many
// compactions. See docs/recall.md for the definitions.
import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";
import { program } from "../js/scripts/demo.mjs";

/** A session with fewer compactions says little about what survives them. */
const LEAST_COMPACTIONS = 3;
export const OURS = "precis";

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      fraction: { type: "string", default: "0.25" },
      json: { type: "boolean", default: false },
      misses: { type: "boolean", default: false },
      planted: { type: "boolean", default: false },
    },
  });
  if (values.planted) return showPlanted();
  const fraction = Number(values.fraction);
  if (!positionals.length || !(fraction > 0 && fraction < 1))
    throw new Error("node benches/recall.mjs FILE… [--fraction 0.25] [--json] [--misses], or --planted");
  await packages("benches");
  const { load } = await import(pathToFileURL(await program("files")).href);
  const sessions = positionals.flatMap((file) =>
    load([file], note).map((session) => ({ source: sourceOf(file), session })),
  );
  const results = await measure(sessions, fraction, values.misses ? note : () => {});
  if (values.json) console.log(JSON.stringify({ rows: results }));
  else show(results);
});

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

/** A folder is a source of its own; a file belongs to the source its folder is named after. */
function sourceOf(file) {
  const path = resolve(file);
  return basename(existsSync(path) && statSync(path).isDirectory() ? path : dirname(path));
}

/** One row for each source and method, and one for all sources together. */
async function measure(all, fraction, miss) {
  const { rows } = await import("./recall/rows.mjs");
  const { replay } = await import("./recall/replay.mjs");
  const sums = new Map();
  const sources = new Map();
  for (const { source, session } of all) {
    const points = await replay(session, fraction);
    if (points.length < LEAST_COMPACTIONS) continue;
    const methods = { ...rows, [OURS]: ({ view }) => view };
    for (const at of [source, "all"]) sources.set(at, (sources.get(at) ?? 0) + 1);
    for (const [method, make] of Object.entries(methods)) {
      for (const point of points) {
        const view = await make(point);
        const { kept, missed } = point.judge(view);
        if (method === OURS) for (const one of missed) miss(`${source}\t${session.name}\t${point.index}\t${one}`);
        for (const at of [source, "all"]) {
          const key = `${at}\t${method}`;
          const sum = sums.get(key) ?? { compactions: 0, needed: 0, kept: 0, tokens: 0 };
          sums.set(key, sum);
          sum.compactions += 1;
          sum.needed += kept.length + missed.length;
          sum.kept += kept.length;
          sum.tokens += view.reduce((total, { tokens }) => total + tokens, 0);
        }
      }
    }
  }
  return [...sums].map(([key, { compactions, needed, kept, tokens }]) => {
    const [source, method] = key.split("\t");
    return {
      source,
      method,
      sessions: sources.get(source),
      compactions,
      needed,
      kept,
      recall: needed ? Math.round((kept / needed) * 10_000) / 10_000 : null,
      meanTokens: Math.round(tokens / compactions),
    };
  });
}

function show(rows) {
  const sources = [...new Set(rows.map(({ source }) => source))].filter((source) => source !== "all");
  const head = ["recall (mean view tokens)", ...sources, "all"];
  const table = [head];
  for (const method of new Set(rows.map((row) => row.method))) {
    const cell = (source) => {
      const row = rows.find((one) => one.method === method && one.source === source);
      return row?.recall == null ? "-" : `${(row.recall * 100).toFixed(1)} % (${row.meanTokens})`;
    };
    table.push([method, ...head.slice(1).map(cell)]);
  }
  const of = (source, what) => String(rows.find((row) => row.source === source)?.[what] ?? 0);
  for (const what of ["sessions", "compactions", "needed"])
    table.push([what, ...head.slice(1).map((source) => of(source, what))]);
  const widths = head.map((_, column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    );
}
