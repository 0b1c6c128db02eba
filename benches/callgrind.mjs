// Counts instructions of the native engine: the same on a busy machine, on every run.
import { mkdirSync, readFileSync } from "node:fs";
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

/** What the function `measured` of a program takes when it is called with these arguments. */
export async function instructions(program, ...args) {
  mkdirSync(at("target/bench"), { recursive: true });
  const out = at("target/bench", `callgrind.${Buffer.from(args.join(" ")).toString("hex")}`);
  const flags = ["--tool=callgrind", "--toggle-collect=*measured*", `--callgrind-out-file=${out}`];
  await must(await valgrind(), [...flags, program, ...args], { quiet: true });
  const count = Number(/^(?:summary|totals): (\d+)/m.exec(readFileSync(out, "utf8"))?.[1]);
  if (!count) throw new Error(`nothing was counted of "${args.join(" ")}"`);
  return count;
}
