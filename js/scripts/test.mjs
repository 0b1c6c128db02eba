// npm test: all local checks. `npm test -- all` adds the other runtimes and the long properties,
// `npm test -- WORDS` runs the checks whose name holds these words.

import { availableParallelism } from "node:os";
import { build } from "./build.mjs";
import { checks } from "./checks.mjs";
import { ci, main } from "./common.mjs";

main(import.meta.url, async (args) => {
  const words = args.join(" ");
  const asked = ({ name, all }) => (words === "all" ? true : words === "" ? !all : name.includes(words));
  const chosen = checks.filter(asked);
  if (chosen.length === 0) throw new Error(`no check is called "${words}". There are:\n${list(checks)}`);
  if (chosen.some(({ pkg }) => pkg) && !chosen.some(({ run }) => run === build)) await build();

  const passed = [];
  const failed = [];
  const skipped = [];
  // Checks that keep one core busy run beside those of their kind that follow; their output is printed in their order.
  const cores = availableParallelism();
  const begun = [];
  for (const [at, check] of chosen.entries()) {
    process.stdout.write(`${check.name} … `);
    for (let next = begun.length; next === at || (check.single && chosen[next]?.single); next++) {
      const lane = next - cores >= at ? begun[next - cores] : null;
      begun.push(attempt(chosen[next], failed, lane));
    }
    const outcome = await begun[at];
    const seconds = `${outcome.seconds.toFixed(1)} s`;
    if (outcome.missing) skipped.push({ ...check, ...outcome });
    else (outcome.failure ? failed : passed).push(check.name);
    process.stdout.write(`${said(outcome)} (${seconds})\n`);
    if (outcome.failure) console.log(excerpt(outcome.failure));
  }

  for (const { name, missing } of skipped) console.log(`not run: ${name}; to run it: ${missing}`);
  if (failed.length > 0) console.log(`failed: ${failed.join("; ")}`);
  const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : "";
  console.log(`${passed.length} passed, ${failed.length} failed${tail}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
});

/** How a check went, and how long it took, once what runs `before` it has ended. */
async function attempt(check, failed, before) {
  await before;
  const from = performance.now();
  const outcome = await outcomeOf(check, failed);
  return { ...outcome, seconds: (performance.now() - from) / 1000 };
}

async function outcomeOf({ run, pkg, optional }, failed) {
  if (pkg && failed.includes("build")) return { failure: "not run: the build failed" };
  try {
    const outcome = await run();
    if (outcome === 0) return { failure: "no test was run" };
    if (outcome?.missing) return ci && !optional ? { failure: `missing: ${outcome.missing}` } : outcome;
    return { count: outcome };
  } catch (error) {
    return { failure: error.message };
  }
}

function said({ failure, missing, count }) {
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
