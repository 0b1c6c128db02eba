// node benches/instructions.mjs [--update]: instructions of the native engine, counted by callgrind, beside what they were.
// They are the same on a busy machine, so that a regression shows: more than 2 % more is a fault, `--update` makes today's
// counts those that hold. Compilers differ: compare on one machine, with one toolchain.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { at, main } from "../js/scripts/common.mjs";
import { instructions, program } from "./callgrind.mjs";

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
  "search 10,000 messages again",
];

main(import.meta.url, async (args) => {
  const bench = await program("instructions");
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const counts = {};
  const faults = [];
  console.log("| workload | instructions | before |\n|---|--:|--:|");
  for (const workload of workloads) {
    const count = await instructions(bench, workload);
    counts[workload] = count;
    const before = known[workload];
    const change = before ? `${before.toLocaleString("en")} (${((count / before - 1) * 100).toFixed(1)} %)` : "–";
    console.log(`| ${workload} | ${count.toLocaleString("en")} | ${change} |`);
    if (before && count > before * allowed) faults.push(`${workload}: from ${before} to ${count} instructions`);
  }
  if (args.includes("--update")) writeFileSync(file, `${JSON.stringify(counts, null, 2)}\n`);
  else if (faults.length > 0) throw new Error(faults.join("\n"));
});
