// node benches/calibration.mjs FILE… [--json]: recorded chats with the provider's own counts are walked request by
// request, as a host would: beforeModel estimates, the recorded usage is what afterModel learns from. Told is how far the
// estimate of each prompt was from what the provider then counted, in percent.
//
// first     the first request of a chat, where all that was sent is in the record (mean of the absolute errors)
// mape, p95 from the second request on
// afterCut  the middle half of the chat so far cut out, as a compaction would (median). What the rest would have cost is
//           worked out from the provider's own counts: the newest, less what was added between the two ends of the cut.
import { pathToFileURL } from "node:url";
import { at } from "../js/scripts/common.mjs";
import { program } from "../js/scripts/demo.mjs";

const GOALS = { mape: 0.5, p95: 2, first: 10, afterCut: 1 };
/** No prompt is near it, so nothing is ever compacted. */
const WINDOW = 100_000_000;
/** Requests before a cut is tried. */
const LEAST = 5;

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
if (names.length === 0) {
  console.error("node benches/calibration.mjs FILE… [--json]: files or folders of transcripts with recorded usage");
  process.exit(2);
}
const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor } = await import(pathToFileURL(at("pkg/index.js")).href);

const errors = new Map();
const conversations = load(names, (reason) => console.error(reason));
for (const conversation of conversations) await walk(conversation);

const providers = {};
for (const [name, { first, next, cut }] of [...errors].sort(([one], [other]) => (one < other ? -1 : 1))) {
  providers[name] = {
    n: next.length,
    mape: mean(next),
    p95: quantile(next, 0.95),
    max: quantile(next, 1),
    first: mean(first),
    afterCut: quantile(cut, 0.5),
    counts: { first: first.length, afterCut: cut.length },
  };
}
if (words.includes("--json")) console.log(JSON.stringify({ providers }));
else print();

async function walk({ format, messages, system, tools, model, provider, shape, complete, usageAfter }) {
  if (usageAfter.size === 0) return;
  const name = provider ?? shape;
  if (!errors.has(name)) errors.set(name, { first: [], next: [], cut: [] });
  const found = errors.get(name);
  const options = { format, contextWindow: WINDOW };
  const [compactor, cutter] = [createCompactor(options), createCompactor(options)];
  const beside = { system, tools, ...(model && { model }) };
  const seen = [];
  let state = null;
  for (const [end, usage] of usageAfter) {
    const truth = usage.prompt_tokens;
    const prepared = await compactor.beforeModel({ messages: messages.slice(0, end), state, ...beside });
    const error = off(prepared.report.after.tokens, truth);
    if (seen.length > 0) found.next.push(error);
    else if (complete) found.first.push(error);
    if (seen.length >= LEAST) {
      const [from, to] = [seen[seen.length >> 2], seen[(3 * seen.length) >> 2]];
      const rest = [...messages.slice(0, from.end), ...messages.slice(to.end, end)];
      const left = truth - (to.truth - from.truth);
      if (to.truth > from.truth && left > 0)
        found.cut.push(off(cutter.usage({ messages: rest, state, ...beside }).tokens, left));
    }
    state = compactor.afterModel(prepared.state, usage, prepared.report.request);
    seen.push({ end, truth });
  }
}

function off(estimate, truth) {
  return (Math.abs(estimate - truth) / truth) * 100;
}

function mean(values) {
  return values.length ? hundredths(values.reduce((sum, value) => sum + value, 0) / values.length) : null;
}

function quantile(values, part) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted.length ? hundredths(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]) : null;
}

function hundredths(value) {
  return Math.round(value * 100) / 100;
}

function print() {
  console.log(
    `${"".padEnd(14)}${["n", "mape", "p95", "max", "first", "afterCut"].map((name) => name.padStart(10)).join("")}`,
  );
  for (const [name, { counts, ...row }] of Object.entries(providers)) {
    const missed = Object.entries(GOALS).filter(([goal, most]) => row[goal] !== null && row[goal] > most);
    const cells = Object.values(row).map((value) => String(value ?? "-").padStart(10));
    const tell = missed.map(([goal, most]) => `${goal} > ${most}`).join(", ");
    console.log(`${name.padEnd(14)}${cells.join("")}  ${tell}`);
  }
}
