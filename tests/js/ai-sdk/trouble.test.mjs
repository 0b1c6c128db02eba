// Stores that fail, states of others, messages that are not what they should be.
import { deepEqual, equal, notEqual, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { compaction, toDataPart } from "precis/ai-sdk";
import { aiSdk, aiSdkUI } from "precis/formats";
import { z } from "zod";
import { faults, OVERHEAD, scripted, sdks, tokensOf } from "./sdks.mjs";

const WINDOW = 5_000;
const REPLY = 400;
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const past = (turns = 20, name = "Message") =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `${name} ${i}: ${LONG}`,
  }));
const answers = (sdk) => scripted(sdk, () => ({ content: [{ type: "text", text: "Done." }] }));
const codes = (run) => run.reports.flatMap(({ warnings }) => warnings.map(({ code }) => code));
const never = () => new Promise(() => {});
const fail = (message) => {
  throw new Error(message);
};

/** Compares before it sets; says what it was asked. */
function memory() {
  const rows = new Map();
  const saves = [];
  return {
    ...{ rows, saves },
    load: async (key) => structuredClone(rows.get(key)),
    save: async (key, state, previous) => {
      const fits = (rows.get(key)?.revision ?? null) === previous;
      saves.push({ key, revision: state.revision, previous, fits });
      if (fits) rows.set(key, structuredClone(state));
      return fits;
    },
  };
}

const latest = sdks.at(-1);

/** One request of one chat: the run, and what the model was sent. */
async function ask(store, { sdk = latest, messages = past(), chat = "c", run: more, ...options } = {}) {
  const { model, requests } = answers(sdk);
  const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, store, ...options }).run({
    chat: store && chat,
    ...more,
  });
  const started = performance.now();
  const result = await sdk.ai.generateText({
    ...{ model, messages, maxOutputTokens: REPLY },
    ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
  });
  const waited = performance.now() - started;
  await run.ahead();
  equal(result.text, "Done.");
  for (const { prompt } of requests) deepEqual(faults(prompt), []);
  return { run, requests, waited };
}

for (const sdk of sdks) {
  test(`${sdk.name}: a store keeps a chat's compaction for the next request, under agent and chat`, async () => {
    const store = memory();
    const messages = past();
    const first = await ask(store, { sdk, messages });
    const second = await ask(store, { sdk, messages: [...messages, ...past(1)] });
    await ask(store, { sdk, messages: past(20, "Another"), agent: "critic" });
    deepEqual([...store.rows.keys()], ["main:c", "critic:c"]);
    ok(store.saves.every(({ fits }) => fits));
    equal(second.run.reports[0].outcome, "reused");
    deepEqual(second.requests[0].prompt[0], first.requests[0].prompt[0]);
    deepEqual(codes(second.run), []);
  });
}

const broken = {
  "a store whose load throws": { load: () => fail("no disk"), save: async () => fail("must not be asked") },
  "a store whose load rejects": { load: async () => fail("no disk"), save: async () => fail("must not be asked") },
  "a store whose save throws": { load: async () => null, save: () => fail("no disk") },
  "a store whose save rejects": { load: async () => undefined, save: async () => fail("no disk") },
  "a store that holds a text": { load: async () => "state", save: async () => fail("must not be asked") },
  "a store that holds an empty object": { load: async () => ({}), save: async () => fail("must not be asked") },
  "a store that holds a list": { load: async () => [1, 2], save: async () => fail("must not be asked") },
  "a store that holds a state of a newer version": {
    load: async () => ({ version: 99, revision: 3 }),
    save: async () => fail("must not be asked"),
  },
};

for (const [name, store] of Object.entries(broken)) {
  test(`${name} is a warning, and nothing else`, async () => {
    const { run, requests } = await ask(store);
    ok(codes(run).includes("store-failed"));
    ok(!JSON.stringify(run.reports).includes("must not be asked"));
    equal(run.reports[0].outcome, "compacted");
    ok(requests[0].prompt.length < 40);
    ok(run.state.revision > 0);
  });
}

for (const [name, store] of Object.entries({
  "a store whose load hangs": { load: never, save: async () => fail("must not be asked") },
  "a store whose save hangs": { load: async () => null, save: never },
})) {
  test(`${name} holds an answer up once, for a second`, async () => {
    const { run, requests } = await ask(store);
    ok(codes(run).includes("store-failed"));
    ok(!JSON.stringify(run.reports).includes("must not be asked"));
    ok(requests[0].prompt.length < 40);
  });
}

test("two tabs send at once: the second starts again from what the first has stored", async () => {
  const store = memory();
  const sent = [];
  const summarize = async () => {
    sent.push(await new Promise((resolve) => setTimeout(resolve, 20)));
    return "- it went on for days";
  };
  const messages = past();
  const options = { messages, summarize };
  const both = await Promise.all([ask(store, options), ask(store, options)]);
  equal(store.saves.filter(({ revision, fits }) => revision > 0 && !fits).length, 1);
  const [one, other] = both.map(({ requests }) => requests[0].prompt);
  deepEqual(one, other);
  ok(both.every(({ run }) => !codes(run).includes("store-failed")));
  const [{ revision }] = store.rows.values();
  ok(both.every(({ run }) => run.state.revision === revision));
  const next = await ask(store, { ...options, messages: [...messages, ...past(1)] });
  equal(next.run.reports[0].outcome, "reused");
});

test("a store that refuses every save: the answer goes on with what it has", async () => {
  const saves = [];
  const { run, requests } = await ask({ load: async () => null, save: async (...save) => saves.push(save) > 99 });
  ok(saves.length > 1 && saves.length < 6, `${saves.length}`);
  equal(run.reports[0].outcome, "compacted");
  ok(requests[0].prompt.length < 40);
});

test("a store whose clock goes back costs a compaction, and nothing that was said", async () => {
  const versions = [];
  let behind = 0;
  // A replica that lags, a backup that was restored: it returns what was stored before, and takes what is newer than that.
  const store = {
    load: async () => structuredClone(versions.at(-1 - behind)),
    save: async (_, state, previous) => {
      if ((versions.at(-1 - behind)?.revision ?? null) !== previous) return false;
      versions.push(structuredClone(state));
      return true;
    },
  };
  const messages = past(14);
  for (let turn = 0; turn < 12; turn++) {
    behind = turn % 3 === 2 ? Math.min(3, versions.length - 1) : 0;
    messages.push(...past(2, `Turn ${turn},`), { role: "user", content: `Question ${turn}?` });
    const { requests, run } = await ask(store, { messages: messages.slice() });
    const text = JSON.stringify(requests[0].prompt);
    ok(text.includes(`Question ${turn}?`) && text.length < messages.length * 400);
    ok(run.reports.every(({ outcome, diverged }) => outcome !== "infeasible" && diverged === null));
    messages.push({ role: "assistant", content: "Done." });
  }
  ok(versions.length > 4);
});

test("two agents on one chat without names of their own: each gets its own messages", async () => {
  const store = memory();
  for (let turn = 0; turn < 3; turn++) {
    for (const name of ["Left", "Right"]) {
      const { requests, run } = await ask(store, { messages: past(20 + turn, name) });
      const text = JSON.stringify(requests[0].prompt);
      ok(text.includes(name) && !text.includes(name === "Left" ? "Right" : "Left"));
      ok(run.reports.every(({ outcome }) => outcome !== "infeasible"));
    }
  }
});

test("the state of another chat is put right, and that is told", async () => {
  const other = await ask(undefined, { messages: past(20, "Another") });
  const { run, requests } = await ask(undefined, { run: { state: other.run.state } });
  notEqual(run.reports[0].diverged, null);
  ok(!JSON.stringify(requests[0].prompt).includes("Another"));
});

test("a state of one's own that is none is refused", async () => {
  for (const state of [{}, { version: 99, revision: 1 }, "state"])
    await rejects(ask(undefined, { run: { state } }), (error) => ["invalid-state", "newer-state"].includes(error.code));
});

test("`chat` that throws, or returns something else than a name: without a store the state lives as long as the call", async () => {
  for (const chat of [() => fail("no context"), () => 5, () => undefined]) {
    const { model, requests } = answers(latest);
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, chat });
    await latest.ai.generateText({ model, messages: past(), prepareStep: c.prepareStep });
    ok(requests[0].prompt.length < 40);
  }
});

/** What the SDK would refuse by itself never gets here; a step made by hand does. */
const step = (messages) => ({ messages, steps: [], stepNumber: 0, model: "m" });
const prepare = (messages, options) =>
  compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, ...options })
    .run({})
    .prepareStep(step(messages));

const TWO_FORMATS = [
  { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "read", input: { path: "a" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: LONG }] },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "t2", type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "t2", content: LONG },
];

const STREAMING = [
  {
    id: "m1",
    role: "assistant",
    parts: [
      { type: "text", text: "I was about", state: "streaming" },
      { type: "tool-read", toolCallId: "t1", state: "input-streaming", input: { path: "a" } },
    ],
  },
];

const strange = {
  "ids missing": [
    { role: "assistant", content: [{ type: "tool-call", toolName: "read", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolName: "read", output: { type: "text", value: LONG } }] },
  ],
  "messages without content": [{ role: "assistant" }, { role: "user", content: undefined }, {}],
};

for (const [name, odd] of Object.entries(strange)) {
  test(`${name}: passed on by identity without repair, never lost`, async () => {
    const history = [...past(2), ...odd, { role: "user", content: "Now?" }];
    equal(await prepare(history, { repair: false }), undefined);
    const long = [...past(), ...odd, { role: "user", content: "Now?" }];
    const { messages } = await prepare(long, { repair: false });
    ok(messages.length < long.length);
    equal(messages.at(-1), long.at(-1));
    for (const message of odd)
      ok(messages.includes(message) || !messages.some((one) => JSON.stringify(one) === JSON.stringify(message)));
  });
}

const foreign = {
  "messages of two formats": [TWO_FORMATS, /Anthropic's API: use the format `anthropic`/],
  "a UI message in the middle of streaming": [STREAMING, /convertToModelMessages/],
};

for (const [name, [odd, says]] of Object.entries(foreign)) {
  test(`${name} among its own: refused by name, because what they say would be lost`, async () => {
    const history = [...past(2), ...odd, { role: "user", content: "Now?" }];
    await rejects(
      prepare(history, { repair: false }),
      (error) => error.code === "wrong-format" && says.test(error.advice),
    );
  });
}

test("a UI message in the middle of streaming, converted by the SDK: the request is legal and nothing diverges later", async () => {
  for (const sdk of sdks) {
    const ui = [
      { id: "u1", role: "user", parts: [{ type: "text", text: "Read it." }] },
      {
        id: "a1",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "text", text: "I was about", state: "streaming" },
          { type: "tool-read", toolCallId: "t1", state: "input-streaming", input: { path: "a" } },
        ],
      },
      { id: "u2", role: "user", parts: [{ type: "text", text: "Go on." }] },
    ];
    const messages = await sdk.ai.convertToModelMessages(ui, { ignoreIncompleteToolCalls: true });
    const { run } = await ask(undefined, { sdk, messages: [...past(), ...messages] });
    const { state } = run;
    const next = await ask(undefined, { sdk, messages: [...past(), ...messages, ...past(1)], run: { state } });
    equal(next.run.reports[0].diverged, null);
  }
});

test("of two calls at once with one run the first is served to its end, the second refused", async () => {
  const sdk = latest;
  const { model, requests } = scripted(sdk, (_, n) =>
    n < 20
      ? { content: [{ type: "tool-call", toolCallId: `c${n}`, toolName: "read", input: {} }] }
      : { content: [{ type: "text", text: "Done." }] },
  );
  const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY }).run({});
  const tools = { read: sdk.ai.tool({ inputSchema: z.object({}), execute: async () => LONG }) };
  const [left, right] = await Promise.allSettled(
    ["Left", "Right"].map((name) =>
      sdk.ai.generateText({
        ...{ model, tools, messages: past(3, name), prepareStep: run.prepareStep },
        stopWhen: sdk.stepCountIs(30),
      }),
    ),
  );
  equal(left.value?.text, "Done.", String(left.reason));
  equal(right.reason?.code, "run-in-use");
  equal(requests.length, 21);
  for (const { prompt } of requests) {
    deepEqual(faults(prompt), []);
    ok(!JSON.stringify(prompt).includes("Right"));
  }
});

test("what a listener throws is its own trouble; summaries never appear in data parts", async () => {
  const parts = [];
  const onEvent = (event) => {
    parts.push(toDataPart(event));
    throw new Error("no");
  };
  const summarize = async function* () {
    yield "- it went ";
    yield "on for days";
    yield { finishReason: "stop" };
  };
  const { run } = await ask(undefined, {
    ...{ summarize: () => summarize(), summarizer: { contextWindow: 200_000 }, onReport: () => fail("no") },
    run: { onEvent },
  });
  equal(run.reports[0].rung, "summarize");
  deepEqual(
    parts.map(({ data }) => data.status),
    ["running", "running", "running", "done"],
  );
  equal(new Set(parts.map(({ id }) => id)).size, 1);
  for (const { type, data } of parts) {
    equal(type, "data-compaction");
    deepEqual(Object.keys(data).sort(), ["after", "before", "status", "window"]);
    equal(data.window, WINDOW);
    ok(data.before > data.after);
  }
});

test("a format given to compaction is refused when it is called: it reads what the SDK gives it", () => {
  for (const format of [aiSdk, aiSdkUI])
    throws(() => compaction({ format, contextWindow: WINDOW }), { code: "invalid-option", path: "format" });
});

for (const sdk of sdks) {
  test(`${sdk.name}: usage that is added up over the steps covers nothing that fits`, async () => {
    let total = 0;
    const { model } = scripted(sdk, (prompt, n) => {
      total += tokensOf(prompt) + OVERHEAD;
      const call = { type: "tool-call", toolCallId: `c${n}`, toolName: "look", input: {} };
      return { inputTokens: total, content: [n < 12 ? call : { type: "text", text: "Done." }] };
    });
    const look = sdk.ai.tool({ inputSchema: z.object({}), execute: () => LONG });
    const run = compaction({ contextWindow: 20_000, maxOutputTokens: REPLY }).run({});
    const { text } = await sdk.ai.generateText({
      ...{ model, messages: past(6), maxOutputTokens: REPLY, tools: { look } },
      ...{ stopWhen: sdk.stepCountIs(20), prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
    });
    equal(text, "Done.");
    ok(total > 20_000, `${total} in all`);
    deepEqual(
      run.reports.map(({ outcome }) => outcome),
      Array(13).fill("unchanged"),
    );
    ok(codes(run).includes("usage-doubted"));
  });

  test(`${sdk.name}: a run that is given to two calls at the same time refuses the second`, async () => {
    const gate = deferred();
    const { model } = scripted(sdk, () => ({ content: [{ type: "text", text: "Done." }] }), {
      delay: () => gate.promise,
    });
    const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY }).run({});
    const call = (messages) =>
      sdk.ai.generateText({
        ...{ model, messages, maxOutputTokens: REPLY, maxRetries: 0 },
        ...{ prepareStep: run.prepareStep, onStepFinish: run.onStepFinish },
      });
    const first = call(past(2, "First"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await rejects(call(past(2, "Second")), { name: "PrecisError", code: "run-in-use" });
    gate.resolve();
    equal((await first).text, "Done.");
    const { state } = run;
    // One after the other is what a conversation is.
    equal((await call(past(3, "First"))).text, "Done.");
    notEqual(run.state, state);
  });
}

function deferred() {
  let resolve;
  const promise = new Promise((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
