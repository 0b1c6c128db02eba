// What `npm test` runs, in this order. A check gives the number of tests it ran (none is a failure), or nothing where
// there is nothing to count. It throws when it fails, and gives `{ missing }`, how to get what it lacks, if it cannot run.
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { growth } from "../../benches/growth.mjs";
import { install } from "../../tests/js/cli/installed.mjs";
import { build } from "./build.mjs";
import { at, cache, must, packages, target, wasmTarget } from "./common.mjs";
import { buildSite } from "./docs.mjs";
import { buildTargets, fuzz, missing, replayCorpus, targets } from "./fuzz.mjs";
import { checkLayers } from "./layers.mjs";
import { checkLinks, checkPublishedLinks } from "./links.mjs";
import { runReadme } from "./readme.mjs";
import { release } from "./release.mjs";
import { compareSizes } from "./size.mjs";
import { cleanSnippets, writeSnippets } from "./snippets.mjs";
import { checkStyle } from "./style.mjs";
import { checkSupported } from "./supported.mjs";
import { checkTables } from "./tables.mjs";
import { biome, chromium, node, npmBinary, postgres, redisServer, tsc, valgrind, wasmTestRunner } from "./tools.mjs";

const quiet = { quiet: true };
const wasm = ["--target", "wasm32-unknown-unknown"];
/** Tests run at full length once, in this Node; elsewhere the long ones have fewer cases: tests/js/suite/length.mjs. */
const short = { PRECIS_SUITE: "short" };
/** Where those of the AI SDK do: no older Node runs all of its versions. */
const AT_LENGTH = 22;
const simulations = "tests/conformance/contextguard_simulations.json";

/**
 * `all`: only with `npm test -- all`; `short`: only without, because what runs there does the same at length. `pkg`: works
 * on pkg/, so the build must have succeeded. `single`: keeps one core busy, so it may run beside another check. `uses`: what
 * two checks must not use at once. `optional`: not run, and no failure in CI either, on a machine that lacks what it needs.
 */
export const checks = [
  { name: "layers", single: true, run: checkLayers },
  { name: "token tables", single: true, run: checkTables },
  { name: "build", single: true, run: build },
  { name: "rust format", single: true, run: rustFormat },
  { name: "rust lint", run: () => clippy() },
  { name: "rust lint, fuzz targets", run: fuzzLint },
  { name: "rust lint, wasm32", run: () => clippy(...wasm) },
  { name: "rust docs", run: rustDocs },
  { name: "rust tests", short: true, run: () => rustTests() },
  // Most of its time it waits for a single one of them.
  {
    name: "rust tests, 10,000 cases a property",
    all: true,
    single: true,
    run: () => rustTests({ PROPTEST_CASES: "10000" }),
  },
  { name: "rust tests in wasm", run: wasmTests },
  { name: "growth, twice the input takes twice the time", run: growing },
  { name: "typescript types", pkg: true, single: true, run: types },
  { name: "typescript lint and format", single: true, uses: "snippets", run: lint },
  { name: "links", single: true, run: checkLinks },
  { name: "style", single: true, run: checkStyle },
  { name: "links of the published README", pkg: true, single: true, run: checkPublishedLinks },
  { name: "release, dry run", all: true, pkg: true, single: true, run: rehearse },
  { name: "size", pkg: true, single: true, run: compareSizes },
  { name: "README and documentation examples", pkg: true, single: true, run: runReadme },
  { name: "programs compile", pkg: true, single: true, uses: "snippets", run: programs },
  { name: "conformance, preset contextguard", pkg: true, single: true, run: conformance },
  { name: "conformance, the default does better", pkg: true, single: true, run: better },
  { name: "demo, no request over the window", pkg: true, single: true, run: demo },
  { name: "native and wasm decide alike", pkg: true, run: vectors },
  { name: "command line", pkg: true, run: () => nodeTests(process.execPath, "tests/js/cli") },
  // The check before this one runs it in this Node.
  ...["Node 20", "Node 22", "Node 24", "Deno", "Bun"].filter(isOther).map((runtime) => ({
    name: `command line, as packed, ${runtime}`,
    all: true,
    pkg: true,
    single: true,
    run: () => packedCommandLine(runtime),
  })),
  { name: "command line, 100 MB", all: true, pkg: true, single: true, run: largeTranscript },
  // Version 7 asks for Node 22; older ones run 5 and 6 alone.
  ...[20, 22, 24].map((major) => ({
    name: `AI SDK, Node ${major}`,
    all: major !== AT_LENGTH,
    pkg: true,
    run: () => aiSdk(major),
  })),
  { name: "suite, this Node", pkg: true, run: () => nodeTests(process.execPath, "tests/js/suite") },
  ...[20, 22, 24].flatMap((major) =>
    ["import", "require"]
      .filter((way) => way === "require" || isOther(`Node ${major}`))
      .map((way) => ({
        name: `suite, Node ${major}, ${way}`,
        all: true,
        pkg: true,
        run: async () => shortSuite(await node(major), way, major),
      })),
  ),
  ...["chromium", "deno", "bun", "workerd"].map((runtime) => ({
    name: `suite, ${runtime}`,
    all: true,
    pkg: true,
    single: true,
    run: () => runtimeSuite(runtime),
  })),
  { name: "documentation site", all: true, pkg: true, single: true, run: documentationSite },
  // It measures how long frames take.
  { name: "inspector in Chromium", all: true, pkg: true, uses: "examples", run: () => browserExample("inspector.mjs") },
  ...[
    { name: "examples, Durable Objects killed under load", run: durableObjects },
    { name: "examples, many chats ahead of time, workers killed", optional: true, run: manyChats },
    { name: "examples, many chats through BullMQ and Cloudflare Queues", run: queuedChats },
    { name: "examples, the AI SDK and Deno", run: () => example("smoke.mjs") },
    { name: "examples, a chat in Chromium", run: () => browserExample("browser.mjs") },
    { name: "examples, a divider and a meter with useChat", run: () => browserExample("use-chat.mjs") },
    { name: "examples, a chat in Next.js", run: () => browserExample("smoke.mjs", "next") },
  ].map((check) => ({ all: true, pkg: true, single: true, uses: "examples", ...check })),
  { name: "soak, everything around it going wrong", all: true, pkg: true, single: true, run: soak },
  { name: "fuzz, the corpus and five seconds a target", all: true, pkg: true, optional: true, run: fuzzing },
  { name: "typescript properties, 10,000 cases", all: true, pkg: true, run: typescriptProperties },
];

/** Whether a runtime is another one than this Node. */
function isOther(runtime) {
  return runtime !== `Node ${process.versions.node.split(".")[0]}`;
}

async function rustFormat() {
  await must("cargo", ["fmt", "--check", "--", "--color=never"], quiet);
  await must("cargo", ["fmt", "--check", "--manifest-path", "tests/fuzz/Cargo.toml", "--", "--color=never"], quiet);
}

async function clippy(...flags) {
  await wasmTarget();
  await must("cargo", ["clippy", "--quiet", "--all-targets", ...flags, "--", "-D", "warnings"], quiet);
}

/** They are a workspace of their own, which nothing else builds on a machine without the nightly toolchain. */
async function fuzzLint() {
  // Nothing is linked, so libFuzzer itself is not built.
  const env = { CUSTOM_LIBFUZZER_PATH: "./libfuzzer.a" };
  const where = ["--manifest-path", "tests/fuzz/Cargo.toml", "--target-dir", join(target, "fuzz")];
  await must("cargo", ["clippy", "--quiet", "--all-targets", ...where, "--", "-D", "warnings"], { ...quiet, env });
}

async function rustDocs() {
  const env = { RUSTDOCFLAGS: "-D warnings" };
  await must("cargo", ["doc", "--quiet", "--no-deps"], { ...quiet, env });
}

/** What lands is judged by the same cases every time; elsewhere each run looks somewhere else. */
const seed = process.env.CI ? { PROPTEST_RNG_SEED: "20261121" } : {};

/** Counts what passed in all the test programs. */
async function cargoTests(args, more = {}) {
  const env = { ...seed, ...more };
  const output = await must("cargo", ["test", ...args], { ...quiet, env });
  return total(output, /^test result: ok\. (\d+) passed/gm);
}

function rustTests(more) {
  return cargoTests(["--profile", "cases"], more);
}

async function wasmTests() {
  await wasmTarget();
  const runner = await wasmTestRunner();
  return cargoTests(wasm, { CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: runner });
}

async function growing() {
  return (await valgrind()) ? growth() : { missing: "apt-get install valgrind, or VALGRIND=/path/to/valgrind" };
}

/** A small run of what `npm run soak` does at length. Counts the requests. */
async function soak() {
  await testPackages();
  const args = ["--expose-gc", "tests/js/soak.mjs", "--chats", "60", "--requests", "100"];
  const output = await must(process.execPath, args, quiet);
  return Number(output.match(/([\d,]+) requests judged/)?.[1].replaceAll(",", "") ?? 0);
}

/** A short run of what `npm run fuzz` does at length. Counts the executions. */
async function fuzzing() {
  const lacking = missing();
  if (lacking) return { missing: lacking };
  await buildTargets();
  let executions = await replayCorpus();
  for (const name of targets) {
    const done = await fuzz(name, 5);
    if (done.failure) throw new Error(`${name}: ${done.failure}`);
    executions += done.executions;
  }
  return executions;
}

async function typescriptProperties() {
  await testPackages();
  const args = ["--test", "--test-reporter=tap", "tests/js/suite/properties.node.test.mjs"];
  // Each property has 10,000 cases, shared by as many processes as there are cores.
  const processes = availableParallelism();
  const part = (number) => ({ PRECIS_CASES: String(Math.ceil(10_000 / processes)), PRECIS_PART: String(number) });
  const run = (_, number) => must(process.execPath, args, { ...quiet, env: part(number) });
  const [output] = await Promise.all(Array.from({ length: processes }, run));
  return total(output, /^# pass (\d+)/gm);
}

async function types() {
  await packages();
  for (const project of ["tsconfig.json", "js/src/cli/tsconfig.json"])
    await must(tsc[0], [tsc[1], "-p", project], quiet);
}

async function lint() {
  await packages();
  await must(biome[0], [biome[1], "ci", "--colors=off", "."], quiet);
}

/** A release up to the point of publishing it, whatever else is being worked on. Counts the files in the tarball. */
async function rehearse() {
  const { files } = await release({ dryRun: true, allowDirty: true });
  return Object.keys(files).length;
}

async function conformance() {
  const args = ["tests/conformance/replay.mjs", simulations, "--preset", "contextguard"];
  const output = await must(process.execPath, args, quiet);
  return total(output, /^(\d+) of \d+ requests identical/gm);
}

/** The original asks its summarizer 255 times in these sessions. */
const MOST_CALLS = 88;

async function better() {
  const args = ["tests/conformance/replay.mjs", simulations, "--preset", "default", "--json"];
  const found = JSON.parse((await must(process.execPath, args, quiet)).trim().split("\n").at(-1));
  const faults = ["overWindow", "newestMissing", "userMissing", "invalid", "halfOrMore"].filter(
    (key) => found[key] !== 0,
  );
  if (!(found.summarizerCalls <= MOST_CALLS)) faults.push("summarizerCalls");
  if (faults.length > 0) throw new Error(`${faults.join(", ")}: ${JSON.stringify(found)}`);
  return found.requests;
}

/** Every crossing of the boundary in some seventy conversations, by the engine in wasm and by the native one. */
async function vectors() {
  await testPackages();
  const file = join(cache, "vectors", "vectors.jsonl");
  await must(process.execPath, ["tests/js/vectors/record.mjs", file], quiet);
  const args = ["test", "--profile", "cases", "--test", "rust", "vectors", "--", "--ignored", "--nocapture"];
  return total(await must("cargo", args, { ...quiet, env: { PRECIS_VECTORS: file } }), /^(\d+) vectors/gm);
}

/** Replays the recorded sessions; standard output must hold one object a line and nothing else. */
async function demo() {
  const folders = ["ai-sdk", "anthropic", "openai-chat", "pi-session", "provider-pairs", "swe-agent", "tau-bench"];
  const sessions = folders.map((folder) => `tests/fixtures/${folder}`);
  const args = ["js/scripts/demo.mjs", ...sessions, "--strict", "--window", "32000", "--strategy", "full", "--json"];
  const lines = (await must(process.execPath, args, quiet)).trim().split("\n");
  const bad = lines.filter((line) => !sound(JSON.parse(line)));
  if (bad.length > 0) throw new Error(bad.join("\n"));
  return lines.length;
}

function sound({ overWindow, infeasible, newestMissing, userMissing, invalid }) {
  return overWindow + infeasible + newestMissing + userMissing + invalid === 0;
}

/** What users will write, compiled as strictly as they may have set it. */
async function programs() {
  await testPackages();
  const folders = ["tests/js/programs", "tests/js/programs/v6", "tests/js/programs/v5", "tests/js/programs/node"];
  const examples = ["cloudflare", "browser"].map((name) => `tests/js/examples/tsconfig.${name}.json`);
  for (const folder of [...folders, ...examples, "examples/inspector"])
    await must(tsc[0], [tsc[1], "-p", folder], quiet);
  try {
    const snippets = writeSnippets();
    for (const folder of snippets) await must(tsc[0], [tsc[1], "-p", folder], quiet);
    folders.push(...snippets);
    return folders.flatMap((folder) => readdirSync(at(folder))).filter((name) => /\.[cm]?tsx?$/.test(name)).length;
  } finally {
    cleanSnippets();
  }
}

let installed;
/** Once a run. `--force`: the types of some SDKs ask for a newer Node than the one that checks them. */
function testPackages() {
  installed ??= packages("tests/js", "--force");
  return installed;
}

/** The tables of docs/ai-sdk.md, of what is supported, are compared with the tests that passed. */
async function aiSdk(major) {
  const env = major === AT_LENGTH ? {} : short;
  const output = await nodeTap(await node(major), { folder: "tests/js/ai-sdk", env });
  checkSupported(output, major);
  return total(output, /^# pass (\d+)/gm);
}

/** With `require` other files are loaded, and nothing else is decided: the oldest Node runs all of the portable tests so. */
const OLDEST = 20;
/** What the others run of them: each entry of the package, and whether what one entry makes is known to another. */
const LOADED = /^(loading|boundary|wrong-input|refused|wrong-format|formats|seal|testing|recorder|trap)\.test\.mjs$/;

function shortSuite(binary, way, major) {
  const folder = "tests/js/suite";
  if (way === "import") return nodeTests(binary, { folder, env: short });
  // What needs Node itself tests the engine: how the package is loaded changes nothing there.
  const isPortable = (name) => !name.endsWith(".node.test.mjs");
  const only = (name) => isPortable(name) && (major === OLDEST || LOADED.test(name));
  return nodeTests(binary, { folder, only, env: short }, "--import", "./tests/js/hooks/require.mjs");
}

/** The command line in another runtime; the tests themselves run here. */
async function packedCommandLine(runtime) {
  const [name, major] = runtime.toLowerCase().split(" ");
  const binary = major ? await node(major) : await npmBinary(name);
  const command = name === "deno" ? [binary, "run", "-A"] : [binary];
  await install();
  const names = readdirSync(at("tests/js/cli")).filter((file) => /^command-line.*\.test\.mjs$/.test(file));
  const args = ["--test", "--test-reporter=tap", ...names.map((file) => `tests/js/cli/${file}`)];
  const env = { PRECIS_RUNTIME: JSON.stringify(command), ...short };
  return total(await must(process.execPath, args, { ...quiet, env }), /^# pass (\d+)/gm);
}

/** What a transcript of 100 MB takes. Counts the commands. */
async function largeTranscript() {
  await install();
  return total(await must(process.execPath, ["tests/js/cli/large.mjs"], quiet), /^(\d+) commands/gm);
}

async function nodeTests(...args) {
  return total(await nodeTap(...args), /^# pass (\d+)/gm);
}

/** `tests`: a folder, or of a folder `only` some files, with an environment of their own. */
async function nodeTap(binary, tests, ...flags) {
  await testPackages();
  const { folder, only = () => true, env = {} } = typeof tests === "string" ? { folder: tests } : tests;
  const names = readdirSync(at(folder)).filter((name) => name.endsWith(".test.mjs") && only(name));
  // By itself Node leaves one core to the process that only listens to the others.
  const all = `--test-concurrency=${availableParallelism()}`;
  const args = [...flags, "--test", all, "--test-reporter=tap", ...names.map((name) => `${folder}/${name}`)];
  return must(binary, args, { ...quiet, env });
}

async function runtimeSuite(runtime) {
  const binary = runtime === "chromium" ? await chromium() : await npmBinary(runtime);
  if (!binary) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  await testPackages();
  const output = await must(process.execPath, ["tests/js/runtimes/run.mjs", runtime, binary], { ...quiet, env: short });
  return total(output, /^# pass (\d+)/gm);
}

/** A small run of what `node tests/js/examples/durable-objects.mjs` does at length. Counts the turns. */
async function durableObjects() {
  await testPackages();
  const size = ["--chats", "20", "--turns", "300", "--kills", "3", "--minutes", "3"];
  const output = await must(process.execPath, ["tests/js/examples/durable-objects.mjs", ...size], quiet);
  return total(output, /(\d+) turns answered/g);
}

/** A small run of what `node tests/js/examples/many-chats.mjs` does at length. Counts the chats. */
async function manyChats() {
  if (!(await postgres())) return { missing: "apt-get install postgresql" };
  await testPackages();
  const output = await must(process.execPath, ["tests/js/examples/many-chats.mjs"], { ...quiet, timeout: 600_000 });
  return total(output, /^(\d+) chats, one of .* none lost/gm);
}

/** A small run of what `node tests/js/examples/queued-chats.mjs` does at length. Counts the chats. */
async function queuedChats() {
  if (!(await redisServer())) return { missing: "apt-get install redis-server, or REDIS_SERVER=/path/to/redis-server" };
  const args = ["tests/js/examples/queued-chats.mjs", "bullmq", "cloudflare"];
  const output = await must(process.execPath, args, { ...quiet, timeout: 600_000 });
  return total(output, /^\w+: (\d+) chats, one of .* none lost/gm);
}

/** Builds the site, follows its links and anchors, and has axe look at some pages. Counts links and pages. */
async function documentationSite() {
  const browser = await chromium();
  if (!browser) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  await buildSite();
  return total(await must(process.execPath, ["docs/.vitepress/check.mjs", browser], quiet), /^(\d+) (?:links|pages)/gm);
}

async function browserExample(...program) {
  if (!(await chromium())) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  return example(...program);
}

/** Counts the messages of all the chats. */
async function example(program, ...args) {
  await testPackages();
  const output = await must(process.execPath, [`tests/js/examples/${program}`, ...args], {
    ...quiet,
    timeout: 600_000,
  });
  return total(output, /^.*?\b(\d+) messages/gm);
}

function total(output, pattern) {
  return [...output.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}
