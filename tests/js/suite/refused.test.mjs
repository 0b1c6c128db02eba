// What is refused: with a code, a path and advice, and with everything as it was.
import { createCompactor, PrecisError, summaryOf } from "precis";
import { aiSdk, openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, match, ok, rejects, test, throws } from "./harness.mjs";

const options = { format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 };
const messages = frozen(chat(40));

/** Whether `error` says what to do, and where. */
const refusal = (code, path) => (error) => {
  ok(error instanceof PrecisError && error instanceof Error, String(error));
  equal(error.name, "PrecisError");
  equal(error.code, code);
  if (path !== undefined) equal(error.path, path);
  ok(error.advice.length > 10);
  equal(error.message, error.path === null ? error.advice : `${error.path}: ${error.advice}`);
  return true;
};

const refusedOptions = {
  "no options": [undefined, "invalid-option"],
  "no format": [{ contextWindow: 1_000 }, "invalid-option", "format"],
  "half a format": [{ ...options, format: { name: "half", read() {} } }, "invalid-option", "format"],
  "an unknown option": [{ ...options, contextWidnow: 3_000 }, "unknown-option", "contextWidnow"],
  "an unknown tuning": [{ ...options, tune: { strateggy: "tail" } }, "unknown-option", "tune.strateggy"],
  "an unknown strategy": [{ ...options, tune: { strategy: "fulll" } }, undefined, "tune.strategy"],
  "an unknown estimator": [
    { ...options, tune: { tokens: { estimator: "lexicall" } } },
    undefined,
    "tune.tokens.estimator",
  ],
  "an unknown preset": [{ ...options, tune: { preset: "contextgard" } }, undefined, "tune.preset"],
  "an unknown share": [{ ...options, tune: { shares: { tial: 0.2 } } }, "unknown-option", "tune.shares.tial"],
  "preset with strategy": [{ ...options, tune: { preset: "contextguard", strategy: "full" } }, "preset-with-strategy"],
  "a summarizer that is no function": [{ ...options, summarize: "gpt" }, "invalid-option", "summarize"],
  "a language of two lines": [
    { ...options, summary: { language: "German\n- Obey" } },
    "invalid-option",
    "summary.language",
  ],
  "a language that is no name": [{ ...options, summary: { language: true } }, "invalid-option", "summary.language"],
  "an unknown member of a summary": [{ ...options, summary: { lang: "de" } }, "unknown-option", "summary.lang"],
  "a negative limit": [{ ...options, maxOutputTokens: -1 }, "invalid-option", "maxOutputTokens"],
};

for (const [name, [given, code, path]] of Object.entries(refusedOptions)) {
  test(`refused: ${name}`, () => {
    throws(
      () => createCompactor(given),
      (error) => refusal(code ?? error.code, path)(error),
    );
  });
}

test("refused: a focus that is no text", () =>
  rejects(createCompactor(options).compact({ messages, focus: ["go on"] }), refusal("invalid-call", "focus")));

test("a misspelt option is told the nearest name", () => {
  for (const [given, name] of [
    [{ ...options, contextWidnow: 1 }, /contextWindow/],
    [{ ...options, tune: { strategy: "fulll" } }, /full/],
    [{ ...options, tune: { tokens: { estimator: "byte4" } } }, /bytes4/],
  ])
    throws(
      () => createCompactor(given),
      (error) => {
        match(error.advice, name);
        return true;
      },
    );
});

const windows = {
  zero: 0,
  negative: -1,
  NaN: Number.NaN,
  infinite: Number.POSITIVE_INFINITY,
  "a string": "3000",
  null: null,
};
for (const [name, window] of Object.entries(windows)) {
  test(`refused: a window that is ${name}`, async () => {
    const refused = refusal("invalid-window", "contextWindow");
    const compact = (contextWindow) => createCompactor({ ...options, contextWindow }).beforeModel({ messages });
    await rejects(async () => compact(window), refused);
    await rejects(async () => compact(() => window), refused);
  });
}

test("refused: a window nobody knows", async () => {
  const compactor = createCompactor({ ...options, contextWindow: (model) => ({ big: 3_000 })[model] });
  ok((await compactor.beforeModel({ messages, model: "big" })).view.length > 0);
  await rejects(compactor.beforeModel({ messages, model: "new" }), refusal("invalid-window", "contextWindow"));
  await rejects(compactor.beforeModel({ messages }), refusal("invalid-window", "contextWindow"));
});

test("refused: a reserve that leaves no room", async () => {
  for (const reserve of [3_000, 4_000])
    await rejects(
      async () => createCompactor({ ...options, tune: { reserve } }).beforeModel({ messages }),
      refusal("reserve-too-large"),
    );
});

/** Every method that takes a call refuses it alike, and the call that follows gives what it gave before. */
async function refusedCall(call, code, path, format = openaiChat) {
  const compactor = createCompactor({ ...options, format });
  const good = { messages, state: null };
  const before = compactor.commit(good, compactor.plan(good));
  const plan = compactor.plan(good);
  const state = frozen(before.state);
  const given = { state, ...call };
  const refused = refusal(code, path);
  for (const verb of ["usage", "plan"]) throws(() => compactor[verb](given), refused, verb);
  for (const verb of ["requests", "commit"]) throws(() => compactor[verb](given, plan), refused, verb);
  for (const verb of ["beforeModel", "compact"]) await rejects(compactor[verb](given), refused, verb);
  deepEqual(compactor.commit(good, compactor.plan(good)), before);
}

const cyclic = { role: "user", content: [{ type: "what" }] };
cyclic.content[0].self = cyclic;
const throwing = {
  role: "user",
  get content() {
    throw new Error("no");
  },
};
const called = (input) => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input }],
});
const loop = {};
loop.loop = loop;

const refusedCalls = {
  "no messages": [{}, "messages-not-array", "messages"],
  "messages that are null": [{ messages: null }, "messages-not-array", "messages"],
  "messages that are a string": [{ messages: "hello" }, "messages-not-array", "messages"],
  "messages that are like an array": [{ messages: { 0: messages[0], length: 1 } }, "messages-not-array", "messages"],
  "a hole": [{ messages: Object.assign([], { 0: messages[0], 2: messages[2] }) }, "message-hole", "messages[1]"],
  "a null entry": [{ messages: [messages[0], messages[1], null] }, "message-hole", "messages[2]"],
  "a number": [{ messages: [1, 2] }, "message-hole", "messages[0]"],
  "a cycle in a part": [{ messages: [messages[0], cyclic] }, "too-deep", "messages[1]"],
  "a throwing getter": [{ messages: [messages[0], messages[1], throwing] }, "unreadable-value", "messages[2]"],
  "a cycle in arguments": [{ messages: [called(loop)] }, "too-deep", "messages[0]", aiSdk],
  "a throwing toJSON in arguments": [
    { messages: [called({ toJSON: () => throwing.content })] },
    "unreadable-value",
    "messages[0]",
    aiSdk,
  ],
  "a cycle in a tool": [{ messages, tools: [{ name: "t", input_schema: loop }] }, "too-deep", "tools"],
  "a state that is none": [{ messages, state: { hello: 1 } }, "invalid-state"],
  "a state that is a string": [{ messages, state: "state" }, "invalid-state"],
  "a state that is a list": [{ messages, state: [] }, "invalid-state"],
  "a state of a newer version": [{ messages, state: { version: 99, revision: 1 } }, "newer-state"],
  "todos that are no list": [{ messages, todos: { content: "go on", status: "open" } }, "invalid-call", "todos"],
  "literals that are no list": [{ messages, mustKeep: "go on" }, "invalid-call", "mustKeep"],
  "an unknown threshold": [{ messages, threshold: "hard" }, "invalid-call", "threshold"],
};

for (const [name, [call, code, path, format]] of Object.entries(refusedCalls)) {
  test(`refused: ${name}`, () => refusedCall(call, code, path, format));
}

test("a refusal says where the right value stands", async () => {
  const compactor = createCompactor(options);
  const prepared = await compactor.beforeModel({ messages });
  const advises = (words) => (error) => match(error.advice, words) === undefined;
  await rejects(compactor.beforeModel(messages), advises(/Pass the history as its member: \{ messages \}/));
  for (const take of [
    () => compactor.plan({ messages, state: prepared }),
    () => compactor.afterModel(prepared, { prompt_tokens: 10 }, prepared.report.request),
    () => summaryOf(prepared),
  ])
    throws(take, advises(/Pass the member `state` of what the last call returned/));
  const loading = Promise.resolve(prepared.state);
  await rejects(compactor.beforeModel({ messages: loading }), advises(/got a Promise\. Await it first\.$/));
  await rejects(compactor.beforeModel({ messages, state: loading }), refusal("invalid-call", "state"));
  throws(() => createCompactor({ ...options, format: loading }), advises(/Await it first/));
  throws(
    () => createCompactor({ ...options, summarize: "gpt-5.6" }),
    advises(/Pass a function that asks your model: async \(\{ system, prompt, maxOutputTokens \}\) => /),
  );
  await rejects(compactor.beforeModel({ messages: ["hello"] }), advises(/but this one is of type string\.$/));
});

test("refused: a history without what the state needs", async () => {
  const compactor = createCompactor(options);
  const { state } = await compactor.compact({ messages });
  const { index } = compactor.keepFrom(state);
  ok(index > 0);
  const loaded = await compactor.beforeModel({ messages: messages.slice(index), offset: index, state });
  equal(loaded.view.at(-1), messages.at(-1));
  await rejects(
    compactor.beforeModel({ messages: messages.slice(index + 1), offset: index + 1, state }),
    (error) => refusal("history-gap")(error) && match(error.advice, new RegExp(`${index}`)) === undefined,
  );
});

test("refused: a plan that is none", () => {
  const compactor = createCompactor(options);
  for (const plan of [{}, null, undefined, "plan", []])
    throws(() => compactor.commit({ messages }, plan), refusal("invalid-plan"));
});

test("what a host's own function throws is passed on as it is", async () => {
  const mine = new Error("mine");
  const fail = () => {
    throw mine;
  };
  const compactor = createCompactor(options);
  for (const call of [{ pin: fail }, { isTyped: fail }]) {
    throws(
      () => compactor.plan({ messages, ...call }),
      (error) => error === mine,
    );
    await rejects(compactor.beforeModel({ messages, ...call }), (error) => error === mine);
  }
  await rejects(
    createCompactor({ ...options, contextWindow: fail }).beforeModel({ messages }),
    (error) => error === mine,
  );
  const own = createCompactor({ ...options, format: { ...openaiChat, summary: fail } });
  await rejects(own.beforeModel({ messages }), (error) => error === mine);
  const none = createCompactor({ ...options, format: { ...openaiChat, summary: () => null } });
  await rejects(none.beforeModel({ messages }), refusal("format-answer", "format.summary"));
});
