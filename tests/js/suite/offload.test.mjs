// Large results kept elsewhere: what is sent in their place, what is never decided twice, and what reads them back.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import { aiSdk, anthropic, openaiChat } from "precis/formats";
import { offloader, readResult, readResultDefinition, readResultTool } from "precis/offload";
import { check } from "precis/testing";

const large = (name, lines = 400) =>
  Array.from({ length: lines }, (_, at) => `${name} line ${at + 1}: the quick brown fox jumps over the lazy dog`).join(
    "\n",
  );
const call = (id, name) => ({
  ...{ role: "assistant", content: null },
  tool_calls: [{ id, type: "function", function: { name, arguments: "{}" } }],
});
const result = (id, content) => ({ role: "tool", tool_call_id: id, content });
const chat = () => [
  { role: "user", content: "Read both files." },
  call("c1", "read"),
  result("c1", large("one")),
  call("c2", "list"),
  result("c2", "a.ts\nb.ts"),
];

function bucket(fail) {
  const stored = new Map();
  const asked = [];
  const offload = async (text, { tool, id, index, signal }) => {
    asked.push({ tool, id, index, signal });
    await fail?.(asked.length);
    const reference = `r2://results/${id}`;
    stored.set(reference, text);
    return reference;
  };
  return { stored, asked, offload, read: async (reference) => stored.get(reference) ?? null };
}

test("a large result goes where the host puts it, and its notice says where and shows its beginning", async () => {
  const { stored, asked, offload } = bucket();
  const history = chat();
  const before = structuredClone(history);
  const kept = await offloader({ format: openaiChat, offload }).messages(history);
  deepEqual(history, before);
  equal(asked.length, 1);
  equal(asked[0].tool, "read");
  equal(asked[0].id, "c1");
  equal(asked[0].index, 2);
  equal(stored.get("r2://results/c1"), history[2].content);
  for (const at of [0, 1, 3, 4]) equal(kept[at], history[at]);
  ok(kept[2].content.startsWith(`[${history[2].content.length} characters, kept whole at r2://results/c1.`));
  ok(kept[2].content.includes("one line 1:") && !kept[2].content.includes("one line 40:"));
  equal(kept[2].tool_call_id, "c1");
  deepEqual(check(openaiChat, kept), []);
});

test("what was sent stays as it was sent: a result is decided about once, also by another process", async () => {
  const { asked, offload } = bucket();
  const one = offloader({ format: openaiChat, offload });
  const history = chat();
  const first = await one.messages(history);
  const second = await one.messages([...history, call("c3", "read"), result("c3", large("three"))]);
  equal(asked.length, 2);
  // The same object, so that nothing is read again.
  equal(second[2], first[2]);
  const entries = JSON.parse(JSON.stringify(one.entries));
  const other = offloader({ format: openaiChat, offload, entries });
  const third = await other.messages(JSON.parse(JSON.stringify(history)));
  equal(asked.length, 2);
  deepEqual(third, first);
  // Another text of the same call is another result.
  await other.messages([...history.slice(0, 2), result("c1", large("changed"))]);
  equal(asked.length, 3);
});

test("many calls at the same time store a result once", async () => {
  const { asked, offload } = bucket(() => new Promise((next) => setTimeout(next, 5)));
  const one = offloader({ format: openaiChat, offload });
  const all = await Promise.all(Array.from({ length: 5 }, () => one.messages(chat())));
  equal(asked.length, 1);
  for (const kept of all) deepEqual(kept, all[0]);
});

const broken = {
  throws: () => {
    throw new Error("bucket is full");
  },
  rejects: () => Promise.reject(new Error("bucket is full")),
  "returns nothing": () => undefined,
  "returns an empty text": () => "",
  "returns an object": () => ({ key: 1 }),
  "never settles": () => new Promise(() => {}),
};
for (const [what, offload] of Object.entries(broken))
  test(`where offload ${what}, the result is sent whole, now and later, and why is known`, async () => {
    let signal;
    let times = 0;
    const one = offloader({
      format: openaiChat,
      timeoutMs: 20,
      offload: (_, context) => {
        times += 1;
        signal = context.signal;
        return offload();
      },
    });
    const history = chat();
    for (let turn = 0; turn < 2; turn++) deepEqual(await one.messages(history), history);
    equal(times, 1);
    equal(one.failures.length, 1);
    ok(one.failures[0].startsWith("The result of read (message 2) is sent whole: "));
    deepEqual(Object.values(one.entries), [null]);
    equal(signal.aborted, what === "never settles");
  });

test("results that hold media, that failed, or that are no text are left or written as they are", async () => {
  const { asked, offload } = bucket();
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(30_000) } };
  const use = (id) => ({ type: "tool_use", id, name: "look", input: {} });
  const of = (tool_use_id, content, more) => ({ type: "tool_result", tool_use_id, content, ...more });
  const history = [
    { role: "user", content: "Look." },
    { role: "assistant", content: [use("a"), use("b"), use("c")] },
    {
      role: "user",
      content: [
        of("a", [{ type: "text", text: large("a") }, image]),
        of("b", large("b"), { is_error: true }),
        of("c", [{ type: "text", text: large("c") }]),
      ],
    },
  ];
  const kept = await offloader({ format: anthropic, offload }).messages(history);
  deepEqual(
    asked.map(({ id }) => id),
    ["c"],
  );
  deepEqual(kept[2].content.slice(0, 2), history[2].content.slice(0, 2));
  ok(JSON.stringify(kept[2].content[2]).includes("r2://results/c"));
  deepEqual(check(anthropic, kept), []);

  const messages = [
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "j", toolName: "rows", input: {} }] },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "j", toolName: "rows", output: { type: "json", value: [large("j")] } },
      ],
    },
  ];
  const [, json] = await offloader({ format: aiSdk, offload }).messages(messages);
  ok(JSON.stringify(json).includes("kept whole at r2://results/j"));
});

test("a conversation of large results fits, where their whole texts would have to be cut", async () => {
  const { offload } = bucket();
  const one = offloader({ format: openaiChat, offload, preview: 200 });
  const compactor = createCompactor({ format: openaiChat, contextWindow: 16_000, maxOutputTokens: 1_000 });
  const history = [{ role: "user", content: "Read all of it." }];
  let state = null;
  for (let step = 0; step < 30; step++) {
    history.push(call(`c${step}`, "read"), result(`c${step}`, large(`file ${step}`, 500)));
    const prepared = await compactor.beforeModel({ messages: await one.messages(history), state });
    state = prepared.state;
    equal(prepared.report.outcome, "unchanged", `step ${step}`);
    ok(prepared.view.at(-1).content.includes(`r2://results/c${step}`));
  }
});

test("as a prepareStep it returns messages where it has changed some, and nothing where not", async () => {
  const { offload } = bucket();
  const { prepareStep } = offloader({ format: openaiChat, offload });
  equal(await prepareStep({ messages: chat().slice(3) }), undefined);
  const { messages } = await prepareStep({ messages: chat() });
  ok(messages[2].content.includes("r2://results/c1"));
});

test("readResult reads lines by number and by words, of those results alone that were given out", async () => {
  const { stored, offload, read } = bucket();
  const one = offloader({ format: openaiChat, offload });
  await one.messages(chat());
  stored.set("r2://secret", "the password");
  const ask = (asked, most) => readResult({ offloaders: one, read, most }, asked);
  const reference = "r2://results/c1";
  equal(
    await ask({ reference, from: 399, to: 400 }),
    "[lines, of 400]\n399: one line 399: the quick brown fox jumps over the lazy dog\n400: one line 400: the quick brown fox jumps over the lazy dog",
  );
  const found = await ask({ reference, find: "LINE 250:" });
  ok(found.startsWith('[lines that hold "line 250:", of 400]\n250: one line 250:') && !found.includes("\n251:"));
  ok((await ask({ reference, find: "zebra" })).startsWith("None of the 400 lines"));
  const cut = await ask({ reference }, 500);
  ok(cut.length < 700 && /\[39\d more; ask for a smaller part\]$/.test(cut), cut);
  for (const wrong of ["r2://secret", "../etc/passwd", "", 7, null, undefined, {}, "__proto__"])
    ok((await ask({ reference: wrong })).startsWith("There is no result at"), String(wrong));
  ok((await readResult({ offloaders: one, read }, null)).startsWith("There is no result at"));
  for (const part of [{ from: "x" }, { from: -5, to: 1 }, { from: Number.NaN }, { find: 7 }, { from: 3, to: 1 }])
    equal(typeof (await ask({ reference, ...part })), "string");
  stored.delete(reference);
  ok((await ask({ reference })).startsWith("This result is no longer kept"));
  const failing = { offloaders: [one], read: () => Promise.reject(new Error("404")) };
  equal(await readResult(failing, { reference }), "The result could not be read: 404");
});

test("data in one line is read in pieces, and no character is cut in two", async () => {
  const { stored, offload, read } = bucket();
  const one = offloader({ format: openaiChat, offload, preview: 999 });
  const text = "😀".repeat(15_000);
  const [, , notice] = await one.messages([...chat().slice(0, 2), result("c1", text)]);
  ok(notice.content.isWellFormed?.() ?? true);
  equal(stored.get("r2://results/c1"), text);
  const piece = await readResult({ offloaders: one, read }, { reference: "r2://results/c1", from: 2, to: 2 });
  ok(/^\[lines, of \d+\]\n2: (😀)+$/u.test(piece));
});

test("the tool of the AI SDK takes what a model writes; its definition is that of the others", async () => {
  const { offload, read } = bucket();
  const one = offloader({ format: openaiChat, offload });
  await one.messages(chat());
  const tool = readResultTool({ offloaders: one, read });
  equal(tool.description, readResultDefinition.description);
  deepEqual(tool.inputSchema.jsonSchema, readResultDefinition.parameters);
  ok((await tool.execute({ reference: "r2://results/c1", from: 1, to: 1 })).includes("1: one line 1:"));
});

test("wrong options are refused, with their place", async () => {
  const { offload } = bucket();
  const refused = (path) => ({ name: "PrecisError", path });
  throws(() => offloader({ format: openaiChat }), refused("offload"));
  throws(() => offloader({ offload }), refused("format"));
  throws(() => offloader({ format: openaiChat, offload, over: 0 }), refused("over"));
  throws(() => offloader({ format: openaiChat, offload, preview: -1 }), refused("preview"));
  throws(() => offloader({ format: openaiChat, offload, over: 10, preview: 10 }), refused("preview"));
  throws(() => offloader({ format: openaiChat, offload, timeoutMs: 1.5 }), refused("timeoutMs"));
  throws(() => offloader({ format: openaiChat, offload, ofload: 1 }), { code: "unknown-option" });
  throws(() => readResultTool({}), refused("read"));
  await rejects(offloader({ format: openaiChat, offload }).messages(undefined), { code: "messages-not-array" });
});
