// npm test: every local check. `npm test -- all` adds the other runtimes and the long properties,
// `npm test -- WORDS` runs the checks whose name holds these words.

import { availableParallelism } from "node:os";
import { build } from "./build.mjs";
import { checks } from "./checks.mjs";
import { ci, main } from "./common.mjs";

main(import.meta.url, async (args) => {
  const words = args.join(" ");
  const chosen = checks.filter((check) => asked(check, words));
  if (chosen.length === 0) throw new Error(`no check is called "${words}". There are:\n${list(checks)}`);
  if (chosen.some(({ pkg }) => pkg) && !chosen.some(({ run }) => run === build)) await build();

  const passed = [];
  const failed = [];
  const skipped = [];
  const outcomes = schedule(chosen);
  for (const [at, check] of chosen.entries()) {
    const outcome = await outcomes[at];
    if (outcome.missing) skipped.push({ ...check, ...outcome });
    else (outcome.failure ? failed : passed).push(check.name);
    console.log(`${check.name} … ${summary(outcome)} (${outcome.seconds.toFixed(1)} s)`);
    if (outcome.failure) console.log(excerpt(outcome.failure));
  }

  for (const { name, missing } of skipped) console.log(`not run: ${name}; to run it: ${missing}`);
  if (failed.length > 0) console.log(`failed: ${failed.join("; ")}`);
  const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  console.log(`${passed.length} passed, ${failed.length} failed${tail}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});

/** Whether a check is one of those that these words ask for. */
function asked({ name, all, short }, words) {
  if (words === "all") return !short;
  return words === "" ? !all : name.includes(words);
}

/**
 * Runs checks as soon as a core is free for them: a promise of each outcome, in the order of the checks. One that keeps
 * every core busy by itself runs beside no other of its kind, only beside those that keep a single core busy, so that no
 * core waits for the end of another's work. What works on the package waits for the build, if that is among the checks.
 */
function schedule(checks) {
  const cores = availableParallelism();
  const jobs = checks.map((check) => {
    let finish;
    const outcome = new Promise((resolve) => {
      finish = resolve;
    });
    return { check, outcome, finish };
  });
  const waiting = [...jobs];
  const running = new Set();
  let built = checks.some(({ run }) => run === build) ? "not yet" : "yes";
  const fits = ({ pkg, single, uses }) => {
    const beside = [...running].map(({ check }) => check);
    if (beside.length >= cores || (pkg && built === "not yet")) return false;
    if (uses && beside.some((other) => other.uses === uses)) return false;
    return single || beside.every((other) => other.single);
  };
  const start = () => {
    for (let at = waiting.findIndex(({ check }) => fits(check)); at >= 0; ) {
      const [job] = waiting.splice(at, 1);
      running.add(job);
      attempt(job.check, built === "failed").then((outcome) => {
        running.delete(job);
        if (job.check.run === build) built = outcome.failure ? "failed" : "yes";
        job.finish(outcome);
        start();
      });
      at = waiting.findIndex(({ check }) => fits(check));
    }
  };
  start();
  return jobs.map(({ outcome }) => outcome);
}

/** How a check went, and how long it took. */
async function attempt(check, unbuilt) {
  const from = performance.now();
  const outcome = check.pkg && unbuilt ? { failure: "not run: the build failed" } : await outcomeOf(check);
  return { ...outcome, seconds: (performance.now() - from) / 1000 };
}

async function outcomeOf({ run, optional }) {
  try {
    const outcome = await run();
    if (outcome === 0) return { failure: "no test was run" };
    if (outcome?.missing) return ci && !optional ? { failure: `missing: ${outcome.missing}` } : outcome;
    return { count: outcome };
  } catch (error) {
    return { failure: error.message };
  }
}

function summary({ failure, missing, count }) {
  if (failure) return "FAILED";
  if (missing) return "not run";
  return count === undefined ? "ok" : `ok, ${count.toLocaleString("en")}`;
}

function list(checks) {
  return checks.map(({ name }) => `  ${name}`).join("\n");
}

/** What a failure said, indented, the middle left out when it is very long. */
function excerpt(text) {
  const lines = text.trimEnd().split("\n");
  if (lines.length > 160) lines.splice(80, lines.length - 160, `… ${lines.length - 160} lines …`);
  return lines.map((line) => `    ${line}`).join("\n");
}
