// The bench of summaries written ahead of time: nobody waits, nothing is over the window, and summaries do arrive.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

function run(...args) {
  return spawnSync(process.execPath, ["benches/ahead.mjs", ...args], { cwd: root, encoding: "utf8" });
}

for (const delay of ["1", "3", "10"])
  test(`recorded sessions and a summarizer that takes ${delay} requests to answer`, () => {
    const { status, stdout, stderr } = run(
      "tests/fixtures/pi-session",
      "tests/fixtures/swe-agent",
      "--delay",
      delay,
      "--json",
    );
    assert.equal(status, 0, stderr);
    const { totals } = JSON.parse(stdout);
    const { waited, overWindow, invalid, newestMissing, stale } = totals;
    assert.deepEqual(
      { waited, overWindow, invalid, newestMissing, stale },
      { waited: 0, overWindow: 0, invalid: 0, newestMissing: 0, stale: 0 },
    );
    // Clears of results and inputs spare most compactions a summary, and two of the sessions end before it can come.
    assert.ok(totals.requests > 50 && totals.asked > 3 && totals.summaries > 0, stdout);
    // The slower it is, the more often code has to help out.
    if (delay === "10") assert.ok(totals.late > 0, stdout);
  });

test("without a file it says how it is used", () => {
  const { status, stderr } = run();
  assert.equal(status, 2);
  assert.match(stderr, /FILE/);
});
