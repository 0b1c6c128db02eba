// Checks that run the tests of tests/js, and what was recorded, on the package, in this Node and in other runtimes.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { install } from "../../../tests/js/cli/installed.mjs";
import { at, cache, must, packages } from "../common.mjs";
import { checkSupported } from "../supported.mjs";
import { chromium, node, npmBinary } from "../tools.mjs";
import { quiet, testPackages, total } from "./common.mjs";

const SUITE = "tests/js/suite";

/** Tests run at full length once, in this Node; elsewhere the long ones have fewer cases: tests/js/suite/length.mjs. */
const short = { PRECIS_SUITE: "short" };
/** Where those of the AI SDK do: no older Node runs all of its versions. */
const AT_LENGTH = 22;

/** The suite in the Node that runs the checks. */
export function suite({ suite: env }) {
  return nodeTests(process.execPath, { folder: SUITE, env });
}

/** Tests of the command line as it is published, by whichever program runs it. */
const isPacked = (file) => file.startsWith("command-line");

/** What the command line is made of, and the scripts. */
export function commandLine({ suite: env }) {
  return nodeTests(process.execPath, { folder: "tests/js/cli", only: (file) => !isPacked(file), env });
}

/**
 * The servers of tests/providers are tested, and then judge every recorded chat; prints requests judged and refused by
 * provider and data set. Counts the requests.
 */
export async function providers({ suite: env, everyWay }) {
  const judges = await nodeTests(process.execPath, { folder: "tests/providers" });
  if (judges === 0) return 0;
  const how = everyWay ? ["--all"] : env.PRECIS_SUITE === "short" ? ["--short"] : [];
  const output = await must(process.execPath, ["tests/providers/court.mjs", ...how], quiet);
  console.log(output.trim());
  return Number(output.match(/^([\d,]+) requests judged/m)?.[1].replaceAll(",", "") ?? 0);
}

/** Where every version was tested, the tables of docs/ai-sdk.md, of what is supported, are compared with what passed. */
export async function aiSdk({ suite: env, sdks }, major) {
  await packages("tests/js/agents");
  const output = await nodeTap(await node(major), {
    folder: "tests/js/ai-sdk",
    env: { ...(major === AT_LENGTH ? env : short), ...sdks },
  });
  if (!sdks) checkSupported(output, major);
  return total(output, /^# pass (\d+)/gm);
}

/** Some frameworks ask for Node 22; what precis does is the same in every Node. */
export async function frameworks({ suite: env }) {
  await packages("tests/js/cloudflare");
  return nodeTests(await node(AT_LENGTH), { folder: "tests/js/frameworks", env });
}

/**
 * With `require` other files are loaded, and nothing else is decided: the oldest Node runs all portable tests so, and the one
 * that does before a change lands. The others run these: each entry of the package, and what one makes and another is given.
 */
const OLDEST = 20;
const LOADED = /^(loading|boundary|wrong-input|refused|wrong-format|formats|seal|testing|recorder|trap)\.test\.mjs$/;

/** The suite in another Node, or loaded in another way, with fewer cases; `whole`: all tests that can run so. */
export async function shortSuite(major, way, whole) {
  const binary = await node(major);
  if (way === "import") return nodeTests(binary, { folder: SUITE, env: short });
  // What needs Node itself tests the engine: how the package is loaded changes nothing there.
  const isPortable = (name) => !name.endsWith(".node.test.mjs");
  const only = (name) => isPortable(name) && (whole || major === OLDEST || LOADED.test(name));
  return nodeTests(binary, { folder: SUITE, only, env: short }, "--import", "./tests/js/hooks/require.mjs");
}

export async function runtimeSuite(runtime) {
  const binary = runtime === "chromium" ? await chromium() : await npmBinary(runtime);
  if (!binary) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  await testPackages();
  const output = await must(process.execPath, ["tests/js/runtimes/run.mjs", runtime, binary], { ...quiet, env: short });
  return total(output, /^# pass (\d+)/gm);
}

/** The command line as users install it, in a runtime; the tests themselves run in this Node, at full length where both are it. */
export async function packedCommandLine(runtime, { suite: env }) {
  const [name, major] = runtime.toLowerCase().split(" ");
  const binary = major ? await node(major) : await npmBinary(name);
  const command = name === "deno" ? [binary, "run", "-A"] : [binary];
  await install();
  const length = process.versions.node.startsWith(`${major}.`) ? env : short;
  const run = { folder: "tests/js/cli", only: isPacked, env: { PRECIS_RUNTIME: JSON.stringify(command), ...length } };
  return nodeTests(process.execPath, run);
}

/** What a transcript of 200 MB takes. Counts the commands. */
export async function largeTranscript() {
  await install();
  return total(await must(process.execPath, ["tests/js/cli/large.mjs"], quiet), /^(\d+) commands/gm);
}

export async function typescriptProperties({ cases }) {
  await testPackages();
  const files = ["properties", "requests"].map((name) => `tests/js/suite/${name}.node.test.mjs`);
  const args = ["--test", "--test-reporter=tap", ...files];
  // The cases of each property are shared by as many processes as there are cores.
  const processes = availableParallelism();
  const part = (number) => ({ PRECIS_CASES: String(Math.ceil(cases / processes)), PRECIS_PART: String(number) });
  const run = (_, number) => must(process.execPath, args, { ...quiet, env: part(number) });
  const [output] = await Promise.all(Array.from({ length: processes }, run));
  return total(output, /^# pass (\d+)/gm);
}

/** A small run of what `npm run soak` does at length. Counts the requests. */
export async function soaking({ soak: { chats, requests } }) {
  await testPackages();
  const args = ["--expose-gc", "tests/js/soak.mjs", "--chats", String(chats), "--requests", String(requests)];
  const output = await must(process.execPath, args, quiet);
  return Number(output.match(/([\d,]+) requests judged/)?.[1].replaceAll(",", "") ?? 0);
}

const simulations = "tests/conformance/contextguard_simulations.json";

/**
 * The original asks its summarizer 255 times in these sessions. Until what a person typed was kept beside short summaries
 * whole, 88 were enough, and until what amends it was kept with it, 91: what that takes leaves less room for clearing results.
 */
const MOST_CALLS = 93;

/** Its preset does in each recorded request what the original did, and the default does better. Counts both. */
export async function conformance() {
  const presets = ["contextguard", "default"];
  const args = [
    "tests/conformance/replay.mjs",
    simulations,
    ...presets.flatMap((name) => ["--preset", name]),
    "--json",
  ];
  const lines = (await must(process.execPath, args, quiet)).trim().split("\n");
  const [same, better] = lines.map((line) => JSON.parse(line));
  if (same.identical !== same.requests) throw new Error(`not identical to the original: ${JSON.stringify(same)}`);
  const faults = ["overWindow", "newestMissing", "userMissing", "invalid", "halfOrMore"].filter(
    (key) => better[key] !== 0,
  );
  if (!(better.summarizerCalls <= MOST_CALLS)) faults.push("summarizerCalls");
  if (faults.length > 0) throw new Error(`${faults.join(", ")}: ${JSON.stringify(better)}`);
  return same.identical + better.requests;
}

/** Replays the recorded sessions; standard output must hold one object a line and nothing else. */
export async function demo() {
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

async function nodeTests(...args) {
  return total(await nodeTap(...args), /^# pass (\d+)/gm);
}

/**
 * The tests of a folder, or `only` some of its files, with an environment of their own. Files that any runtime can run share
 * processes, as they do in all runtimes but Node: an engine that has run for a while is compiled once.
 */
export async function nodeTap(binary, { folder, only = () => true, env = {} }, ...flags) {
  await testPackages();
  const names = readdirSync(at(folder)).filter((name) => name.endsWith(".test.mjs") && only(name));
  const needsNode = (name) => folder !== SUITE || name.endsWith(".node.test.mjs");
  const apart = names.filter(needsNode).map((name) => `${folder}/${name}`);
  const together = names.filter((name) => !needsNode(name)).map((name) => `${folder}/${name}`);
  // By itself Node leaves one core to the process that only listens to the others.
  const all = `--test-concurrency=${availableParallelism()}`;
  mkdirSync(cache, { recursive: true });
  const parts = mkdtempSync(join(cache, "suite-"));
  try {
    const files = [...shared(together, availableParallelism(), parts), ...apart];
    const how = ["--import", "./tests/js/hooks/untracked.mjs", ...flags, "--test", all, "--test-reporter=tap"];
    return await must(binary, [...how, ...files], { ...quiet, env });
  } finally {
    rmSync(parts, { recursive: true, force: true });
  }
}

/** As many modules in a folder, each of which imports its share of the files; none that would be empty. */
function shared(files, count, folder) {
  const share = (number) => files.filter((_, index) => index % count === number);
  const lines = (number) => share(number).map((file) => `await import(${JSON.stringify(pathToFileURL(at(file)))});\n`);
  return Array.from({ length: Math.min(count, files.length) }, (_, number) => {
    const module = join(folder, `part-${number + 1}.mjs`);
    writeFileSync(module, lines(number).join(""));
    return module;
  });
}
