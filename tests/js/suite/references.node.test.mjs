// Notices and digests with and without the tool `recall`, as files to be read by eye.
// `PRECIS_RECORD=1 node --test tests/js/suite/references.node.test.mjs` rewrites them.
import { readFileSync, writeFileSync } from "node:fs";
import { createCompactor, recallDefinition } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, frozen, test } from "./harness.mjs";

const call = (id, path) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path }) } }],
});

/** Files that are read one after the other, what was decided, and a request at the end. */
function reading(files) {
  const all = [{ role: "user", content: "Say which file of src/ opens port 8443. Never write to the disk." }];
  for (let file = 0; file < files; file++) {
    const text = `fn part_${file}() { open(84${String(file).padStart(2, "0")}) }\n${`// A line of file ${file}.\n`.repeat(60)}`;
    all.push(call(`call_${file}`, `src/part${file}.rs`), { role: "tool", tool_call_id: `call_${file}`, content: text });
  }
  all.push({ role: "assistant", content: "We go with src/part3.rs: I have decided to change it first." });
  all.push({ role: "user", content: "And now?" });
  return frozen(all);
}

const messages = reading(16);
const tools = [{ type: "function", function: recallDefinition }];

/** A view as one reads it, lines that repeat themselves left out. */
function shown(view) {
  const text = ({ role, content, tool_calls }) =>
    `${role}: ${content ?? tool_calls.map(({ function: { name, arguments: input } }) => `${name}(${input})`).join()}`;
  return `${view
    .map(text)
    .join("\n\n")
    .replace(/(\/\/ A line of file \d+\.\n)(\/\/ A line of file \d+\.\n?)+/g, "$1…\n")}\n`;
}

for (const [name, contextWindow, rung] of [
  ["notices", 8_500, "clear"],
  ["digest", 2_400, "digest"],
])
  for (const [with_, call] of [
    ["with", { tools }],
    ["without", {}],
  ])
    test(`${name}, ${with_} the tool: as it was read`, async () => {
      const tune = { tokens: { estimator: "bytes4" } };
      const compactor = createCompactor({ format: openaiChat, contextWindow, maxOutputTokens: 200, tune });
      const { view, state, report } = await compactor.beforeModel({ messages, ...call });
      equal(report.rung, rung);
      const file = new URL(`../../fixtures/references/${name}-${with_}.txt`, import.meta.url);
      if (globalThis.process.env.PRECIS_RECORD) writeFileSync(file, shown(view));
      equal(shown(view), readFileSync(file, "utf8"));
      deepEqual((await compactor.beforeModel({ messages, state, ...call })).view, view);
    });
