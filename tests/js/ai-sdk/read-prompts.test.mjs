// The middleware recognizes what it has read by what it holds: new objects for each request cost nothing, and what is
// sent is what this request holds, wherever it differs.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { compaction } from "precis/ai-sdk";

const LONG = "and so it went on for the rest of the day. ".repeat(8);
const said = (i) => ({
  role: i % 2 ? "assistant" : "user",
  content: [{ type: "text", text: `Message ${i}: ${LONG}` }],
});
const marked = { anthropic: { cacheControl: { type: "ephemeral" } } };
/** New objects each time, as the SDK makes them. */
const prompt = (count, system = "You keep the log.") => [
  { role: "system", content: system },
  ...Array.from({ length: count }, (_, i) => said(i)),
];

function make(options = {}) {
  const reports = [];
  const { middleware } = compaction({
    contextWindow: 200_000,
    maxOutputTokens: 400,
    onReport: (report) => reports.push(report),
    ...options,
  });
  const ask = async (prompt, more = {}) => {
    let sent;
    const model = {
      modelId: "m",
      async doGenerate(params) {
        sent = params;
        return { content: [], finishReason: "stop", usage: {} };
      },
    };
    await middleware.wrapGenerate({ params: { prompt, maxOutputTokens: 400, ...more }, model });
    return sent.prompt;
  };
  return { ask, reports };
}

test("what is sent are the messages of this request, also where an earlier one held the same", async () => {
  const { ask } = make();
  for (const count of [3, 4, 4, 6]) {
    const given = prompt(count);
    const sent = await ask(given);
    equal(sent.length, given.length);
    sent.forEach((message, at) => {
      equal(message, given[at], `${count}: ${at}`);
    });
  }
});

test("marks that move from one message to another are sent where this request has them", async () => {
  const { ask } = make();
  for (let turn = 4; turn < 9; turn++) {
    const given = prompt(turn);
    given[turn].providerOptions = marked;
    given[turn].content[0].providerOptions = { n: turn };
    const before = structuredClone(given);
    deepEqual(await ask(given), before);
  }
});

test("a text that was changed, in place or in another object, is another history", async () => {
  const { ask, reports } = make();
  const given = prompt(6);
  await ask(given);
  given[3].content[0].text = `Another message. ${LONG.repeat(3)}`;
  deepEqual(await ask(given), structuredClone(given));
  const [first, second] = reports;
  ok(second.after.parts.assistant + second.after.parts.user > first.after.parts.assistant + first.after.parts.user);
  const other = prompt(6);
  other[2].content[0].text = "Short.";
  deepEqual(await ask(other), structuredClone(other));
});

test("a provider that changes what it is given in place changes nothing of the next request", async () => {
  const { ask } = make({ contextWindow: 3_000 });
  const calm = make({ contextWindow: 3_000 });
  for (const count of [20, 21, 24]) {
    const sent = await ask(prompt(count));
    deepEqual(await calm.ask(prompt(count)), sent);
    for (const message of sent) {
      if (Array.isArray(message.content)) for (const part of message.content) part.text = "changed by the provider";
      message.providerOptions = marked;
    }
  }
});

test("reading again what was read gives what reading it the first time gives", async () => {
  const known = make({ contextWindow: 3_000 });
  for (const count of [10, 20, 21, 22, 30, 31, 12, 31]) await known.ask(prompt(count));
  const last = await known.ask(prompt(32));
  // The same requests where nothing is ever recognized: the system prompt's position tells chats apart, its text does not.
  const fresh = make({ contextWindow: 3_000 });
  for (const count of [10, 20, 21, 22, 30, 31, 12, 31])
    await fresh.ask(prompt(count).map((message, at) => ({ ...message, providerOptions: { at: [count, at] } })));
  const expected = await fresh.ask(prompt(32));
  deepEqual(last, expected);
});

test("tools and system prompts are counted as this request has them", async () => {
  const { ask, reports } = make();
  const tools = (words) => [
    {
      type: "function",
      name: "read",
      description: "word ".repeat(words),
      inputSchema: { type: "object", properties: {} },
    },
  ];
  await ask(prompt(4), { tools: tools(10) });
  await ask(prompt(5), { tools: tools(10) });
  await ask(prompt(6), { tools: tools(400) });
  await ask(prompt(7, `You keep the log. ${LONG}`), { tools: tools(10) });
  const of = reports.map(({ after }) => after.parts);
  equal(of[0].tools, of[1].tools);
  ok(of[2].tools > of[1].tools + 200);
  equal(of[3].tools, of[0].tools);
  ok(of[3].system > of[0].system);
});

test("a scope parts equal chats", async () => {
  const asked = [];
  const { ask, reports } = make({
    contextWindow: 2_000,
    scope: ({ providerOptions }) => providerOptions.tenant.id,
    summarize: async ({ id }) => {
      asked.push(id);
      return "- the log was kept, and so it went on";
    },
  });
  for (const id of ["one", "two", "one"]) await ask(prompt(24), { providerOptions: { tenant: { id } } });
  notEqual(reports[0].outcome, "reused");
  notEqual(reports[1].outcome, "reused");
  equal(reports[2].outcome, "reused");
});
