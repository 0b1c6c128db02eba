// What a user said once, and what of it the model still sees after a million tokens of recorded work and a hundred
// compactions: `npm run bench -- longterm`. By itself: node benches/longterm.bench.mjs [FILE…] [--table] [--json]
// [--script first|second] [--window N] [--mode digest|model] [--tokens N] [--compactions N] [--seed N] [--misses]. Without
// files: the fixtures.
// The words differ from seed to seed; without one it is the day's, and the seed is reported.
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";
import { collisions, SCRIPTS, script } from "./longterm/planted.mjs";
import { row as rowOf } from "./row.mjs";

/** Milliseconds of a day: as long a seed is the same if none is given. */
const DAY = 86_400_000;
const MOST_STATE = 64_000;

main(import.meta.url, async (args) => {
  const options = read(args);
  await packages("benches");
  const { session, written } = await import("./longterm/walk.mjs");
  const { recorded } = await import("./longterm/work.mjs");
  const said = script(options.seed, SCRIPTS[options.script]);
  note(`seed ${options.seed}: --script ${options.script} --seed ${options.seed} says the same`);
  const planted = session(await recorded(options.files), options.tokens, said);
  for (const { says } of collisions(said, written([...planted.recorded], new Set())))
    note(`the recorded work itself says what “${says}” is known by`);
  const results = [];
  for (const window of options.windows) results.push(...(await measure(planted, window, options)));
  if (options.table) table(results);
  else for (const result of results) for (const row of rows(result)) console.log(JSON.stringify(row));
  if (options.misses) for (const result of results) misses(result);
});

function read(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      table: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      misses: { type: "boolean", default: false },
      window: { type: "string", multiple: true, default: ["14000", "20000", "32000", "64000"] },
      mode: { type: "string", multiple: true, default: ["digest", "model"] },
      script: { type: "string", default: "first" },
      tokens: { type: "string", default: "1000000" },
      compactions: { type: "string", default: "100" },
      seed: { type: "string", default: String(Math.floor(Date.now() / DAY)) },
    },
  });
  return {
    files: positionals,
    table: values.table && !values.json,
    misses: values.misses,
    windows: values.window.map((one) => (/k$/i.test(one) ? parseFloat(one) * 1_000 : Number(one))),
    modes: values.mode,
    script: values.script,
    tokens: Number(values.tokens),
    compactions: Number(values.compactions),
    seed: Number(values.seed),
  };
}

/** A walk in each mode through one window, and what the peers leave at the size of our last view. */
async function measure(planted, window, { modes, compactions }) {
  const { beside, walk } = await import("./longterm/walk.mjs");
  const { weighAll } = await import("./longterm/work.mjs");
  const { kept, revoked } = planted.script;
  const counts = { due: kept.length, revoked: revoked.length };
  const results = [];
  for (const mode of modes) {
    const walked = await walk(planted, { window, mode, compactions });
    const peers = await beside(planted, weighAll(walked.view));
    results.push({ window, mode, peers, ...counts, ...walked });
  }
  return results;
}

const named = ({ window, mode }) => `${window / 1_000}k, ${mode === "digest" ? "no LLM" : "an LLM that loses half"}`;

/** The rows of one walk for js/scripts/bench.mjs. */
function rows(result) {
  const { due, revoked, lost, asserted, duplicates, largest, after, infeasible, peers } = result;
  const at = named(result);
  const row = (what, ...rest) => rowOf(`${what}, ${at}`, ...rest);
  const stands = due - lost.length;
  const missing = { samples: { lost: lost.map(({ says }) => says), asserted: asserted.map(({ before }) => before) } };
  return [
    row(`kept of ${due}`, stands, "things", due, stands === due, missing),
    ...Object.entries(peers).map(([peer, count]) => row(`kept of ${due}`, count, "things", null, true, { peer })),
    row(`asserted of ${revoked} revoked`, asserted.length, "things", 0, asserted.length === 0),
    row("told more than once", duplicates.length, "things", 0, duplicates.length === 0, { samples: duplicates }),
    row("largest state", largest, "bytes", `< ${MOST_STATE}`, largest < MOST_STATE),
    row("compactions since the last was said", after, "compactions", null, true),
    row("requests reported as infeasible", infeasible, "requests", null, true),
  ];
}

function table(results) {
  const peers = Object.keys(results[0]?.peers ?? {});
  const counts = ["asserted", "twice", "state", "compactions", "of them", "LLM", "tokens"];
  const head = ["window", "kept", ...peers, ...counts];
  console.log(`| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}`);
  for (const result of results) console.log(`| ${cells(result).join(" | ")} |`);
}

function cells(result) {
  const { due, revoked, lost, asserted, duplicates, largest, compactions, after, summaries, calls, refused, tokens } =
    result;
  const stands = due - lost.length;
  const judged = (text, ok) => (ok ? text : `**${text}**`);
  return [
    named(result),
    judged(`${stands}/${due}`, stands === due),
    ...Object.values(result.peers).map((count) => `${count}/${due}`),
    judged(`${asserted.length}/${revoked}`, asserted.length === 0),
    judged(String(duplicates.length), duplicates.length === 0),
    judged(`${(largest / 1_000).toFixed(1)} kB`, largest < MOST_STATE),
    `${compactions}, ${after} after`,
    `${summaries} covered`,
    `${calls} calls, ${refused} refused`,
    `${(tokens / 1e6).toFixed(2)} M`,
  ];
}

/** What is lost, and at which compaction since it was said. Spoken aside: standard output has the rows. */
function misses({ lost, lostAt, asserted, duplicates, ...result }) {
  note(`\n${named(result)}`);
  for (const thing of lost)
    note(`  lost (gone at compaction ${lostAt.get(thing) ?? "?"}), ${thing.kind}: ${thing.says}`);
  for (const { before, says } of asserted) note(`  asserted: ${before} (later: ${says})`);
  for (const sentence of duplicates) note(`  more than once: ${sentence}`);
}
