// npm run fuzz: coverage-guided fuzzing of the engine, natively, with overflow checks. Says how many executions each
// target had and what they found; what is new goes on from the corpus in the repository and is kept in the cache.
//
//   npm run fuzz                         a minute for each target
//   npm run fuzz -- --minutes 60         an hour for all of them, in rounds
//   npm run fuzz -- cutting --seconds 9  one of them
//   npm run fuzz -- --minimize           puts the inputs that reach something of their own into the repository
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildAny } from "./build.mjs";
import { ask, at, cache, main, must, note, run, target } from "./common.mjs";

const folder = at("tests/fuzz");
const place = join(cache, "fuzz");
const CARGO_FUZZ = "0.13.2";
/** Inputs of each target in the repository, at most: those that reach the most, of up to 2 kB. */
const CORPUS_FILES = 60;

export const targets = readdirSync(join(folder, "targets")).map((name) => name.replace(".rs", ""));

main(import.meta.url, async (args) => {
  const value = (name, otherwise) => (args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise);
  const chosen = targets.filter((name) => args.includes(name));
  const names = chosen.length > 0 ? chosen : targets;
  const lacking = missing();
  if (lacking) throw new Error(`to fuzz: ${lacking}`);
  await buildTargets({ optimized: true });
  if (args.includes("--minimize")) {
    for (const name of names) await minimize(name);
    return;
  }
  const minutes = value("--minutes", 0);
  const seconds = value("--seconds", 60);
  const end = Date.now() + minutes * 60_000;
  const sums = new Map(names.map((name) => [name, { executions: 0, seconds: 0, found: 0, features: 0 }]));
  do {
    for (const name of names) {
      const done = await fuzz(name, seconds);
      const sum = sums.get(name);
      sum.executions += done.executions;
      sum.seconds += done.seconds;
      sum.features = done.features;
      if (done.failure) {
        sum.found++;
        note(`${name}: ${done.failure}`);
      }
      if (minutes > 0 && Date.now() > end) break;
    }
    if (minutes > 0) table(sums);
  } while (Date.now() < end);
  table(sums);
  if ([...sums.values()].some(({ found }) => found > 0)) process.exitCode = 1;
});

function table(sums) {
  let all = 0;
  for (const [name, { executions, seconds, found, features }] of sums) {
    all += executions;
    const figures = `${executions.toLocaleString("en")} executions in ${Math.round(seconds)} s`;
    console.log(`${name}: ${figures}, ${features.toLocaleString("en")} features, ${found} failures`);
  }
  console.log(`${all.toLocaleString("en")} executions in all`);
}

/** How to get what fuzzing needs and this machine lacks. */
export function missing() {
  if (ask("cargo", "+nightly", "--version") === null) return "rustup toolchain install nightly";
  if (ask("c++", "--version") === null) return "a C++ compiler, which libFuzzer is built with";
}

/**
 * Builds all targets, and the module that is compared with the native engine. For some seconds of fuzzing, optimizing takes
 * longer than it saves: 151 instead of 102 seconds of processor time.
 */
export async function buildTargets({ optimized }) {
  await buildAny();
  const tool = join(place, "bin", "cargo-fuzz");
  if (!existsSync(tool)) {
    note(`installing cargo-fuzz ${CARGO_FUZZ} (once, half a minute) …`);
    const env = { CARGO_TARGET_DIR: join(target, "cargo-fuzz"), CARGO_PROFILE_DEV_DEBUG: "false" };
    await must("cargo", ["install", "--debug", "cargo-fuzz", "--version", CARGO_FUZZ, "--locked", "--root", place], {
      env,
      quiet: true,
    });
  }
  // The engine forbids itself unsafe code but for the boundary, so address sanitizing would cost half the executions.
  const args = ["fuzz", "build", "--fuzz-dir", folder, "-s", "none", "--target-dir", join(target, "fuzz")];
  const env = {
    PATH: `${join(place, "bin")}:${process.env.PATH}`,
    ...(optimized ? {} : { CARGO_PROFILE_RELEASE_OPT_LEVEL: "1" }),
  };
  await must("cargo", ["+nightly", ...args], { quiet: true, env });
}

/** Runs a target for a while; `failure` says where the input lies that failed. */
export async function fuzz(name, seconds, ...more) {
  const work = join(place, "corpus", name);
  const artifacts = join(place, "found", name);
  for (const path of [work, artifacts]) mkdirSync(path, { recursive: true });
  const flags = [
    `-max_total_time=${seconds}`,
    // Of the clock on the wall: what a text may take is measured in the targets, in time of the processor.
    "-timeout=30",
    "-max_len=65536",
    "-len_control=20",
    "-print_final_stats=1",
    `-artifact_prefix=${artifacts}/`,
    ...more,
  ];
  const from = Date.now();
  const { code, all } = await run(binary(name), [...flags, work, corpus(name)], { quiet: true });
  const number = (pattern) => Number(all.match(pattern)?.[1] ?? 0);
  const done = {
    executions: number(/stat::number_of_executed_units:\s*(\d+)/),
    features: Number([...all.matchAll(/ ft: (\d+)/g)].at(-1)?.[1] ?? 0),
    seconds: (Date.now() - from) / 1000,
  };
  if (code === 0) return done;
  const said =
    all.match(/panicked at [^\n]*\n[^\n]*/)?.[0] ?? all.match(/ERROR: libFuzzer: [^\n]*/)?.[0] ?? `exit ${code}`;
  const input = all.match(/Test unit written to (\S+)/)?.[1] ?? "no input was kept";
  return { ...done, failure: `${said.slice(0, 2_000)}\n  ${input}` };
}

/** Each input of the corpus in the repository once; how many there were. */
export async function replayCorpus() {
  let count = 0;
  for (const name of targets) {
    const inputs = readdirSync(corpus(name)).map((input) => join(corpus(name), input));
    await must(binary(name), ["-timeout=30", ...inputs], { quiet: true });
    count += inputs.length;
  }
  return count;
}

async function minimize(name) {
  const small = join(place, "small", name);
  rmSync(small, { recursive: true, force: true });
  mkdirSync(small, { recursive: true });
  await must(binary(name), ["-merge=1", "-max_len=2048", small, corpus(name), join(place, "corpus", name)], {
    quiet: true,
  });
  // The largest of them reach the most.
  const bytes = (input) => statSync(join(small, input)).size;
  const kept = readdirSync(small)
    .sort((a, b) => bytes(b) - bytes(a))
    .slice(0, CORPUS_FILES);
  rmSync(corpus(name), { recursive: true, force: true });
  for (const input of kept) copyFileSync(join(small, input), join(corpus(name), input));
  console.log(`${name}: ${kept.length} inputs`);
}

const corpus = (name) => {
  const path = join(folder, "corpus", name);
  mkdirSync(path, { recursive: true });
  return path;
};

const binary = (name) => join(target, "fuzz", triple(), "release", name);

let host;
function triple() {
  host ??= ask("rustc", "+nightly", "-vV")?.match(/host: (\S+)/)?.[1] ?? "";
  return host;
}
