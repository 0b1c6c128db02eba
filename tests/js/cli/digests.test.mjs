// What is left of recorded sessions when all of them is compacted without a model, as files to be read by eye: would you,
// given only this, go on with the work? `PRECIS_RECORD=1 node --test tests/js/cli/digests.test.mjs` rewrites them.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor, summaryOf } = await import(pathToFileURL(at("pkg/index.js")).href);

const sessions = {
  "pi-session": "pi-session/refactoring.jsonl",
  "swe-agent": "swe-agent/marshmallow-1867.traj",
  "tau-bench": "tau-bench/airline.json",
};

for (const [name, path] of Object.entries(sessions)) {
  test(`${name}: the digest is the one that was read, and compacting once more changes nothing`, async () => {
    const [{ format, messages, system, tools }] = load([at("tests/fixtures", path)], assert.fail);
    // Counted in a way that no fit of the estimator changes.
    const compactor = createCompactor({ format, contextWindow: 24_000, tune: { tokens: { estimator: "bytes4" } } });
    const first = await compactor.compact({ messages, system, tools });
    const text = `${summaryOf(first.state)}\n`;
    const file = at("tests/fixtures/digests", `${name}.md`);
    if (process.env.PRECIS_RECORD) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
    const again = await compactor.compact({ messages, system, tools, state: first.state });
    assert.equal(`${summaryOf(again.state)}\n`, text);
  });
}
