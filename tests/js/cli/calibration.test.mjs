// The bench of calibration: what it prints, and that it measures what it says.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { program } from "../../../js/scripts/demo.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "precis-calibration-"));

before(() => program("files"));
after(() => rmSync(folder, { recursive: true }));

test("the error of a provider that counts so many times our tokens is none, after a cut neither", () => {
  const messages = [];
  let prompt = 3_000;
  for (let turn = 0; turn < 12; turn++) {
    // Of one letter, so that what a character counts is the same in all of them.
    const [asked, said] = ["q".repeat(400 + 40 * turn), "q".repeat(800 + 80 * turn)];
    prompt += asked.length / 2;
    const usage = { prompt_tokens: prompt, completion_tokens: said.length / 2 };
    messages.push({ role: "user", content: asked }, { role: "assistant", content: said, usage });
    prompt += said.length / 2;
  }
  const { "openai-chat": found } = measure({ messages });
  const { n, mape, p95, max, first, afterCut } = found;
  assert.deepEqual({ n, first }, { n: 11, first: null }, "the first says what is hidden, so it is not counted");
  assert.ok(mape < 2 && max < 12 && afterCut < 0.2, JSON.stringify(found));
  assert.ok(p95 <= max);
});

test("recorded sessions and requests, by provider", () => {
  const { anthropic, google, bedrock, openai } = run("tests/fixtures");
  assert.ok(anthropic.n > 80 && anthropic.counts.afterCut > 70, JSON.stringify(anthropic));
  assert.ok(anthropic.p95 <= 2, JSON.stringify(anthropic));
  for (const provider of [google, bedrock, openai]) assert.equal(typeof provider.first, "number");
});

test("without a file it says how it is used", () => {
  const { status, stderr } = spawnSync(process.execPath, ["benches/calibration.mjs"], { cwd: root, encoding: "utf8" });
  assert.equal(status, 2);
  assert.match(stderr, /FILE/);
});

function measure(conversation) {
  const file = join(folder, "one.json");
  writeFileSync(file, JSON.stringify(conversation));
  return run(file);
}

function run(file) {
  const args = ["benches/calibration.mjs", file, "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout).providers;
}
