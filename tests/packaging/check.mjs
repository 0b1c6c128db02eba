// npm run pack:check: packs what is published, installs the tarball into empty projects of users, and runs it in every
// runtime and bundler. `-- all` adds those that change less often, other words choose by name. What passed goes into
// docs/runtimes.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "../../js/scripts/build.mjs";
import { ask, at, ci, main, note, packages } from "../../js/scripts/common.mjs";
import { lintPackage, pack } from "../../js/scripts/release.mjs";
import { chromium } from "../../js/scripts/tools.mjs";
import { known } from "./program.mjs";

const lanes = 2;
/** What a row may take, in seconds. Most take 2 to 8; Next.js takes 30 to 60. */
const patience = 300;
const document = at("docs/runtimes.md");

main(import.meta.url, async (args) => {
  await build();
  await packages("tests/packaging");
  const { close, project, projects } = await import("./project.mjs");
  const { targets } = await import("./targets.mjs");
  const words = args.join(" ");
  const asked = ({ name, all }) =>
    words === "all" ? true : words === "" ? !all : name.toLowerCase().includes(words.toLowerCase());
  const chosen = targets.filter(asked);
  const path = await chromium();
  const context = { chromium: { path, version: path && `Chromium ${ask(path, "--version")?.match(/\d+/)?.[0]}` } };
  const tarball = await pack(at("pkg"), projects);
  const { exports } = JSON.parse(readFileSync(at("pkg/package.json"), "utf8"));
  const subpaths = Object.keys(exports).filter((path) => !/\.\w+$/.test(path));
  const untold = subpaths.filter((path) => !known.includes(path));
  if (untold.length > 0) throw new Error(`tests/packaging/program.mjs says nothing of ${untold.join(", ")}`);

  const failures = [];
  const skipped = [];
  failures.push(...(await lintPackage(at("pkg"), tarball)));
  note(`${failures.length === 0 ? "✓" : "✗"} publint, are the types wrong`);

  const expected = await reference();
  const rows = new Map();
  const queue = [...chosen];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let target = queue.shift(); target; target = queue.shift()) await judge(target);
    }),
  );
  await close();
  writeDocument(rows, targets);
  for (const failure of failures) note(`\n${failure}`);
  for (const { name, missing } of skipped) note(`not run: ${name}; ${missing}`);
  if (ci && skipped.length > 0) failures.push("something is missing");
  console.log(
    `${rows.size} rows, ${failures.length} failures${skipped.length > 0 ? `, ${skipped.length} not run` : ""}`,
  );
  // Of a row that was given up, something may still be running.
  process.exit(failures.length === 0 ? 0 : 1);

  /** What Node gives here, by the files as they were built: all others must give the same. */
  async function reference() {
    const { dir } = await project("reference", tarball, subpaths);
    const { printed } = await import("./project.mjs");
    return printed(process.execPath, ["print.mjs"], dir);
  }

  async function judge(target) {
    const from = performance.now();
    if (target.missing) return skipped.push({ name: target.name, missing: target.missing });
    const names = target.rows ?? [target.name];
    const version = await target.version(context);
    const cells = names.map(() => new Map());
    const { lacks = [] } = target;
    const runnable = subpaths.filter((path) => !lacks.includes(path));
    const take = async (some) => {
      const said = await within(patience, target.run(await project(target.name, tarball, some), context));
      for (const [row, results] of (target.rows ? said : [said]).entries())
        for (const path of some) {
          if (results.error) throw new Error(results.error);
          cells[row].set(path, results[path] === expected[path]);
          if (results[path] !== expected[path])
            failures.push(`${names[row]}, ${path}: ${results[path]} instead of ${expected[path]}`);
        }
    };
    try {
      await take(runnable);
    } catch (error) {
      failures.push(`${target.name}: ${error.message.slice(-4000)}`);
      // Which of them fails is found out one by one.
      if (runnable.length > 1) for (const path of runnable) await take([path]).catch(() => {});
    }
    for (const [index, name] of names.entries()) {
      const passed = (path) => cells[index].get(path) === true;
      const failed = runnable.filter((path) => !passed(path)).map((path) => `✗ ${entry(path)}`);
      const all = lacks.length > 0 ? `all but ${lacks.map(entry).join(", ")}` : "all";
      rows.set(name, { version, runs: [all, ...failed].join(", ") });
      note(
        `${runnable.every(passed) ? "✓" : "✗"} ${name}, ${version} (${((performance.now() - from) / 1000).toFixed(1)} s)`,
      );
    }
  }
});

function within(seconds, work) {
  let late;
  const given = new Promise((_, fail) => {
    late = setTimeout(() => fail(new Error(`it took longer than ${seconds} s`)), seconds * 1_000);
  });
  return Promise.race([work, given]).finally(() => clearTimeout(late));
}

/** An entry as a user imports it. */
function entry(path) {
  return `\`precis${path.slice(1)}\``;
}

/** All of docs/runtimes.md. Rows that did not run this time stay as they were. */
function writeDocument(rows, targets) {
  const before = existsSync(document) ? readFileSync(document, "utf8") : "";
  const columns = 2;
  const kept = new Map(
    [...before.matchAll(/^\| (.+?) \|.*\|$/gm)]
      .filter(([line]) => line.split("|").length === columns + 2)
      .map(([line, name]) => [name, line]),
  );
  const order = targets.flatMap(({ name, rows }) => rows ?? [name]);
  const lines = order.flatMap((name) => {
    const row = rows.get(name);
    if (row) return [`| ${name} | ${row.version}${row.runs === "all" ? "" : `: ${row.runs}`} |`];
    return kept.has(name) ? [kept.get(name)] : [];
  });
  const never = order.filter((name) => !rows.has(name) && !kept.has(name));
  const text = `# Where precis runs

<!-- This file is written by npm run pack:check; the text stands in tests/packaging/check.mjs. -->

\`npm run pack:check\` installs the packed package into an empty project for each row and runs a program for each of its entries. Each must print the same views, states, reports and refusals as in Node, and a bundle must hold exactly one engine. \`-- all\` adds the rows that change less often, \`-- WORDS\` runs rows by name.

\`npm test -- all\` runs the whole behaviour suite, and compares some 70 conversations with Node byte for byte, in Chromium, Deno, Bun and workerd.

| where | version |
|---|---|
${lines.join("\n")}
${never.length > 0 ? `\nNever run: ${never.join(", ")}.\n` : ""}
What could not be run, and what to do there: [limits](limits.md).
`;
  writeFileSync(document, text);
}
