// What a progress note says of recorded sessions of agents with one request, the commonest kind: their turn is still under
// way, so the request stands in the view, and behind it what has been done about it. What a reader needs in order not to do
// it again is asserted, in its order. `PRECIS_RECORD=FOLDER node --test tests/js/cli/notes.test.mjs` writes the notes into a
// folder, to be read beside `tests/fixtures/digests/notes/*.by-hand.md`.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const { createCompactor } = await import(pathToFileURL(at("pkg/index.js")).href);

/** The sessions by name: the file, the window, and what a reader needs of the note. */
const sessions = {
  marshmallow: {
    file: "swe-agent/marshmallow-1867.traj",
    contextWindow: 9_000,
    facts: [
      /bash ls -F\n← .*setup\.cfg/,
      /incorrect rounding on line 1475/,
      /int\(round\(value\.total_seconds\(\) \/ base_unit\.total_seconds\(\)\)\)/,
      /start_line=1475/,
      /IndentationError: unexpected indent/,
      /\(again\)/,
      /changed from 344 to 345/,
    ],
  },
  "claude-code": {
    file: "anthropic/claude-code.jsonl",
    contextWindow: 6_000,
    facts: [
      /comprehensive CLAUDE\.md/,
      /node dist\/find_issues\.js --authors/,
      /Glob pattern=CLAUDE\.md/,
      /Glob pattern=\.cursor\*\n← No files found/,
    ],
  },
  "openhands-text": {
    file: "openhands/without-native-calls.json",
    contextWindow: 5_000,
    facts: [/named hello\.py that prints 'Hello, World!'/, /check its contents first/],
  },
  openhands: {
    file: "digests/sessions/openhands.jsonl",
    contextWindow: 3_000,
    facts: [/there's already a `hello\.py` file/, /already exists and contains exactly what you requested/],
  },
  toolbench: {
    file: "digests/sessions/toolbench.jsonl",
    contextWindow: 2_500,
    facts: [/is_id=ACT_AGENCE_CALEDONIENNE_DE_TRANSIT/, /sales@act\.nc/, /\+687 27\.5/],
  },
};

for (const [name, { file, contextWindow, facts }] of Object.entries(sessions)) {
  test(`${name}: the note says in its order what was done and found`, async () => {
    const [{ format, messages, system, tools }] = load([at("tests/fixtures", file)], assert.fail);
    // Counted in a way that no fit of the estimator changes.
    const tune = { tokens: { estimator: "bytes4" } };
    const compactor = createCompactor({ format, contextWindow, keep: { messages: 2 }, tune });
    const { state, view } = await compactor.compact({ messages, system, tools });
    const note = state.checkpoints.at(-1).note?.text ?? "";
    const folder = process.env.PRECIS_RECORD;
    if (folder) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(`${folder}/${name}.md`, `${note}\n`);
    }
    let from = 0;
    for (const fact of facts) {
      const found = note.slice(from).search(fact);
      assert.ok(found >= 0, `${fact} behind character ${from} of:\n${note}`);
      from += found;
    }
    // What a tool returned stands behind its call, or names its tool where the same call was made again.
    const lines = note.split("\n");
    for (const [at, line] of lines.entries())
      assert.ok(!/^← (?!\S+: )/.test(line) || /^[→←]/.test(lines[at - 1]), `${line} of:\n${note}`);
    // The request stands in the view as it was typed, in front of the note.
    const said = view.map((message) => JSON.stringify(message));
    const request = view.findIndex((message) => message.role === "user" && messages.includes(message));
    assert.ok(request >= 0 && request < said.findIndex((text) => text.includes("[Progress on the request above")));
    // No line is a list of bare names, and a count of what is left out says nothing.
    assert.doesNotMatch(note, /^Also seen: /m);
    assert.doesNotMatch(note, /\d+ more/);
  });
}
