// node benches/speed/beside.mjs PKG PKG: two builds of the package (the `pkg/` of two work trees) beside each other, in turn
// in one process; the first call in fresh processes. Prints the lower quartile of each and the ratio of the second.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const quartile = (samples) => samples.sort((one, other) => one - other)[Math.floor(samples.length / 4)];
const body = (index, size) => `message ${index} of the chat about order ${4_700 + index}; `.repeat(size).slice(0, size);
const message = (index, size) => ({ role: index % 2 ? "assistant" : "user", content: body(index, size) });
const chat = (count, size) => Array.from({ length: count }, (_, index) => message(index, size));

async function load(folder) {
  const at = (file) => pathToFileURL(resolve(folder, file));
  const [{ createCompactor }, { openaiChat }] = await Promise.all([import(at("index.js")), import(at("formats.js"))]);
  return (contextWindow, summarize) =>
    createCompactor({ format: openaiChat, contextWindow, maxOutputTokens: 1_024, summarize });
}

/** Milliseconds that something takes. */
async function timed(work) {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Each workload: how often, how many at first do not count, and what one sample of it is. */
const workloads = {
  "hot path": [
    300,
    100,
    async (make, kept) => {
      kept.messages ??= chat(1_000, 1_000);
      kept.compactor ??= make(1e9);
      kept.messages.push(message(kept.messages.length, 1_000));
      return timed(async () => {
        const { state } = await kept.compactor.beforeModel({ messages: kept.messages, state: kept.state });
        kept.state = state;
      });
    },
  ],
  meter: [
    200,
    50,
    (make, kept) => {
      kept.messages ??= chat(1_000, 1_000);
      kept.compactor ??= make(1e9);
      return timed(() => kept.compactor.usage({ messages: kept.messages }));
    },
  ],
  "cold read": [
    30,
    5,
    (make) => {
      const messages = chat(1_000, 1_000);
      const compactor = make(1e9);
      return timed(() => compactor.beforeModel({ messages }));
    },
  ],
  compaction: [
    12,
    2,
    (make) => {
      const messages = chat(10_000, 200);
      const compactor = make(60_000);
      compactor.usage({ messages });
      return timed(() => compactor.beforeModel({ messages }));
    },
  ],
  summary: [
    30,
    4,
    (make) => {
      const messages = chat(1_000, 200);
      const compactor = make(30_000, async () => "- the orders were refunded");
      compactor.usage({ messages });
      return timed(() => compactor.beforeModel({ messages }));
    },
  ],
};

async function first(folder) {
  const took = await timed(async () => {
    const make = await load(folder);
    await make(8_000).beforeModel({ messages: chat(1, 10) });
  });
  console.log(took);
}

async function compare(folders) {
  const makes = await Promise.all(folders.map(load));
  const row = (name, [one, other]) =>
    console.log(`${name.padEnd(12)} ${one.toFixed(4)} ms, ${other.toFixed(4)} ms, ${(other / one).toFixed(3)}`);
  for (const [name, [rounds, warm, sample]] of Object.entries(workloads)) {
    const samples = [[], []];
    const kept = [{}, {}];
    for (let round = 0; round < rounds; round++)
      for (const which of round % 2 ? [0, 1] : [1, 0]) {
        const took = await sample(makes[which], kept[which]);
        if (round >= warm) samples[which].push(took);
      }
    row(name, samples.map(quartile));
  }
  const fresh = [[], []];
  const self = fileURLToPath(import.meta.url);
  for (let round = 0; round < 24; round++)
    for (const which of round % 2 ? [0, 1] : [1, 0])
      fresh[which].push(Number(execFileSync(process.execPath, [self, "--first", folders[which]])));
  row("first call", fresh.map(quartile));
}

const folders = process.argv.slice(2);
if (folders[0] === "--first") await first(folders[1]);
else if (folders.length === 2) await compare(folders);
else throw new Error("two folders: the pkg/ of two work trees");
