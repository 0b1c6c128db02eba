// docs/checks.md: which check runs at which level, made of the rows of checks.mjs. `npm run fix` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { at } from "./common.mjs";
import { levels, runsIn } from "./levels.mjs";

const page = "docs/checks.md";
const [begin, end] = ["<!-- checks -->\n", "<!-- /checks -->"];

/** Throws if the table is not that of the checks. Gives the number of its rows. */
export async function checkTable() {
  const { text, made, rows } = await tables();
  if (text !== made) throw new Error(`the table in ${page} is not that of js/scripts/checks.mjs: npm run fix`);
  return rows;
}

/** Writes the table. */
export async function writeTable() {
  writeFileSync(at(page), (await tables()).made);
}

async function tables() {
  // Only here: the checks import this file.
  const { checksFor } = await import("./checks.mjs");
  const text = readFileSync(at(page), "utf8");
  const names = Object.keys(levels);
  const first = (check) => names.find((level) => runsIn(check, level));
  const checks = checksFor(20);
  const cell = (job, level) => {
    const some = checks.filter((check) => check.job === job && first(check) === level);
    return some.map(({ name }) => name).join("; ");
  };
  const jobs = [...new Set(checks.map(({ job }) => job))];
  const lines = jobs.map((job) => `| ${[job, ...names.map((level) => cell(job, level))].join(" | ")} |\n`);
  const table = `| job | every level | from \`all\` on | \`full\` |\n|---|---|---|---|\n${lines.join("")}`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${page} has no place for the table: ${begin.trim()} and ${end}`);
  return { text, made: `${before}${begin}\n${table}\n${end}${after}`, rows: checks.length };
}
