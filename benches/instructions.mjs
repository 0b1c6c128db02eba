// node benches/instructions.mjs [--update]: instructions of the native engine, counted by callgrind, beside what they were.
// They are the same on a busy machine, so that a regression shows: more than 2 % more is a fault, `--update` makes today's
// counts those that hold. Compilers differ: compare on one machine, with one toolchain.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { at, main, must } from "../js/scripts/common.mjs";

const file = at("benches/instructions.json");
const allowed = 1.02;
const workloads = [
  "count 100 kB of prose",
  "count 100 kB of Cyrillic",
  "read a session of 1 MB",
  "decide on 1,000 messages",
  "decide on one that was added",
  "compact 1,000 messages",
  "compact 10,000 messages",
];

main(import.meta.url, async (args) => {
  const options = ["bench", "--bench", "instructions", "--no-run", "--message-format=json"];
  // Symbols tell callgrind what is measured; the code stays what it is.
  const built = await must("cargo", options, { quiet: true, env: { CARGO_PROFILE_BENCH_DEBUG: "1" } });
  const program = built
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .findLast(({ executable, target }) => executable && target?.name === "instructions")?.executable;
  mkdirSync(at("target/bench"), { recursive: true });
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const counts = {};
  const faults = [];
  console.log("| workload | instructions | before |\n|---|--:|--:|");
  for (const workload of workloads) {
    const out = at("target/bench", `callgrind.${workloads.indexOf(workload)}`);
    const flags = ["--tool=callgrind", "--toggle-collect=*measured*", `--callgrind-out-file=${out}`];
    await must("valgrind", [...flags, program, workload], { quiet: true });
    const count = Number(/^(?:summary|totals): (\d+)/m.exec(readFileSync(out, "utf8"))?.[1]);
    if (!count) throw new Error(`nothing was counted of "${workload}"`);
    counts[workload] = count;
    const before = known[workload];
    const change = before ? `${before.toLocaleString("en")} (${((count / before - 1) * 100).toFixed(1)} %)` : "–";
    console.log(`| ${workload} | ${count.toLocaleString("en")} | ${change} |`);
    if (before && count > before * allowed) faults.push(`${workload}: from ${before} to ${count} instructions`);
  }
  if (args.includes("--update")) writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`);
  else if (faults.length > 0) throw new Error(faults.join("\n"));
});
