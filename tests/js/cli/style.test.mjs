// The check of wordings finds them wherever a person reads prose of ours, and nowhere else.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultsOf, readRules } from "../../../js/scripts/style.mjs";

const rules = readRules(`
| write | not | fine in |
|---|---|---|
| repairs | \`mends\`, \`on a desk\` | |
| methods | \`verbs\` | \`src/ingest/\` |
`);

/** The lines with a finding, and what is found there. */
async function found(path, text) {
  const faults = await faultsOf(path, text, rules);
  return faults.map((fault) =>
    fault
      .match(/:(\d+): "([^"]+)"/)
      .slice(1)
      .join(" "),
  );
}

test("the list of docs/style.md has ten rows or so, each with what to write and what not", () => {
  const all = readRules();
  assert.ok(all.length >= 8 && all.length <= 14, `${all.length} rows`);
  assert.ok(all.every(({ write, pattern }) => write.length > 0 && pattern.source.length > 30));
  assert.ok(readFileSync("CONTRIBUTING.md", "utf8").includes("docs/style.md"));
});

test("a table without wordings is refused instead of finding nothing", () => {
  assert.throws(() => readRules("| a | b | c |\n|---|---|---|\n| repairs | mends | |\n"), /without wordings/);
  assert.throws(() => readRules("# Style\n"), /no row/);
});

test("documents: prose, tables, headings and the comments of examples", async () => {
  const text = "# It Mends\n\nIt mends.\n\n| a | mends |\n\n```js\nmends(); // it mends\n```\n- runs on a\n  desk\n";
  assert.deepEqual(await found("docs/x.md", text), ["1 Mends", "3 mends", "5 mends", "8 mends", "10 on a desk"]);
});

test("documents: code, quotations, addresses and released versions are exempt", async () => {
  const text =
    '`mends` "it mends" “mends\nit” [x](mends) <!-- mends -->\n> mends\n\n```js\nmends("mends");\n```\namends mends-all\n';
  assert.deepEqual(await found("docs/x.md", text), []);
  const changelog = "## Unreleased\n\nIt mends.\n\n## [0.1.0] - 2026-01-01\n\nIt mends.\n";
  assert.deepEqual(await found("CHANGELOG.md", changelog), ["3 mends"]);
});

test("TypeScript: comments of every kind and messages to users", async () => {
  const text = [
    "// it mends",
    "/** It\n * mends. */",
    `const a = \`the engine \${b ? 'x' : "it mends the view"} and mends it\`; // on a`,
    "// desk",
    "const c = <p>what the page mends here</p>; /* mends */",
  ].join("\n");
  const all = ["1 mends", "3 mends", "4 mends", "4 mends", "4 on a desk", "6 mends", "6 mends"];
  assert.deepEqual((await found("examples/x.tsx", text)).sort(), all.sort());
});

test("TypeScript: names, short strings, patterns and the input of tests are exempt", async () => {
  const text = 'mends.verbs(\'mends\', /it mends the view\\/\\/ verbs/, "// verbs"); // `mends` and "what mends"\n';
  assert.deepEqual(await found("js/src/x.ts", text), []);
  assert.deepEqual(await found("tests/js/x.mjs", 'say("a person who mends parsers"); // mends\n'), ["1 mends"]);
});

test("Rust: doc comments and messages, not code, lifetimes, short strings, or prompts with golden values", async () => {
  const text = [
    "//! It mends.",
    "/// It runs on a",
    '/// desk, `mends` and "mends".',
    "fn mends<'a>(x: &'a str) -> char { '\"' } // mends",
    'const A: &str = "the plan mends it \\"mends\\""; const B: &str = r#"mends"#;',
    "/// ```\n/// mends();\n/// ```",
  ].join("\n");
  assert.deepEqual(await found("src/x.rs", text), ["1 mends", "2 on a desk", "4 mends", "5 mends"]);
  assert.deepEqual(await found("src/summary/x.rs", 'const A: &str = "say how it mends"; // mends\n'), ["1 mends"]);
});

test("a wording is fine in the folders that its row names", async () => {
  assert.deepEqual(await found("src/ingest/x.rs", "// verbs, mends\n"), ["1 mends"]);
  assert.deepEqual(await found("src/memory/x.rs", "// verbs\n"), ["1 verbs"]);
});
