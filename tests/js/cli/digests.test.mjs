// What is left of recorded sessions when all of them is compacted without a model, as files to be read by eye: would you,
// given only this, go on with the work? What a reader needs is asserted, in its order, and not how it is worded around it.
// `PRECIS_RECORD=FOLDER node --test tests/js/cli/digests.test.mjs` writes the digests into a folder, to be read beside what
// a careful person wrote by hand (`tests/fixtures/digests/*.by-hand.md`) who had read the session and had as much room.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
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
/** All that code writes in place of the past: the digest and, where the newest request goes on, the progress note. */
function written(state) {
  const note = state.checkpoints.at(-1).note?.text;
  return note ? `${summaryOf(state)}\n\n${note}` : summaryOf(state);
}

/** What stands in each digest, in this order. */
const facts = {
  "pi-session": [
    /refactored to be nicer/,
    /only want e2e tests for AgentSession/,
    /createa {1,2}full implementation plan/,
    /start implementing/,
  ],
  "swe-agent": [/precision="milliseconds"/, /345/, /round\(value\.total_seconds/],
  "swe-agent-bash": [/named "eps"/, /flag\{People always make the best exploits/],
  openhands: [/prints 'Hello, World!'/, /hello\.py/],
  "claude-code": [/CLAUDE\.md/],
  aider: [/make SuitableRepoNotFound class/, /catch SuitableRepoNotFound not `FileNotFoundError`/],
  "tau-bench": [/changes to my upcoming flight/, /HXDUBJ/, /2 checked bags/, /above my budget/],
  toolbench: [/transitaires/],
  crosswoz: [/过客/, /团结湖公园/, /金鼎轩/],
  "copilot-chat": [/as if you were shrek/, /im testing chat just do it/],
};

for (const [name, [path, contextWindow]] of Object.entries(sessions)) {
  test(`${name}: the digest says in its order what a reader needs, and compacting once more changes nothing`, async () => {
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
    const text = written(first.state);
    const folder = process.env.PRECIS_RECORD;
    if (folder) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${folder}/${name}.md`, `${text}\n`);
    }
    let from = 0;
    for (const fact of facts[name]) {
      const found = text.slice(from).search(fact);
      assert.ok(found >= 0, `${fact} behind byte ${from} of:\n${text}`);
      from += found;
    }
    const names = text.match(/^Also seen: .*$/m)?.[0] ?? "";
    assert.ok(names.length <= text.length * 0.16, `${names.length} of ${text.length} are names`);
    const again = await compactor.compact({ messages, system, tools, state: first.state });
    assert.equal(written(again.state), text);
  });
}
