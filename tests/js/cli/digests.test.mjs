// What is left of recorded sessions when all of them is compacted without a model, as files to be read by eye: would you,
// given only this, go on with the work? `PRECIS_RECORD=1 node --test tests/js/cli/digests.test.mjs` rewrites them.
// Beside each stands what a careful person wrote by hand who had read the session and had as much room.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor, summaryOf } = await import(pathToFileURL(at("pkg/index.js")).href);

/** The recorded sessions by name: the file, and the window. */
const sessions = {
  "pi-session": ["pi-session/refactoring.jsonl", 13_000],
  "swe-agent": ["swe-agent/marshmallow-1867.traj", 5_000],
  "swe-agent-bash": ["swe-agent/crypto-eps.traj", 8_000],
  openhands: ["digests/sessions/openhands.jsonl", 24_000],
  "claude-code": ["anthropic/claude-code.jsonl", 24_000],
  aider: ["digests/sessions/aider.jsonl", 24_000],
  "tau-bench": ["tau-bench/airline.json", 8_000],
  toolbench: ["digests/sessions/toolbench.jsonl", 24_000],
  crosswoz: ["openai-chat/chinese.jsonl", 24_000],
  "copilot-chat": ["digests/sessions/copilot-chat.jsonl", 24_000],
};
/** What the user says next: all before it is covered, but for what they said last, which stands in the view as it is. */
const next = { role: "user", content: "Go on." };
/** How much longer or shorter than the digest the one by hand may be. */
const SAME = 0.15;

/** All that code writes in place of the past: the digest and, where the newest request goes on, the progress note. */
function written(state) {
  const note = state.checkpoints.at(-1).note?.text;
  return note ? `${summaryOf(state)}\n\n${note}` : summaryOf(state);
}

for (const [name, [path, contextWindow]] of Object.entries(sessions)) {
  const file = at("tests/fixtures/digests", `${name}.md`);

  test(`${name}: the digest is the one that was read, and compacting once more changes nothing`, async () => {
    const [{ format, messages: recorded, system, tools }] = load([at("tests/fixtures", path)], assert.fail);
    const messages = [...recorded, next];
    // Counted in a way that no fit of the estimator changes.
    const compactor = createCompactor({
      format,
      contextWindow,
      keep: { messages: 1 },
      tune: { tokens: { estimator: "bytes4" } },
    });
    const first = await compactor.compact({ messages, system, tools });
    const text = `${written(first.state)}\n`;
    if (process.env.PRECIS_RECORD) writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
    const again = await compactor.compact({ messages, system, tools, state: first.state });
    assert.equal(`${written(again.state)}\n`, text);
  });

  test(`${name}: the digest by hand has as many tokens as the other, and stands in no frame`, () => {
    const tokens = (text) => Buffer.byteLength(text) / 4;
    const digest = readFileSync(file, "utf8");
    const byHand = readFileSync(file.replace(/md$/, "by-hand.md"), "utf8");
    const ratio = tokens(byHand) / tokens(digest);
    assert.ok(Math.abs(ratio - 1) <= SAME, `${ratio.toFixed(2)} of ${tokens(digest)} tokens`);
    for (const text of [digest, byHand]) assert.doesNotMatch(text, FRAMES);
  });
}

/** What only frames an output, or prepares a command. */
const FRAMES =
  /<\/?(?:output|returncode|system-reminder|command-name)>|\bcd \S+ && |\(Open file: |bash-\$|"response": "/;

const docs = at("docs/recall.md");
/** The pairs that the documentation shows. */
const SHOWN = ["pi-session", "aider", "tau-bench"];

test("the documentation shows three of the pairs as they are", () => {
  const read = (name) => readFileSync(at("tests/fixtures/digests", `${name}.md`), "utf8").trimEnd();
  const pair = (name) =>
    `\n\nBy code:\n\n\`\`\`text\n${read(name)}\n\`\`\`\n\nBy hand:\n\n\`\`\`text\n${read(`${name}.by-hand`)}\n\`\`\`\n\n`;
  let text = readFileSync(docs, "utf8");
  for (const name of SHOWN) {
    const place = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- end of ${name} -->)`);
    assert.match(text, place);
    text = text.replace(place, (_, start, end) => `${start}${pair(name)}${end}`);
  }
  if (process.env.PRECIS_RECORD) writeFileSync(docs, text);
  assert.equal(readFileSync(docs, "utf8"), text);
});
