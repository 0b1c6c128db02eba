// What the documents name exists: the tests behind the comparison, the files of the contributor's map, and the form of the
// changelog and of the templates.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { at } from "../../../js/scripts/common.mjs";

const read = (path) => readFileSync(at(path), "utf8");

/** The cells of each row of the first table below a heading, the heading row and the rule below it left out. */
function table(text, heading) {
  const [, after] = text.split(`\n${heading}\n`);
  assert.ok(after, heading);
  const rows = after
    .match(/(?:^\|.*\n)+/m)[0]
    .trim()
    .split("\n");
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Whether `npm test` runs a file: a suite that is found by its name, or a module that tests/rust/main.rs names. */
function isRun(path) {
  if (!existsSync(at(path))) return false;
  const rust = path.match(/^tests\/rust\/(\w+)\.rs$/);
  return rust ? new RegExp(`^mod ${rust[1]};`, "m").test(read("tests/rust/main.rs")) : path.endsWith(".test.mjs");
}

test("the README names the two commands that a clone begins with", () => {
  const [, clone] = read("README.md").split("\n## From a clone\n");
  for (const command of ["npm run demo", "npm test"]) assert.match(clone, new RegExp(`\`${command}\``));
});

/** What is wrong with the cells of ours in a comparison: a yes without a test, a test that is not run. */
function unproven(rows) {
  return rows.flatMap(([name, ours, ...others]) => {
    if (name.startsWith("**") || name === "Version") return [];
    const links = [...ours.matchAll(/\]\(\.\.\/([^)#]+)/g)].map(([, path]) => path);
    const faults = links.filter((path) => !isRun(path)).map((path) => `${name}: ${path} is not run`);
    if (/[✓◐]/.test(ours) && links.length === 0) faults.push(`${name}: no test`);
    if (others.length !== 7 || others.some((cell) => cell === "")) faults.push(`${name}: a cell is missing`);
    return faults;
  });
}

test("each claim of ours in docs/compare.md links to a test that is run", () => {
  const rows = table(
    read("docs/compare.md"),
    "## At a glance\n\n✓ yes · ◐ in part, see the note · – no · ? not documented",
  );
  assert.ok(rows.length >= 26, `${rows.length} rows`);
  assert.deepEqual(unproven(rows), []);
});

test("a claim without a test, or with one that is not there or not run, is found", () => {
  const others = Array(7).fill("–");
  const say = (ours) => unproven([["it fits", ours, ...others]]);
  assert.deepEqual(say("– not yet"), []);
  assert.deepEqual(say("✓ always"), ["it fits: no test"]);
  assert.deepEqual(say("◐ at times"), ["it fits: no test"]);
  assert.deepEqual(say("✓ [test](../tests/rust/pairs.rs)"), []);
  assert.deepEqual(say("✓ [test](../tests/rust/none.rs)"), ["it fits: tests/rust/none.rs is not run"]);
  assert.deepEqual(say("✓ [test](../tests/js/soak.mjs)"), ["it fits: tests/js/soak.mjs is not run"]);
  assert.deepEqual(unproven([["it fits", "– no", "✓"]]), ["it fits: a cell is missing"]);
});

/** The tests that a table of threats names and that are not there, or not run; rows that name none. */
function unshown(rows) {
  return rows.flatMap(([who, what, , shown]) => {
    const links = [...shown.matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g)];
    if (links.length === 0) return [`${who}: ${what}: no test`];
    const isThere = ([, name, path]) => isRun(path) && read(path).includes(name);
    return links.filter((link) => !isThere(link)).map(([, name, path]) => `${name} is not in ${path}`);
  });
}

test("each threat of docs/security.md names tests that are run", () => {
  const rows = table(read("docs/security.md"), "## What they may try, and what stops it");
  assert.ok(rows.length > 10);
  assert.deepEqual(unshown(rows), []);
  assert.deepEqual(unshown([["a page", "lies", "", "[nothing of it](../tests/rust/trust.rs)"]]), [
    "nothing of it is not in tests/rust/trust.rs",
  ]);
});

/** The paths of a row of the map that do not exist. Those that end in "/" must be folders. */
function missing(row) {
  const named = [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const paths = named.filter((name) => /^[\w.-]+\/[\w./-]*$|^[\w-]+\.(md|toml|json)$/.test(name));
  return paths.filter((path) => !existsSync(at(path)) || (path.endsWith("/") && !statSync(at(path)).isDirectory()));
}

test("each file of the map in CONTRIBUTING.md exists", () => {
  const rows = table(read("CONTRIBUTING.md"), "## Where things go").map(([wish, files]) => [wish, files]);
  assert.ok(rows.length > 15);
  for (const [wish, files] of rows) {
    assert.ok(/`[\w.-]+\/[\w./-]*`/.test(files), `${wish}: no file is named`);
    assert.deepEqual(missing(files), [], wish);
  }
  assert.deepEqual(missing("a file in `src/nowhere/`, a line in `src/lib.rs` and `Cargo.toml`, `full()`, `none.md`"), [
    "src/nowhere/",
    "none.md",
  ]);
});

test("the changelog has the form of Keep a Changelog", () => {
  const text = read("CHANGELOG.md");
  const versions = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  assert.equal(versions[0], "[Unreleased]");
  for (const version of versions.slice(1)) assert.match(version, /^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/);
  const kinds = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  for (const [, kind] of text.matchAll(/^### (.*)$/gm)) assert.ok(kinds.includes(kind), kind);
  for (const [, name] of text.matchAll(/^## \[(.*?)\]/gm))
    assert.ok(text.includes(`\n[${name}]: `), `${name}: no link`);
});

test("GitHub finds the templates: each issue template has a name and a description", () => {
  const folder = ".github/ISSUE_TEMPLATE";
  const names = readdirSync(at(folder));
  assert.deepEqual(names.sort(), ["bug.md", "config.yml", "feature.md"]);
  for (const name of names.filter((name) => name.endsWith(".md"))) {
    const [, front] = read(join(folder, name)).split(/^---$/m);
    for (const member of ["name", "about", "labels"]) assert.match(front, new RegExp(`^${member}: \\S`, "m"), name);
  }
  assert.match(read(join(dirname(folder), "PULL_REQUEST_TEMPLATE.md")), /npm test/);
});
