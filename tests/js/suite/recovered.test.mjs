// What goes wrong and is put right, with a word in the report.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { chat, deepEqual, equal, frozen, notEqual, ok, test } from "./harness.mjs";

const options = { format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 };
const messages = frozen(chat(40));
const codes = ({ warnings }) => warnings.map(({ code }) => code);

test("positions that do not match: the history is edited, and the chat goes on", async () => {
  const compactor = createCompactor(options);
  const { state } = await compactor.beforeModel({ messages, state: null });
  const edited = messages.map((message, index) => (index === 3 ? { ...message, content: "Something else." } : message));
  const { view, report } = await compactor.beforeModel({ messages: edited, state });
  notEqual(report.diverged, null);
  equal(typeof report.diverged.reason, "string");
  equal(view.at(-1), edited.at(-1));
  deepEqual(check(openaiChat, view), []);
});

test("a state of another chat", async () => {
  const compactor = createCompactor(options);
  const { state } = await compactor.beforeModel({ messages, state: null });
  const other = chat(30, 260);
  const { view, report } = await compactor.beforeModel({ messages: other, state });
  notEqual(report.diverged, null);
  deepEqual(view, (await compactor.beforeModel({ messages: other, state: null })).view);
});

test("a history taken back to before the compaction", async () => {
  const compactor = createCompactor(options);
  const { state } = await compactor.beforeModel({ messages, state: null });
  const { view } = await compactor.beforeModel({ messages: messages.slice(0, 4), state });
  deepEqual(view, messages.slice(0, 4));
});

const counters = {
  throws: () => {
    throw new Error("no");
  },
  "answers NaN": () => Number.NaN,
  "answers a negative number": () => -1,
  "answers infinity": () => Number.POSITIVE_INFINITY,
  "answers nothing": () => undefined,
  "answers a string": () => "5",
  "answers a promise": async () => 5,
  "answers a promise that rejects": () => Promise.reject(new Error("no")),
};

for (const [name, estimator] of Object.entries(counters)) {
  test(`a counter of the host's that ${name}`, async () => {
    const compactor = createCompactor({ ...options, tune: { tokens: { estimator } } });
    const { view, report } = await compactor.beforeModel({ messages, state: null });
    // A quarter of the bytes, and what stands around them.
    const bytes = messages.reduce((sum, { content }) => sum + content.length, 0);
    ok(report.before.raw > bytes / 5 && report.before.raw < bytes / 3, `${report.before.raw} for ${bytes} bytes`);
    equal(report.outcome, "compacted");
    equal(view.at(-1), messages.at(-1));
    const [told] = report.warnings.filter(({ code }) => code === "counter-failed");
    equal(told.path, "tune.tokens.estimator");
    deepEqual(messages, chat(40));
  });
}

test("a counter of the host's is asked once for each text", async () => {
  const texts = [];
  const estimator = (text) => {
    texts.push(text);
    return Math.ceil(text.length / 3);
  };
  const compactor = createCompactor({ ...options, contextWindow: 200_000, tune: { tokens: { estimator } } });
  const history = [...messages];
  await compactor.beforeModel({ messages: history, state: null });
  deepEqual(
    texts,
    messages.map(({ content }) => content),
  );
  compactor.usage({ messages: history });
  history.push({ role: "user", content: "One more." });
  compactor.usage({ messages: history });
  deepEqual(texts.slice(messages.length), ["One more."]);
});

test("a counter of the host's may call the compactor", async () => {
  const inner = createCompactor(options);
  const estimator = (text) => inner.usage({ messages: [{ role: "user", content: text }] }).raw;
  const { report } = await createCompactor({ ...options, tune: { tokens: { estimator } } }).beforeModel({ messages });
  equal(report.outcome, "compacted");
});

test("tools that hide their schema are told, tools that show it are counted", () => {
  const compactor = createCompactor(options);
  const schema = { type: "object", properties: { path: { type: "string", description: "where to look ".repeat(20) } } };
  const hello = [{ role: "user", content: "Hello." }];
  const counted = (tools) => compactor.usage({ messages: hello, tools }).parts.tools;
  const warned = (tools) =>
    compactor.plan({ messages: hello, tools }).report.warnings.some(({ code }) => code === "uncounted-tools");
  const openai = counted([{ type: "function", function: { name: "read", description: "Reads.", parameters: schema } }]);
  ok(openai > 50, `${openai}`);
  equal(counted([{ name: "read", description: "Reads.", input_schema: schema }]), openai);
  equal(counted({ read: { description: "Reads.", inputSchema: schema } }), openai);
  equal(counted({ read: { description: "Reads.", inputSchema: { jsonSchema: schema, validate() {} } } }), openai);
  const input = () => schema;
  const showing = { read: { description: "Reads.", inputSchema: { "~standard": { jsonSchema: { input } } } } };
  equal(counted(showing), openai);
  const called = Object.assign(() => {}, showing.read.inputSchema);
  equal(counted({ read: { description: "Reads.", inputSchema: called } }), openai);
  const zod = { read: { description: "Reads.", inputSchema: { _def: {}, "~standard": { vendor: "zod" } } } };
  ok(counted(zod) > 0 && counted(zod) < openai);
  const fails = () => {
    throw new Error("Date cannot be represented in JSON Schema");
  };
  const failing = { read: { inputSchema: { "~standard": { jsonSchema: { input: fails } } } } };
  equal(warned(failing), true);
  equal(warned(showing), false);
  equal(warned(zod), true);
  equal(warned({ read: { inputSchema: schema } }), false);
});

test("a system prompt counts in every form", () => {
  const compactor = createCompactor(options);
  const text = "You are a careful assistant. ".repeat(20);
  const hello = [{ role: "user", content: "Hello." }];
  const counted = (system) => compactor.usage({ messages: hello, system }).parts.system;
  const plain = counted(text);
  ok(plain > 50, `${plain}`);
  for (const system of [
    [{ type: "text", text }],
    { role: "system", content: text },
    [{ role: "system", content: text }],
    [text],
    { type: "text", text },
  ])
    equal(counted(system), plain);
  ok(counted([text, text]) > plain);
});

test("a view given back as history is recognised and warned about", async () => {
  const compactor = createCompactor({ ...options, summarize: async () => "- order 4711 was refunded" });
  const { view, state } = await compactor.beforeModel({ messages, state: null });
  const more = { role: "assistant", content: "Done." };
  const raw = await compactor.beforeModel({ messages: [...messages, more], state });
  const fed = await compactor.beforeModel({ messages: [...view, more], state });
  deepEqual(fed.view, raw.view);
  ok(codes(fed.report).includes("is-a-view"));
  ok(!codes(raw.report).includes("is-a-view"));
});

test("an error that says the request was too long, in any form", () => {
  const compactor = createCompactor({ ...options, contextWindow: 1_000_000 });
  const circular = new Error("x");
  circular.cause = circular;
  for (const overflow of [
    undefined,
    null,
    new Error("maximum context length is 8192 tokens"),
    "too long",
    circular,
    { error: { message: "too long" } },
    5,
    true,
    {
      get message() {
        throw new Error("no");
      },
    },
  ])
    ok(compactor.plan({ messages, overflow }).report.reason.length > 0);
});
