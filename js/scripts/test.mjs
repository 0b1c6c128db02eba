// npm test: every check that runs on a desk. `npm test -- all` adds the other runtimes and the long properties,
// `npm test -- WORDS` runs the checks whose name holds these words.

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
  for (const check of chosen) {
    const from = performance.now();
    process.stdout.write(`${check.name} … `);
    const outcome = await attempt(check, failed);
    const seconds = `${((performance.now() - from) / 1000).toFixed(1)} s`;
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

async function attempt({ run, pkg }, failed) {
  if (pkg && failed.includes("build")) return { failure: "not run: the build failed" };
  try {
    const outcome = await run();
    if (outcome === 0) return { failure: "no test was run" };
    if (outcome?.missing) return ci ? { failure: `missing: ${outcome.missing}` } : outcome;
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
