// Checks of the crate, by cargo.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { growth } from "../../../benches/growth.mjs";
import { cache, compile, must, target, wasmTarget } from "../common.mjs";
import { buildTargets, fuzz, missing, replayCorpus, targets } from "../fuzz.mjs";
import { valgrind, wasmTestRunner } from "../tools.mjs";
import { quiet, testPackages, total } from "./common.mjs";

const wasm = ["--target", "wasm32-unknown-unknown"];

export async function rustFormat() {
  await must("cargo", ["fmt", "--all", "--check", "--", "--color=never"], quiet);
  await must("cargo", ["fmt", "--check", "--manifest-path", "tests/fuzz/Cargo.toml", "--", "--color=never"], quiet);
}

async function clippy(...flags) {
  await wasmTarget();
  await must("cargo", ["clippy", "--quiet", "--workspace", "--all-targets", ...flags, "--", "-D", "warnings"], quiet);
}

export const rustLint = () => clippy();
export const wasmLint = () => clippy(...wasm);

/** They are a workspace of their own, which nothing else builds on a machine without the nightly toolchain. */
export async function fuzzLint() {
  // Nothing is linked, so libFuzzer itself is not built.
  const env = { CUSTOM_LIBFUZZER_PATH: "./libfuzzer.a" };
  const where = ["--manifest-path", "tests/fuzz/Cargo.toml", "--target-dir", join(target, "fuzz")];
  await must("cargo", ["clippy", "--quiet", "--all-targets", ...where, "--", "-D", "warnings"], { ...quiet, env });
}

export async function rustDocs() {
  const env = { RUSTDOCFLAGS: "-D warnings" };
  await must("cargo", ["doc", "--quiet", "--workspace", "--no-deps"], { ...quiet, env });
}

/** What lands is judged by the same cases every time; elsewhere each run looks somewhere else. */
const SEED = process.env.CI ? 20261121 : undefined;
const seed = SEED ? { PROPTEST_RNG_SEED: String(SEED) } : {};

/** Counts what passed in all the test programs. */
async function cargoTests(args, env) {
  const output = await must("cargo", ["test", ...args], { ...quiet, env: { ...seed, ...env } });
  return total(output, /^test result: ok\. (\d+) passed/gm);
}

export async function rustTests({ profile, cases }) {
  if (profile === "dev") await compile(["test", "--no-run"], quiet);
  return cargoTests(["--profile", profile], { PROPTEST_CASES: String(cases) });
}

export async function wasmTests() {
  await wasmTarget();
  // As a list: a path with blanks would be cut at them in the variable for it.
  const runner = `target.wasm32-unknown-unknown.runner=${JSON.stringify([await wasmTestRunner()])}`;
  return cargoTests([...wasm, "--config", runner]);
}

export async function growing({ profile }) {
  const lacking = { missing: "apt-get install valgrind, or VALGRIND=/path/to/valgrind" };
  return (await valgrind()) ? growth([], () => {}, profile) : lacking;
}

/** Every crossing of the boundary in some seventy conversations, by the engine in wasm and by the native one. */
export async function vectors({ profile }) {
  await testPackages();
  const file = join(cache, "vectors", "vectors.jsonl");
  await must(process.execPath, ["tests/js/vectors/record.mjs", file], quiet);
  const args = ["test", "--profile", profile, "--test", "rust", "vectors", "--", "--ignored", "--nocapture"];
  // On one core the test's name stands before it in the line.
  return total(await must("cargo", args, { ...quiet, env: { PRECIS_VECTORS: file } }), /(\d+) vectors$/gm);
}

/** Seconds of fuzzing a target from which on it is worth optimizing them. */
const OPTIMIZED = 30;

/** A short run of what `npm run fuzz` does at length. Counts the executions. */
export async function fuzzing({ fuzzSeconds }) {
  const lacking = missing();
  if (lacking) return { missing: lacking };
  await buildTargets({ optimized: fuzzSeconds >= OPTIMIZED });
  let executions = await replayCorpus();
  const next = targets[Symbol.iterator]();
  const work = async () => {
    for (const name of next) {
      const done = await fuzz(name, fuzzSeconds, ...(SEED ? [`-seed=${SEED}`] : []));
      if (done.failure) throw new Error(`${name}: ${done.failure}`);
      executions += done.executions;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return executions;
}
