// What is still in the view of what a recorded assistant really used next; recall.mjs has the definitions. The files named in
// PRECIS_SESSIONS (parted by blanks) or as arguments, else the recorded sessions of tests/fixtures. `--table`: Markdown.
import { ALL, measure, OURS } from "./recall/measure.mjs";
import { setsOf } from "./recall/sets.mjs";

const FRACTION = 0.25;
const WINDOW = 32_000;
const GOALS = { all: 0.94, hard: 0.78, set: 0.7, window: 0.98 };
/** Of the tokens that a compaction writes, the most that may be bare names. */
const MOST_NAMES = 0.15;
/** A data set that needs fewer hard things says nothing by itself. */
const LEAST_NEEDED = 50;

const isTable = process.argv.includes("--table");
const files = process.argv.slice(2).filter((word) => word !== "--table");
const named = files.length ? files : (process.env.PRECIS_SESSIONS ?? "").split(/\s+/).filter(Boolean);
const sets = await setsOf(named);
const quarter = await measure(sets, { fraction: FRACTION });
const fixed = await measure(sets, { window: WINDOW });

if (isTable) tables();
else report();

function report() {
  for (const scope of ["all", "hard"]) {
    row(`recall at a quarter, ${scope}`, null, of(quarter, ALL, OURS), scope, scope === "hard" ? null : GOALS[scope]);
    const ours = of(quarter, ALL, OURS)?.[scope];
    if (ours?.needed) {
      const goal = scope === "hard" ? GOALS.hard : null;
      const ok = goal === null || ours.inContext >= goal;
      print(`recall at a quarter in context, ${scope}`, null, ours.inContext, "of what was used", goal, ok);
    }
    for (const { method } of peersOf(quarter))
      row(`recall at a quarter, ${scope}`, method, of(quarter, ALL, method), scope, null);
  }
  for (const sum of quarter.filter(({ source, method }) => source !== ALL && method === OURS))
    row(
      `recall at a quarter, hard, ${sum.source}`,
      null,
      sum,
      "hard",
      sum.hard.needed < LEAST_NEEDED ? null : GOALS.set,
    );
  const names = of(quarter, ALL, OURS)?.names ?? null;
  if (names !== null)
    print("bare names in digests", null, names, "of the tokens", `<= ${MOST_NAMES}`, names <= MOST_NAMES);
  row("recall at 32k, all", null, of(fixed, ALL, OURS), "all", GOALS.window);
  for (const { method } of peersOf(fixed)) row("recall at 32k, all", method, of(fixed, ALL, method), "all", null);
}

function of(rows, source, method) {
  return rows.find((one) => one.source === source && one.method === method);
}

function peersOf(rows) {
  return rows.filter(({ source, method }) => source === ALL && method !== OURS);
}

/** With a peer, `ratio` is what the peer keeps. Nothing is said where nothing was needed. */
function row(workload, peer, sum, scope, goal) {
  if (!sum?.[scope].needed) return;
  const { recall: ratio, needed, kept } = sum[scope];
  const ok = goal === null || ratio >= goal;
  const samples = { needed, kept, compactions: sum.compactions, meanTokens: sum.meanTokens };
  print(workload, peer, ratio, "of what was used", goal, ok, samples);
}

function print(workload, peer, ratio, unit, goal, ok, samples) {
  console.log(JSON.stringify({ workload, peer, ratio, unit, goal, ok, samples }));
}

/** What is kept and what stands in context, by method and by data set, in percent. */
function tables() {
  const percent = (ratio) => (ratio == null ? "–" : (ratio * 100).toFixed(1));
  const both = (sum) => (sum?.needed ? `${percent(sum.recall)} / ${percent(sum.inContext)}` : "–");
  console.log("| | tokens | all | hard | fresh | 32k, all | 32k, hard |\n|---|--:|--:|--:|--:|--:|--:|");
  for (const one of quarter.filter(({ source }) => source === ALL)) {
    const wide = of(fixed, ALL, one.method);
    const sums = [one.all, one.hard, one.fresh, wide?.all, wide?.hard];
    console.log(`| ${[one.method, one.meanTokens, ...sums.map(both)].join(" | ")} |`);
  }
  const own = quarter.filter(({ method }) => method === OURS);
  console.log("\n| set | needed, hard | hard | tokens | bare names |\n|---|--:|--:|--:|--:|");
  for (const { source, hard, meanTokens, names } of own)
    console.log(`| ${[source, hard.needed, both(hard), meanTokens, percent(names)].join(" | ")} |`);
}
