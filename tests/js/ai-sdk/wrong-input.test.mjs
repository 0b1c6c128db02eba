// Wrong input to `precis/ai-sdk` is refused by name when it is given, never as a TypeError of ours.
import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { PrecisError } from "precis";
import { compaction, compactionOf, compactTool, composePrepareSteps, summarizeWith, toDataPart } from "precis/ai-sdk";

const options = { contextWindow: 8_000, maxOutputTokens: 400 };
const store = { load: async () => null, save: async () => true };
const messages = [{ role: "user", content: "Hello." }];
const step = { messages, steps: [], stepNumber: 0, model: "m" };

/** A refusal with this code, at this path, whose advice says this. */
const refusal = (code, path, says, silent) => (error) => {
  ok(error instanceof PrecisError, String(error));
  deepEqual([error.code, error.path], [code, path]);
  if (says) match(error.advice, says);
  if (silent) ok(!silent.test(error.advice), error.advice);
  return true;
};

const wrongOptions = {
  "a store without functions": [{ store: {} }, "store", /load and save, got an object/],
  "a Map as a store": [{ store: new Map() }, "store", /got a Map\. Wrap it: \{ load:/],
  "half a store": [{ store: { load() {} } }, "store", /load and save/],
  "the chat by its name": [{ chat: "id" }, "chat", /a function .*got the string "id".*run\(\{ chat \}\)/],
  "an agent by number": [{ agent: 5 }, "agent", /a string, got 5/],
  "a listener that is no function": [{ onEvent: "x" }, "onEvent", /a function, got the string "x"/],
  "a report's listener that is no function": [{ onReport: [] }, "onReport", /a function, got an array/],
  "a window in words": [{ contextWindow: "32k" }, "contextWindow", /32_000/, "invalid-window"],
};

for (const [name, [more, path, says, code = "invalid-option"]] of Object.entries(wrongOptions)) {
  test(`refused when a compaction is made: ${name}`, () => {
    throws(() => compaction({ ...options, ...more }), refusal(code, path, says));
  });
}

test("an unknown option gets the nearest name of those that fit, or none", () => {
  throws(() => compaction(), refusal("invalid-option", "options", /an object, got undefined/));
  throws(
    () => compaction({ ...options, model: "gpt-4o" }),
    refusal("unknown-option", "model", /Known/, /Did you mean/),
  );
  throws(() => compaction({ ...options, stor: store }), refusal("unknown-option", "stor", /mean "store"/));
  throws(() => compaction({ ...options, format: {} }), refusal("invalid-option", "format", /needs no format/));
  throws(
    () => compaction({ ...options, signal: undefined, system: "x" }),
    refusal("unknown-option", "system", /"system" belongs to the options of run/),
  );
});

test("a run says what it was given wrongly", () => {
  const c = compaction({ ...options, store });
  throws(() => c.run({ chatId: "a" }), refusal("invalid-call", "chatId", /mean "chat"/));
  throws(() => c.run("a"), refusal("invalid-call", "options", /an object, got the string "a"/));
  throws(() => c.run({ chat: 5 }), refusal("invalid-call", "chat", /a string, got 5/));
  throws(() => c.run({ signal: new AbortController() }), refusal("invalid-call", "signal", /Pass its member/));
  throws(() => c.run({ onEvent: "x" }), refusal("invalid-call", "onEvent"));
  equal(compaction(options).run().state, null);
});

test("with a store, a call that does not say which chat it is of is refused, however it fails to", async () => {
  const given = [undefined, null, ""];
  for (const chat of given)
    throws(() => compaction({ ...options, store }).run({ chat }), refusal("no-chat-id", "chat", /run\(\{ chat \}\)/));
  const unread = () => {
    throw new TypeError("no context");
  };
  for (const chat of [undefined, unread, ...given.map((name) => () => name), () => 5]) {
    const { prepareStep } = compaction({ ...options, store, chat });
    await rejects(prepareStep({ messages, steps: [] }), refusal("no-chat-id", "chat", /runtimeContext/));
  }
  // Without a store nothing is stored under any name.
  equal(await compaction({ ...options, chat: unread }).prepareStep({ messages, steps: [] }), undefined);
});

test("a chat without a store is refused, unless the program says that it keeps the state", () => {
  const c = compaction(options);
  throws(() => c.run({ chat: "a" }), refusal("invalid-call", "chat", /no store.*Pass `store` to `compaction`/));
  equal(c.run({ chat: "a", state: null }).state, null);
});

test("`prepareStep` and `onStepFinish` without what the SDK passes are refused", async () => {
  const c = compaction(options);
  for (const { prepareStep } of [c, c.run()]) {
    await rejects(prepareStep(), refusal("invalid-call", "step", /got undefined/));
    await rejects(prepareStep({ messages }), refusal("invalid-call", "step.steps", /got undefined/));
    await rejects(prepareStep({ steps: [] }), refusal("messages-not-array", "step.messages"));
    equal(await prepareStep(step), undefined);
  }
  throws(() => c.run().onStepFinish(), refusal("invalid-call", "step", /got undefined/));
  throws(() => c.run().onStepEnd(), refusal("invalid-call", "step", /got undefined/));
});

test("a data part is made of an event, a summarizer of a function and a model", () => {
  throws(() => toDataPart(), refusal("invalid-call", "event", /got undefined/));
  throws(() => toDataPart({ type: "done" }), refusal("invalid-call", "event.report"));
  throws(() => summarizeWith({ model: "m" }), refusal("invalid-option", "generateText", /summarizeWith\(generateText/));
  throws(() => summarizeWith(async () => {}), refusal("invalid-option", "settings.model", /got undefined/));
});

const rubbish = () => [
  ...[
    undefined,
    null,
    true,
    false,
    0,
    -1,
    1.5,
    Number.NaN,
    "",
    "x",
    10n,
    Symbol("x"),
    () => undefined,
    async () => "x",
  ],
  ...[
    [],
    [null],
    [{ role: "user" }],
    {},
    { type: "done" },
    new Map(),
    new Date(0),
    new AbortController(),
    new Error("x"),
  ],
];

test("whatever is put in place of any argument or member: nothing is thrown but a PrecisError", async () => {
  const c = compaction({ ...options, store });
  const run = () => c.run({ chat: "a" });
  const event = {
    type: "done",
    id: "x",
    report: { outcome: "x", before: { tokens: 1 }, after: { tokens: 1, window: 2 } },
  };
  const whole = {
    ...{ ...options, store, agent: "a", chat: () => "c", providerOptions: {}, onReport: () => {}, onEvent: () => {} },
    ...{ summarize: () => "x", summarizer: { timeoutMs: 9 }, repair: false, tune: {} },
  };
  const bound = {
    ...{ chat: "a", state: null, system: "s", tools: {}, mustKeep: ["x"], maxOutputTokens: 9, providerOptions: {} },
    ...{ signal: new AbortController().signal, onEvent: () => {}, pin: () => false, isTyped: () => true },
    ...{ todos: [{ content: "a", status: "b" }], offset: 0, load: () => [], keep: { turns: 1 }, prefer: "clear" },
    ...{ trigger: 0.9, target: 0.5, toolPolicy: { a: { keep: 1 } } },
  };
  const model = {
    modelId: "m",
    doGenerate: async () => ({}),
    doStream: async () => ({ stream: new ReadableStream() }),
  };
  const wrapping = (given) => c.middleware.wrapGenerate({ model, params: { prompt: messages }, ...given });
  const functions = {
    compaction: [async (given) => compaction(given).prepareStep(step), whole],
    run: [async (given) => c.run(given).prepareStep(step), bound],
    prepareStep: [c.prepareStep, step],
    "run().prepareStep": [(given) => run().prepareStep(given), step],
    onStepEnd: [(given) => run().onStepEnd(given), { usage: {}, content: [], response: { messages: [] } }],
    onStepFinish: [(given) => run().onStepFinish(given), { usage: {}, content: [], response: { messages: [] } }],
    "onStepFinish, after a step": [
      async (given) => {
        const started = run();
        await started.prepareStep(step);
        started.onStepFinish(given);
        ok(started.usage.tokens > 0);
        await started.ahead();
      },
      { usage: { inputTokens: 5 }, content: [], request: {}, providerMetadata: {}, response: { messages: [] } },
    ],
    model: [(given) => run().model(given), { doGenerate: () => {} }],
    toDataPart: [toDataPart, event, { summary: true, messages: [{ id: "u", role: "user", parts: [] }] }],
    compactionOf: [compactionOf, { parts: [] }],
    compactTool: [compactTool, { run: run(), keep: { turns: 1 }, minTokens: 5, description: "x" }],
    "compactTool().execute": [(given) => compactTool({ run: run() }).execute(given), { focus: "x" }],
    composePrepareSteps: [(given) => composePrepareSteps(given)(step), () => undefined],
    "run().compact": [
      (given) => run().compact(given),
      { messages, model: "m", focus: "x", keep: { turns: 1, messages: 2 } },
    ],
    "run().plan": [(given) => run().plan(given), { messages, model: "m" }],
    "run().compactNext": [
      async (given) => {
        const started = run();
        started.compactNext(given);
        await started.prepareStep(step);
      },
      { focus: "x", keep: { turns: 1 }, minTokens: 5 },
    ],
    "run().restore": [(given) => run().restore(given), {}],
    middleware: [wrapping, { params: { prompt: messages } }],
    "the parameters of a call": [
      (params) => wrapping({ params }),
      {
        prompt: messages,
        tools: [],
        maxOutputTokens: 5,
        providerOptions: {},
        abortSignal: new AbortController().signal,
      },
    ],
    summarizeWith: [summarizeWith, () => {}, { model: {} }],
  };
  const bad = [];
  for (const [name, [verb, ...args]] of Object.entries(functions)) {
    for (let at = 0; at < args.length; at++) {
      for (const member of [null, ...Object.keys(args[at])]) {
        for (const wrong of rubbish()) {
          const given = args.with(at, member === null ? wrong : { ...args[at], [member]: wrong });
          try {
            await verb(...given);
          } catch (error) {
            if (!(error instanceof PrecisError)) bad.push(`${name}: ${member} = ${String(wrong)}: ${error?.stack}`);
          }
        }
      }
    }
  }
  deepEqual(bad.slice(0, 20), []);
});
