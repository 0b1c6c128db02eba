// A recorded history holds what was sent, and recorded usage describes a prompt that the history holds.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { program } from "../../../js/scripts/demo.mjs";

const { load } = await import(pathToFileURL(await program("files")).href);
const folder = mkdtempSync(join(tmpdir(), "precis-transcripts-"));
after(() => rmSync(folder, { recursive: true }));

function read(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return load([file], (reason) => assert.fail(reason))[0];
}

for (const stopReason of ["aborted", "error"])
  test(`pi: the calls of a reply that ended with "${stopReason}" were not sent, its text was`, () => {
    const reply = (stopReason, ...content) => ({
      role: "assistant",
      stopReason,
      usage: { input: 50, output: 9 },
      content,
    });
    const call = { type: "toolCall", id: "1", name: "bash", arguments: { command: "ls" } };
    const said = { type: "text", text: "I look around." };
    const { messages, usageAfter } = read(
      "session.jsonl",
      [
        { type: "session" },
        ...[
          { role: "user", content: "What is here?" },
          reply(stopReason, said, call),
          { role: "user", content: "Go on." },
          reply(stopReason, call),
          { role: "user", content: "Do." },
          reply("toolUse", call),
        ].map((message) => ({ type: "message", message })),
      ]
        .map((entry) => JSON.stringify(entry))
        .join("\n"),
    );
    const kinds = messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type)}`);
    assert.deepEqual(kinds, ["user: text", "assistant: text", "user: text", "user: text", "assistant: toolCall"]);
    assert.deepEqual([...usageAfter.keys()], [4]);
  });

test("tau2: usage of a reply that was asked for again tells of a prompt that was not recorded", () => {
  const usage = { prompt_tokens: 500, completion_tokens: 20 };
  const messages = [
    { role: "user", content: "Hello", usage },
    { role: "assistant", content: "Yes?", usage, errors: null },
    { role: "user", content: "A seat", usage },
    { role: "assistant", content: "Which?", usage, errors: ["Error: You sent an empty message."] },
    { role: "user", content: "Any", usage },
    { role: "assistant", content: "Done", usage, errors: [] },
  ];
  const info = { agent_info: { llm: "gpt-4.1" } };
  const found = read("results.json", JSON.stringify({ info, simulations: [{ task_id: 1, messages }] }));
  assert.equal(found.messages.length, 6);
  assert.deepEqual([...found.usageAfter.keys()], [1, 5]);
});
