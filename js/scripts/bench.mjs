// npm run bench: each benches/*.bench.mjs in a process of its own. A bench prints one JSON object a line: `{ workload,
// peer, ratio, unit, goal, ok }`, times in milliseconds, and all `samples`, which go to target/bench. `--json` prints
// the rows as they are; other words choose benches by name. A goal that is missed is said, and fails the command.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { at, main, must, packages } from "./common.mjs";

main(import.meta.url, async (args) => {
  const json = args.includes("--json");
  const words = args.filter((word) => word !== "--json");
  await build();
  await packages("benches");
  const names = readdirSync(at("benches")).filter((name) => name.endsWith(".bench.mjs"));
  const folder = at("target/bench");
  mkdirSync(folder, { recursive: true });
  for (const name of names.filter((name) => words.every((word) => name.includes(word)))) {
    const lines = (await must(process.execPath, [at("benches", name)], { quiet: true })).split("\n");
    // Those that need a file which nobody named measure nothing.
    const rows = lines.filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
    writeFileSync(join(folder, name.replace(/bench\.mjs$/, "json")), JSON.stringify(rows));
    for (const { samples, ...row } of rows) {
      if (!row.ok) process.exitCode = 1;
      console.log(json ? JSON.stringify(row) : told(row));
    }
  }
});

function told({ workload, peer, ratio, unit, goal, ok, precisMs, peerMs }) {
  const verdict = goal === null ? "-     " : ok ? "ok    " : "MISSED";
  const against = peer === null ? "" : ` against ${peer}`;
  const aim = goal === null ? "" : ` (goal ${goal})`;
  const times = precisMs === undefined ? "" : `; ${short(precisMs)} ms against ${short(peerMs)} ms`;
  return `${verdict} ${workload}${against}: ${short(ratio)} ${unit}${aim}${times}`;
}

const short = (value) => String(Number(value.toPrecision(3)));
