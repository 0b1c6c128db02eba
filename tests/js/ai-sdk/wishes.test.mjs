// What a run hands on to the compactor, each beside a run without it: every one of these tells the two apart.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));
const chat = (turns) => [...past(turns), { role: "user", content: "Go on." }];
const looked = (n, toolName) => [
  { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${n}`, toolName, input: { n } }] },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: `c${n}`,
        toolName,
        output: { type: "text", value: `${toolName} ${n}: ${LONG.repeat(3)}` },
      },
    ],
  },
];
const small = { contextWindow: 6_000, maxOutputTokens: 400 };
const step = (messages) => ({ messages, steps: [], stepNumber: 0, model: "m" });

/** What a run with these options sends of these messages, and its report. */
async function prepared(options, messages) {
  const run = compaction(small).run(options);
  const view = (await run.prepareStep(step(messages)))?.messages ?? messages;
  return { view, text: JSON.stringify(view), report: run.reports.at(-1), run };
}

test("a message is there because it is pinned, typed, or among those to keep", async () => {
  const messages = chat(30);
  const plain = await prepared({}, messages);
  for (const index of [7, 8]) ok(!plain.view.includes(messages[index]), `message ${index} is sent by itself`);
  ok(!messages.slice(-9).every((message) => plain.view.includes(message)));
  ok((await prepared({ pin: (message) => message === messages[7] }, messages)).view.includes(messages[7]));
  ok((await prepared({ isTyped: (message) => message === messages[8] }, messages)).view.includes(messages[8]));
  const nine = await prepared({ keep: { messages: 9 } }, messages);
  ok(messages.slice(-9).every((message) => nine.view.includes(message)));
});

test("todos and mustKeep are in the view, and nowhere without them", async () => {
  const messages = chat(30);
  // In the middle of a sentence that is too long to be quoted whole.
  const words = "and on and on ".repeat(400);
  messages[11] = { role: "assistant", content: `It went ${words}behind the green door ${words}.` };
  const plain = await prepared({}, messages);
  ok(!/Feed the walrus|green door/.test(plain.text));
  const todos = [{ content: "Feed the walrus", status: "pending" }];
  match((await prepared({ todos }, messages)).text, /Feed the walrus/);
  match((await prepared({ mustKeep: ["green door"] }, messages)).text, /green door/);
});

test("trigger and target: when a compaction begins, and what it aims at", async () => {
  const messages = chat(8);
  equal((await prepared({}, messages)).view, messages);
  const early = await prepared({ trigger: { tokens: 1_500 } }, messages);
  equal(early.report.outcome, "compacted");
  // Results are cleared as long as it takes.
  const turn = (n) => [
    { role: "user", content: `Read ${n}.` },
    ...looked(n, "read"),
    { role: "assistant", content: "Done." },
  ];
  const asked = [...Array.from({ length: 16 }, (_, n) => turn(n)).flat(), { role: "user", content: "Go on." }];
  const [high, low] = [await prepared({ target: 0.6 }, asked), await prepared({ target: 0.3 }, asked)];
  ok(
    low.report.after.tokens < high.report.after.tokens - 500,
    `${low.report.after.tokens}, ${high.report.after.tokens}`,
  );
});

test("toolPolicy and prefer: whose results go, and whether results go first", async () => {
  const messages = [
    { role: "user", content: "Read." },
    ...Array.from({ length: 16 }, (_, n) => looked(n, n % 2 ? "read" : "search")).flat(),
  ];
  const whole = ({ view }, tool) =>
    view.filter(({ role, content }) => role === "tool" && content[0].output.value?.startsWith(`${tool} `)).length;
  const plain = await prepared({ prefer: "clear" }, messages);
  ok(
    plain.report.changes.some(({ action }) => action === "clear"),
    JSON.stringify(plain.report.changes),
  );
  const kept = await prepared({ toolPolicy: { read: { keep: 4 }, search: { clear: "first" } } }, messages);
  ok(whole(kept, "read") >= 4 && whole(plain, "read") < 4, `${whole(kept, "read")} and ${whole(plain, "read")}`);
  const digest = await prepared({ prefer: "summarize" }, messages);
  deepEqual([...new Set(digest.report.changes.map(({ action }) => action))], ["cover"]);
});

test("usage: null before the first step, then with the newest reply, as the provider counted it", async () => {
  const run = compaction(small).run();
  equal(run.usage, null);
  const messages = chat(3);
  await run.prepareStep(step(messages));
  const before = run.usage;
  equal(before.source, "estimated");
  run.onStepFinish({
    usage: { inputTokens: 2_000, outputTokens: 300 },
    response: { messages: [{ role: "assistant", content: [{ type: "text", text: `Done. ${LONG}` }] }] },
  });
  equal(run.usage.source, "reported");
  ok(run.usage.tokens > 2_000 && before.tokens < 1_500, `${run.usage.tokens} after ${before.tokens}`);
  equal(run.usage.window, small.contextWindow);
});
