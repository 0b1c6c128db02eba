// npm test: local checks, each with what it found and how long it took.
//
//   npm test                  after every change: what passed on the same files before is not run again
//   npm test -- all           before a change lands; this is what CI runs
//   npm test -- full          at night: more cases, every Node in both ways, long soaks and fuzzing
//   npm test -- WORDS         checks whose name holds these words; `all WORDS` and `full WORDS` at that level's length
//   npm test -- all --job wasm   what one job of CI runs
//   npm test -- --force       also what passed before
//   npm test -- --watch-inputs   one check at a time; one that reads what it says it does not fails

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { withBuild } from "./build.mjs";
import { checks } from "./checks.mjs";
import { ci, main } from "./common.mjs";
import { forgetPassed, inputsOf, keepPassed, lastPassed, watchUnread } from "./inputs.mjs";
import { levels, runsIn } from "./levels.mjs";
import { schedule } from "./schedule.mjs";

main(import.meta.url, async (args) => {
  const asked = parse(args);
  const chosen = checks.filter((check) => isAsked(check, asked));
  if (chosen.length === 0) throw new Error(`no check is called "${asked.words}". There are:\n${list(checks)}`);
  const outcomes = chosen.some(({ pkg, name }) => pkg || name === "build")
    ? await withBuild((build) => runAll(chosen, asked, build))
    : await runAll(chosen, asked);
  process.exitCode = report(outcomes);
});

/** What the words on the command line ask for. */
export function parse(args) {
  const options = { force: false, watch: false, job: null, level: null };
  const words = [];
  const rest = [...args];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === "--force") options.force = true;
    else if (word === "--watch-inputs") options.watch = true;
    else if (word === "--job") options.job = rest.shift() ?? "";
    else if (word.startsWith("--"))
      throw new Error(`${word} is no option; there are --force, --job NAME, --watch-inputs`);
    else if (words.length === 0 && options.level === null && word in levels) options.level = word;
    else words.push(word);
  }
  return { ...options, words: words.join(" ") };
}

/** Whether a check is one of those that were asked for. */
export function isAsked(check, { words, job, level }) {
  if (job !== null && check.job !== job) return false;
  if (words !== "") return check.name.includes(words);
  return runsIn(check, level ?? "quick");
}

/** The level at which a check runs: the one that was asked for, or the least that has it. */
const levelOf = (check, { level }) => level ?? check.from ?? "quick";

/** Which build checks run on: by name the fast one, unless one of them needs what is shipped. */
function kindFor(chosen, { level }) {
  if (level) return levels[level].kind;
  return chosen.some(({ pkg }) => pkg === "shipped") ? "shipped" : "fast";
}

async function runAll(chosen, asked, build) {
  const kind = kindFor(chosen, asked);
  const lengthsOf = (check) => ({ ...levels[levelOf(check, asked)], kind, build });
  // Only what nobody asked for by name, and no judge of what lands, may rely on an earlier run.
  const relies =
    !ci && !asked.force && !asked.watch && asked.words === "" && asked.job === null && asked.level === null;
  const outcomes = [];
  const due = [];
  for (const check of chosen) {
    const level = levelOf(check, asked);
    const before = lastPassed(check, level);
    const inputs = relies ? inputsOf(check, level, kind) : null;
    if (inputs !== null && before?.inputs === inputs) outcomes.push({ check, unchanged: before });
    else due.push({ check, expected: before?.seconds ?? check.takes ?? 0 });
  }
  const isBuild = ({ name }) => name === "build";
  if (due.some(({ check }) => check.pkg) && !due.some(({ check }) => isBuild(check)))
    due.push({ check: checks.find(isBuild), expected: 0 });
  await schedule(due, {
    first: isBuild,
    cores: asked.watch ? 1 : availableParallelism(),
    run: async (check, ready) => {
      const outcome =
        check.pkg && !ready
          ? { failure: "not run: the build failed" }
          : await attempt(check, levelOf(check, asked), lengthsOf(check), asked);
      outcomes.push({ check, ...outcome });
      console.log(`${check.name} … ${summary(outcome)} (${(outcome.seconds ?? 0).toFixed(1)} s)`);
      if (outcome.failure) console.log(excerpt(outcome.failure));
      return !outcome.failure;
    },
  });
  return outcomes;
}

/** How a check went, and how long it took. */
async function attempt(check, level, lengths, { watch }) {
  const { kind } = lengths;
  const inputs = inputsOf(check, level, kind);
  const unread = watch && check.ignores ? watchUnread(check) : () => [];
  const from = performance.now();
  const outcome = await outcomeOf(check, lengths);
  const seconds = (performance.now() - from) / 1000;
  const read = unread();
  if (read.length > 0 && !outcome.failure) {
    outcome.failure = `it says that it does not read these, and did:\n${read.join("\n")}`;
  }
  remember(check, outcome, { inputs, seconds, level, kind });
  return { ...outcome, seconds };
}

/** Keeps that a check passed, if what it read is still what it was when it began. */
function remember(check, { failure, missing, count }, { inputs, seconds, level, kind }) {
  try {
    if (failure || missing) forgetPassed(check, level);
    else if (inputs === inputsOf(check, level, kind))
      keepPassed(check, level, { inputs, count, seconds, at: Date.now() });
  } catch {
    // A full disk: then it runs again.
  }
}

async function outcomeOf({ run, optional }, lengths) {
  try {
    const outcome = await run(lengths);
    if (outcome === 0) return { failure: "no test was run" };
    if (outcome?.missing) return ci && !optional ? { failure: `missing: ${outcome.missing}` } : outcome;
    return { count: outcome };
  } catch (error) {
    return { failure: error.message };
  }
}

/** Says how all of them went; the last line is the sum. Gives the exit code. */
function report(outcomes) {
  const ran = outcomes.filter(({ missing, unchanged }) => !missing && !unchanged);
  const failed = ran.filter(({ failure }) => failure);
  const missing = outcomes.filter((outcome) => outcome.missing);
  const unchanged = outcomes.filter((outcome) => outcome.unchanged);
  if (ran.length > 0) console.log(`\n${times(ran)}`);
  for (const { check, unchanged: before } of unchanged) {
    console.log(
      `unchanged, not run: ${check.name}${tests(before.count)} passed on the same files ${ago(before.at)} ago`,
    );
  }
  if (unchanged.length > 0) console.log("to run them all the same: npm test -- --force");
  for (const { check, missing: how } of missing) console.log(`not run: ${check.name}; to run it: ${how}`);
  if (failed.length > 0) console.log(`failed: ${failed.map(({ check }) => check.name).join("; ")}`);
  const skipped = missing.length + unchanged.length;
  console.log(
    `${ran.length - failed.length} passed, ${failed.length} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** The time of each check, the slowest first, and of all of them. */
function times(ran) {
  const line = (seconds, text) => `${seconds.toFixed(1).padStart(8)} s  ${text}`;
  const slowest = [...ran].sort((a, b) => (b.seconds ?? 0) - (a.seconds ?? 0));
  return [
    ...slowest.map(({ check, seconds = 0 }) => line(seconds, check.name)),
    line(performance.now() / 1000, `all of it${processorTime()}`),
  ].join("\n");
}

/** What this process and all it started took of the processors, where the system says so. */
function processorTime() {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ").slice(11, 15);
    const seconds = fields.reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
    return `, ${Math.round(seconds)} s of processor time`;
  } catch {
    return "";
  }
}

function summary({ failure, missing, count }) {
  if (failure) return "FAILED";
  if (missing) return "not run";
  return count === undefined ? "ok" : `ok, ${count.toLocaleString("en")}`;
}

/** Leaves out the tests of a TAP stream that passed. */
function isOfFailure() {
  let passing = false;
  return (line) => {
    if (/^\s*(not )?ok \d/.test(line)) passing = !/^\s*not ok/.test(line);
    else if (/^\s*# Subtest: /.test(line)) passing = true;
    else if (/^# \w/.test(line)) passing = false;
    return !passing;
  };
}

const tests = (count) => (count === undefined ? "" : `, ${count.toLocaleString("en")} tests`);

function ago(time) {
  const minutes = Math.round((Date.now() - time) / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

function list(checks) {
  return checks.map(({ name }) => `  ${name}`).join("\n");
}

/** What a failure said, indented, the middle left out when it is very long. Of many tests only those that failed are said. */
export function excerpt(text) {
  const lines = text.trimEnd().split("\n").filter(isOfFailure());
  if (lines.length > 160) lines.splice(80, lines.length - 160, `… ${lines.length - 160} lines …`);
  return lines.map((line) => `    ${line}`).join("\n");
}
