// CPU of a turn in workerd, beside the check of the AI SDK's cookbook in the same isolate. A Worker's clock stands still
// while it computes, so many turns are asked for in one request, and timed from outside; an empty request is subtracted.
import { join } from "node:path";
import { cache, end } from "../js/scripts/common.mjs";
import { npmBinary } from "../js/scripts/tools.mjs";
import { bundleWorker, serveWorker } from "../js/scripts/workerd.mjs";

/** What a Worker may compute for a request on the free plan, in milliseconds. */
const FRAME = 10;
const ROUNDS = 15;
const TURNS = 50;

const program = `
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

const text = (seed) => Array.from({ length: 170 }, (_, i) => ["and", "then", "ships", "harbour", "17"][(seed * 7 + i * 3) % 5]).join(" ").slice(0, 1000);
const history = Array.from({ length: 999 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: i + " " + text(i) }));
const compactor = createCompactor({ format: openaiChat, contextWindow: 2_000_000, maxOutputTokens: 4_000 });
let state = null;
let messages = history;
const said = (role) => ({ role, content: messages.length + " " + text(messages.length) });
const works = {
  none() {},
  /** Before a measurement: the chat of 1,000 messages, which was read. */
  async reset() {
    messages = history.slice();
    ({ state } = await compactor.beforeModel({ messages, state: null }));
  },
  /** A question comes, the view is decided, an answer comes, its usage is learned. */
  async hot() {
    messages.push(said("user"));
    const prepared = await compactor.beforeModel({ messages, state });
    messages.push(said("assistant"));
    state = compactor.afterModel(prepared.state, { prompt_tokens: 250_000 }, prepared.report.request);
  },
  cookbook() {
    messages.push(said("user"));
    const tokens = JSON.stringify(messages).length / 4;
    messages.push(said("assistant"));
    return tokens;
  },
  parse() { return JSON.parse(stored).length; },
  /** After an eviction: everything is read from storage and read anew. */
  async cold() {
    await compactor.beforeModel({ messages: JSON.parse(stored), state: null });
  },
};
const stored = JSON.stringify(history);
export default {
  async fetch(request) {
    const url = new URL(request.url);
    const work = works[url.pathname.slice(1)];
    for (let left = Number(url.searchParams.get("n")); left > 0; left--) await work();
    return new Response("done");
  },
};
`;

const folder = join(cache, "bench-workerd");
await bundleWorker(folder, program);
const { child, url } = await serveWorker(await npmBinary("workerd"), folder, { detached: true, stdio: "ignore" });
try {
  for (let left = 200; !(await took("none", 1).catch(() => null)); left--) {
    if (left === 0) throw new Error("workerd does not answer");
    await new Promise((next) => setTimeout(next, 50));
  }
  const samples = { none: [], hot: [], cookbook: [], parse: [], cold: [] };
  const turns = { none: 1, hot: TURNS, cookbook: TURNS, parse: 5, cold: 5 };
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, list] of Object.entries(samples)) {
      await took("reset", 1);
      list.push(await took(name, turns[name]));
    }
  const empty = quartile(samples.none);
  const each = (name) => (quartile(samples[name]) - empty) / turns[name];
  const [hot, cookbook, cold] = [each("hot"), each("cookbook"), each("cold") - each("parse")];
  const row = (workload, more) => console.log(JSON.stringify({ workload, peer: null, goal: null, ok: true, ...more }));
  const pair = (mine) => ({ precisMs: mine, peerMs: cookbook });
  row("workerd, hot path, 1,000 messages of 1 kB", {
    ...{
      peer: "JSON.stringify(messages).length / 4",
      ratio: cookbook / hot,
      unit: "times faster",
      ...pair(hot),
      samples,
    },
  });
  row("workerd, the same turn and its report of usage, CPU", { ratio: hot, unit: "ms", goal: FRAME, ok: hot <= FRAME });
  row("workerd, first turn after an eviction, without reading the storage", {
    ...{ ratio: cold, unit: "ms", goal: FRAME, ok: cold <= FRAME },
  });
} finally {
  end(child);
}

/** Milliseconds of one request for so many turns. */
async function took(name, n) {
  const from = performance.now();
  const response = await fetch(`${url}/${name}?n=${n}`);
  if ((await response.text()) !== "done") throw new Error(`${name}: ${response.status}`);
  return performance.now() - from;
}

function quartile(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 4)];
}
