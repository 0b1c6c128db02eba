// Counts instructions of the native engine: the same on a busy machine, on every run.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { at, must } from "../js/scripts/common.mjs";
import { valgrind } from "../js/scripts/tools.mjs";

/** Builds a bench of Cargo.toml: the path of the program. By its symbols callgrind knows what is measured. */
export async function program(bench, profile = "bench") {
  const options = ["bench", "--profile", profile, "--bench", bench, "--no-run", "--message-format=json"];
  const built = await must("cargo", options, { quiet: true });
  return built
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .findLast(({ executable, target }) => executable && target?.name === bench)?.executable;
}

const COUNT = /^(?:summary|totals): (\d+)/m;

async function run(program, args, out, ...flags) {
  mkdirSync(at("target/bench"), { recursive: true });
  const all = ["--tool=callgrind", "--toggle-collect=*measured*", `--callgrind-out-file=${out}`, ...flags];
  await must(await valgrind(), [...all, program, ...args], { quiet: true });
}

/** What the function `measured` of a program takes when it is called with these arguments. */
export async function instructions(program, ...args) {
  const out = at("target/bench", `callgrind.${Buffer.from(args.join(" ")).toString("hex")}`);
  await run(program, args, out);
  const count = Number(COUNT.exec(readFileSync(out, "utf8"))?.[1]);
  if (!count) throw new Error(`nothing was counted of "${args.join(" ")}"`);
  return count;
}

/** What each call of `measured` takes in one run of a bench with these arguments. `part`: names the files it writes. */
export async function instructionsOfEach({ program, bench, part }, ...args) {
  const out = at("target/bench", `callgrind.${bench}.${part}`);
  for (let call = 1; existsSync(`${out}.${call}`); call++) rmSync(`${out}.${call}`);
  // Unlike the option before it, this one takes no pattern.
  await run(program, args, out, `--dump-after=${bench}::measured`);
  const counts = [];
  while (existsSync(`${out}.${counts.length + 1}`)) {
    const count = Number(COUNT.exec(readFileSync(`${out}.${counts.length + 1}`, "utf8"))?.[1]);
    if (!count) throw new Error(`nothing was counted of call ${counts.length + 1} of "${args.join(" ")}"`);
    counts.push(count);
  }
  return counts;
}
