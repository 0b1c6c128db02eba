// npm run bench: each benches/*.bench.mjs in a process of its own. A bench prints one JSON object a line, with `name`,
// `value`, `unit`, the least `value` that is good enough as `goal`, and what else it measured. `--json` passes them on;
// other words choose benches by name.
import { readdirSync } from "node:fs";
import { build } from "./build.mjs";
import { at, main, must, packages } from "./common.mjs";

main(import.meta.url, async (args) => {
  const json = args.includes("--json");
  const words = args.filter((word) => word !== "--json");
  await build();
  await packages("benches");
  const names = readdirSync(at("benches")).filter((name) => name.endsWith(".bench.mjs"));
  for (const name of names.filter((name) => words.every((word) => name.includes(word)))) {
    const lines = (await must(process.execPath, [at("benches", name)], { quiet: true })).trim().split("\n");
    for (const line of lines) {
      const result = JSON.parse(line);
      const missed = result.value < result.goal;
      if (missed) process.exitCode = 1;
      console.log(json ? line : `${missed ? "MISSED" : "ok    "} ${told(result)}`);
    }
  }
});

function told({ name, value, unit, goal, ...detail }) {
  const rest = Object.entries(detail).map(([key, measured]) => `${key} ${measured}`);
  return `${name}: ${value} ${unit} (goal ${goal}; ${rest.join(", ")})`;
}
