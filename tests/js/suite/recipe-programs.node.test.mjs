// examples/recipes: each short program runs as it is and says what it is there to show.
import { match, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "recipes-"));
cpSync(here("../../../examples/recipes"), folder, { recursive: true, filter: (path) => !/node_modules/.test(path) });
symlinkSync(here("../node_modules"), join(folder, "node_modules"), "junction");
after(() => rmSync(folder, { recursive: true, force: true }));

/** What each prints, in this order. */
const programs = {
  "keep-results": [/^(day \d: the contract is whole, the weather is gone\.\n){8}$/],
  pins: [/^(compacted: \d of \d+ messages, the rules are among them\.\n){3}$/],
  sections: [/^## Customer$/m, /^## Orders$/m, /^## Promises we made$/m, /above all refunds/],
  undo: [/After one undo: the summary holds/, /Back at message 8: the summary is dropped/, /as they were: true/],
  models: [
    /^large: unchanged, .* 0 saved\.$/m,
    /^small: compacted, /m,
    /^large: reused, /m,
    /^large, from no state: unchanged, 600 of 600 messages\.$/m,
    /^sub-agent: \d{1,4} of 8000 tokens\.$/m,
  ],
  preview: [
    /The summarizer is called once\./,
    /^cover \(summarize\): \d+ messages/m,
    /Without compaction it would have/,
  ],
  cost: [
    /^150 requests sent \d+ tokens/m,
    /^Compaction kept [1-9]\d+ out of them/m,
    /^The summaries cost \$0\.00\d*[1-9]/m,
  ],
  telemetry: [/in the span of the call: chat small/, /gen_ai\.usage\.output_tokens = 40/, /precis\.saved = [1-9]/],
  "two-tabs": [/stored at try 3/, /^3 of 3 messages are stored, in 3 writes/m],
};

// A test runner inside of one would report to it.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const run = (...args) => promisify(execFile)(process.execPath, args, { cwd: folder, env });

for (const [name, shows] of Object.entries(programs))
  test(`recipe ${name} runs and shows what it is about`, async () => {
    const { stdout, stderr } = await run(`${name}.mjs`);
    shows.forEach((shown) => {
      match(stdout, shown);
    });
    ok(stderr === "", stderr);
  });

test("recipe own-tests: the tests pass", async () => {
  const { stdout } = await run("--test", "--test-reporter=tap", "own-tests.test.mjs");
  match(stdout, /^# pass 2$/m);
});

test("every recipe is in the table of its README, and is run", () => {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const elsewhere = ["migrate", "support", "own-tests.test", "postgres", "redis", "ahead-worker"];
  for (const file of readdirSync(folder).filter((file) => file.endsWith(".mjs"))) {
    ok(readme.includes(`](${file})`), file);
    const name = file.slice(0, -4);
    ok(name in programs || elsewhere.includes(name), `${file} is not run`);
  }
});
