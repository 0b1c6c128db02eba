// What precis costs where everything is fresh: processes of Node, of workerd, of Chromium. Medians, an empty program taken
// off. `node benches/cold.bench.mjs --update` writes them into docs/speed.md as well; `--rounds 5` for a quick look.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { at } from "../js/scripts/common.mjs";
import { chromium, node, npmBinary } from "../js/scripts/tools.mjs";
import * as inBrowser from "./cold/chromium.mjs";
import * as inWorkerd from "./cold/workerd.mjs";
import { byKind, writeTable } from "./speed/table.mjs";

const args = process.argv.slice(2);
const ROUNDS = args.includes("--rounds") ? Number(args[args.indexOf("--rounds") + 1]) : 20;
const FIRST = "first answer";
const COMPACTION = "first compaction of 400 messages";
const child = fileURLToPath(new URL("./cold/child.mjs", import.meta.url));
const table = [];

const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

if (!existsSync("/proc/self/schedstat")) throw new Error("the processor time of threads is read from Linux's /proc");
for (const major of [20, 22]) await inNode(major);
await inWorkers();
await inPages();
if (args.includes("--update")) update();

/** In turn, so that a slow moment of the machine meets all; the first round warms the disk cache. */
async function inNode(major) {
  const binary = await node(major);
  const samples = { precis: [], "gpt-tokenizer": [], nothing: [] };
  for (let round = 0; round <= ROUNDS; round++)
    for (const [name, list] of Object.entries(samples)) {
      const { status, stdout, stderr } = spawnSync(binary, [child, name], { encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} failed:\n${stderr}`);
      if (round > 0) list.push(JSON.parse(stdout));
    }
  const of = (name, what, kind) =>
    middle(samples[name].map((one) => one[what][kind])) - middle(samples.nothing.map((one) => one[what][kind]));
  const place = `Node ${major}`;
  row(place, FIRST, "main thread", of("precis", FIRST, "main"), major === 22 ? 40 : null);
  row(place, FIRST, "all threads", of("precis", FIRST, "all"), null);
  row(place, COMPACTION, "main thread", of("precis", COMPACTION, "main"), null);
  row(place, COMPACTION, "all threads", of("precis", COMPACTION, "all"), 90);
  row(place, "gpt-tokenizer counts the same", "main thread", of("gpt-tokenizer", FIRST, "main"), null);
}

async function inWorkers() {
  const binary = await npmBinary("workerd");
  await inWorkerd.prepare();
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) samples.push(await inWorkerd.measure(binary));
  const of = (what, kind) => middle(samples.map((one) => one[what][kind]));
  row("workerd", FIRST, "main thread", of(FIRST, "main"), 20);
  row("workerd", FIRST, "all threads", of(FIRST, "all"), null);
  row("workerd", COMPACTION, "main thread", of(COMPACTION, "main"), null);
  row("workerd", COMPACTION, "all threads", of(COMPACTION, "all"), 60);
}

async function inPages() {
  const binary = await chromium();
  if (!binary) return;
  const scripts = await inBrowser.prepare();
  const wasm = readFileSync(at("pkg/precis.wasm"));
  const first = "first call with 1,000 messages";
  const ways = {
    [`${first}, no \`load\``]: null,
    [`${first}, after \`load()\``]: "text",
    [`${first}, after \`load({ url })\``]: "url",
    "the guide's worker compacts 10,000 messages": "worker",
  };
  const samples = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < Math.ceil(ROUNDS / 2); round++)
    for (const [name, way] of Object.entries(ways))
      samples[name].push(await inBrowser.measure(binary, scripts, wasm, way));
  for (const [what, list] of Object.entries(samples)) {
    const way = ways[what];
    const of = (kind) => middle(list.map((one) => one[kind]));
    row("Chromium", what, "the call", of("call"), null);
    row("Chromium", what, "longest task", of("longest"), way === null ? null : 50);
    if (way === "text" || way === "url") row("Chromium", what, "`load` itself", of("load"), null);
  }
}

function row(place, workload, of, milliseconds, goal) {
  table.push([place, workload, of, milliseconds, goal]);
  const ok = goal === null || milliseconds <= goal;
  console.log(
    JSON.stringify({ workload: `${place}: ${workload}, ${of}`, peer: null, ratio: milliseconds, unit: "ms", goal, ok }),
  );
}

function update() {
  const measured = table.map(([place, what, kind, milliseconds, goal]) => {
    const wanted = goal === null ? "" : ` (≤ ${goal}${milliseconds <= goal ? "" : ", **missed**"})`;
    return { place, what, kind, text: `${milliseconds.toFixed(0)}${wanted}` };
  });
  const isPage = ({ place }) => place === "Chromium";
  const processes = measured.filter((one) => !isPage(one));
  const pages = byKind(["the call", "longest task", "`load` itself"], measured.filter(isPage));
  writeTable("cold", byKind(["main thread", "all threads"], processes), ["", ...pages]);
}
