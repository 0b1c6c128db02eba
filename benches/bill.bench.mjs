// What a session costs with prompt caching, by how it is kept inside its window: `npm run bench -- bill`. By itself:
// node benches/bill.bench.mjs [FILE…] [--table] [--json] [--window N]. Without files: the fixtures. The summarizer is a
// script that loses half of what it is given. Recall is printed next to the cost: forgetting is cheap.
import { parseArgs } from "node:util";
import { main, packages } from "../js/scripts/common.mjs";

/** Below it a way of saving is forgetting. */
const LEAST_RECALL = 0.95;
/** What our prices are for: the share of the default's cost, from this window on. */
const PRICED_AT_MOST = 0.6;
const PRICED_FROM = 64_000;

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      table: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      window: { type: "string", multiple: true, default: ["200000", "64000", "32000", "8000"] },
    },
  });
  await packages("benches");
  const { compare, floor, sessionsOf } = await import("./bill/compare.mjs");
  const sessions = await sessionsOf(positionals);
  for (const word of values.window) {
    const window = /k$/i.test(word) ? Number.parseFloat(word) * 1_000 : Number(word);
    const results = await compare(sessions, window);
    if (values.table && !values.json) await table(window, results, floor(sessions, window));
    else for (const row of await rows(window, results)) console.log(JSON.stringify(row));
  }
});

const remembers = (result) => result?.recall >= LEAST_RECALL && result.over === 0;
const isOurs = (name) => name.startsWith("precis");

/** The name of the cheapest way among these; undefined if there is none. */
function cheapest(results, among) {
  const names = [...results.keys()].filter((name) => results.get(name) && among(name, results.get(name)));
  return names.sort((a, b) => results.get(a).cost - results.get(b).cost)[0];
}

/** The rows of one window for js/scripts/bench.mjs: each way beside sending everything, then the two goals. */
async function rows(window, results) {
  const { EVERYTHING, OURS, PRICED, PRICED_ALONE } = await import("./bill/ways.mjs");
  const at = `in a window of ${window / 1_000}k`;
  const row = (workload, ratio, unit, goal, ok, more) => ({ workload, peer: null, ratio, unit, goal, ok, ...more });
  const found = [];
  const whole = results.get(EVERYTHING).cost;
  for (const [name, result] of results) {
    if (!result || name === EVERYTHING) continue;
    const { cost, recall, ...samples } = result;
    const told = `${name}, ${at}, recall ${percent(recall)}, ${result.over} requests too long`;
    found.push(row(told, cost / whole, "of sending everything", null, true, { samples }));
  }
  const ours = cheapest(results, (name, result) => isOurs(name) && remembers(result));
  const peer = cheapest(results, (name, result) => !isOurs(name) && name !== EVERYTHING && remembers(result));
  const ratio = ours && peer ? results.get(ours).cost / results.get(peer).cost : 1;
  const won = Boolean(ours) && ratio <= 1;
  found.push({
    ...row(`cost of ${ours ?? "precis"}, ${at}`, ratio, "of its cost", "<= 1", won),
    peer: peer ?? "nobody",
  });
  for (const name of [PRICED, PRICED_ALONE]) {
    const priced = results.get(name);
    const saved = (priced?.cost ?? results.get(OURS).cost) / results.get(OURS).cost;
    if (!priced) found.push(row(`${name}, ${at}: an unknown option`, saved, "of the default's cost", null, true));
    else if (window >= PRICED_FROM)
      found.push(
        row(`${name}, ${at}`, saved, "of the default's cost", `<= ${PRICED_AT_MOST}`, saved <= PRICED_AT_MOST),
      );
  }
  return found;
}

async function table(window, results, floor) {
  const { EVERYTHING, OURS, PRICED, PRICED_ALONE } = await import("./bill/ways.mjs");
  const whole = results.get(EVERYTHING);
  const least = cheapest(results, (_, result) => result.over === 0);
  console.log(`\nA window of ${window / 1_000}k, ${whole.requests} requests, ${whole.needed} identifiers needed\n`);
  const head = ["way", "of the cheapest", "of everything", "summarizer", "mean view", "largest", "too long", "recall"];
  console.log(`| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}`);
  for (const [name, result] of results) {
    const fits = result && !(name === EVERYTHING && result.over);
    const told = fits ? cells(result, results.get(least), whole) : head.slice(1).map(() => "-");
    console.log(`| ${[name, ...told].join(" | ")} |`);
  }
  const ours = results.get(OURS).cost;
  const share = (floor / ours).toFixed(2);
  console.log(`\nEach message written whole and once, and the replies: ${share} of precis' default.`);
  const best = cheapest(results, (_, result) => remembers(result));
  console.log(`The cheapest with a recall of ${percent(LEAST_RECALL)} and no request too long: ${best ?? "none"}.`);
  const [priced, alone] = [results.get(PRICED), results.get(PRICED_ALONE)];
  if (priced && window >= PRICED_FROM) {
    const [asking, silent] = [priced, alone].map(({ cost }) => (cost / ours).toFixed(2));
    console.log(`With prices ${asking} of the default, without an LLM ${silent} (goal ${PRICED_AT_MOST}).`);
  }
}

/** Costs beside the cheapest whose requests all fit, and beside sending everything, were the window large enough. */
function cells({ cost, summarizer, mean, largest, over, recall }, least, whole) {
  return [
    (cost / least.cost).toFixed(2),
    (cost / whole.cost).toFixed(3),
    percent(summarizer / cost),
    String(Math.round(mean)),
    String(largest),
    String(over),
    percent(recall),
  ];
}

const percent = (share) => `${(share * 100).toFixed(1)} %`;
