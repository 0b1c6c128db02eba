// Wrong input is refused by name: with the value, its unit, and what to do about it. Nothing of it is a TypeError.
import { attributes, createCompactor, createMeter, PrecisError, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check, history, replay, scriptedSummarizer } from "precis/testing";
import { chat, deepEqual, equal, frozen, match, ok, rejects, test, throws } from "./harness.mjs";
import { cases } from "./length.mjs";

const options = { format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 };
const messages = frozen(chat(40));
const compactor = createCompactor(options);

/** A refusal with this code, at this path, whose advice says this. */
const refusal = (code, path, says, silent) => (error) => {
  ok(error instanceof PrecisError, String(error));
  deepEqual([error.code, error.path], [code, path]);
  if (says) match(error.advice, says);
  if (silent) ok(!silent.test(error.advice), error.advice);
  return true;
};

const wrongOptions = {
  "a window in words": [{ contextWindow: "32k" }, "invalid-window", "contextWindow", /"32k".*32_000/],
  "a window in digits": [{ contextWindow: "3000" }, "invalid-window", "contextWindow", /"3000".*3000\?/],
  "a window of true": [{ contextWindow: true }, "invalid-window", "contextWindow", /got true/],
  "a negative window": [{ contextWindow: -5 }, "invalid-window", "contextWindow", /got -5/],
  "half a token": [{ contextWindow: 0.5 }, "invalid-window", "contextWindow", /got 0\.5\b/],
  "a BigInt": [{ contextWindow: 3_000n }, "invalid-window", "contextWindow", /BigInt 3000/],
  "a reply limit above the window": [{ maxOutputTokens: 4_000 }, "invalid-option", "maxOutputTokens", /4000.*3000/],
  "a listener that is no function": [{ onEvent: "x" }, "invalid-option", "onEvent", /function, got the string "x"/],
  "a summarizer that is `true`": [{ summarize: true }, "invalid-option", "summarize", /function, got true/],
  "an estimator that is `true`": [
    { tune: { tokens: { estimator: true } } },
    "invalid-option",
    "tune.tokens.estimator",
    /got true/,
  ],
  "a flag that is a function": [{ repair: () => true }, "invalid-option", "repair", /got a function/],
  "no time for an answer": [
    { summarizer: { timeoutMs: 0 } },
    "invalid-option",
    "summarizer.timeoutMs",
    /milliseconds above 0, got 0/,
    /token/,
  ],
  "a time in words": [
    { summarizer: { timeoutMs: "30s" } },
    "invalid-option",
    "summarizer.timeoutMs",
    /milliseconds.*"30s"/,
  ],
  "a summarizer's window of nothing": [
    { summarizer: { contextWindow: 0 } },
    "invalid-option",
    "summarizer.contextWindow",
    /tokens above 0, got 0/,
  ],
  "a model in place of its family": [
    { tune: { tokens: { family: "gpt-4o" } } },
    "invalid-option",
    "tune.tokens.family",
    /"gpt-4o" is a model.*its family is "o200k"/,
  ],
  "a member of a call": [{ model: "gpt-4o" }, "unknown-option", "model", /belongs to the call/, /Did you mean/],
  "an option in snake case": [
    { max_output_tokens: 5 },
    "unknown-option",
    "max_output_tokens",
    /mean "maxOutputTokens"/,
  ],
  "a format with an id that is no function": [
    { format: { ...openaiChat, id: "id" } },
    "invalid-option",
    "format.id",
    /function, got the string "id"/,
  ],
  "a tool's policy as a word": [
    { toolPolicy: { read: "keep" } },
    "invalid-option",
    "toolPolicy.read",
    /with some of keep, clear, inputs, exclude, clip, rerun, such as \{ keep: "always" \}, got the string "keep"/,
  ],
  "a policy without the name of its tool": [
    { toolPolicy: { keep: "always" } },
    "invalid-option",
    "toolPolicy.keep",
    /such as \{ search: \{ keep: "always" \} \}/,
  ],
  "what to keep as a number": [{ keep: 3 }, "invalid-option", "keep", /turns, messages, results.*got 3/],
  "a misspelt member of what to keep": [{ keep: { turn: 2 } }, "unknown-option", "keep.turn", /mean "turns"/],
  "a limit in quotes": [{ maxOutputTokens: "500" }, "invalid-option", "maxOutputTokens", /"500"\. Did you mean 500\?/],
  "a limit in thousands": [{ tune: { reserve: "1k" } }, "invalid-option", "tune.reserve", /Did you mean 1000\?/],
  "a limit below nothing, in quotes": [
    { maxOutputTokens: "-5" },
    "invalid-option",
    "maxOutputTokens",
    /"-5"/,
    /Did you mean/,
  ],
  "a trigger in quotes": [{ trigger: "0.8" }, "invalid-option", "trigger", /Did you mean 0\.8\?/],
  "a share in quotes": [{ tune: { shares: { tail: ".25" } } }, "invalid-option", "tune.shares.tail", /mean 0\.25\?/],
  "a price in quotes": [{ tune: { prices: { input: "2.5" } } }, "invalid-option", "tune.prices.input", /mean 2\.5\?/],
  "a count in quotes": [{ toolPolicy: { a: { keep: "3" } } }, "invalid-option", "toolPolicy.a.keep", /mean 3\?/],
  "a flag in quotes": [{ repair: "false" }, "invalid-option", "repair", /Did you mean false\?/],
  "one heading in place of a list": [
    { summary: { sections: "Goals" } },
    "invalid-option",
    "summary.sections",
    /an array of strings/,
  ],
  "a summarizer under the name of its limits": [
    { summarizer: () => "" },
    "invalid-option",
    "summarizer",
    /got a function\. Did you mean `summarize`/,
  ],
  "a format by its name": [{ format: "openaiChat" }, "invalid-option", "format", /the string "openaiChat"/],
};

for (const [name, [more, code, path, says, silent]] of Object.entries(wrongOptions)) {
  test(`refused when the compactor is made: ${name}`, () => {
    throws(() => createCompactor({ ...options, ...more }), refusal(code, path, says, silent));
  });
}

/** Each group of options, with something to put around it. */
const groups = {
  keep: (keep) => ({ keep }),
  summarizer: (summarizer) => ({ summarizer }),
  summary: (summary) => ({ summary }),
  "summary.frame": (frame) => ({ summary: { frame } }),
  toolPolicy: (toolPolicy) => ({ toolPolicy }),
  "toolPolicy.read": (read) => ({ toolPolicy: { read } }),
  tune: (tune) => ({ tune }),
  "tune.prices": (prices) => ({ tune: { prices } }),
  "tune.shares": (shares) => ({ tune: { shares } }),
  "tune.tokens": (tokens) => ({ tune: { tokens } }),
};

/** What an object's literal says. Workers evaluate no text, so it is read as JSON. */
const literal = (text) => JSON.parse(text.replace(/(\w+):/g, '"$1":').replace(/(\d)_(?=\d)/g, "$1"));

for (const [path, around] of Object.entries(groups)) {
  test(`whoever writes a word for a group of options is shown one that is accepted: ${path}`, () => {
    let example;
    throws(
      () => createCompactor({ ...options, ...around("all") }),
      (error) => {
        example = /such as (\{.*\}), got the string "all"/.exec(error.advice)?.[1];
        return refusal("invalid-option", path)(error);
      },
    );
    ok(example, "no example");
    createCompactor({ ...options, ...around(literal(example)) });
  });
}

test("refused: a compactor without options", () => {
  throws(() => createCompactor(), refusal("invalid-option", "options", /an object, got undefined/));
  throws(() => createMeter(), refusal("invalid-option", "options", /an object, got undefined/));
});

const wrongCalls = {
  "a controller in place of its signal": [
    { signal: new AbortController() },
    "signal",
    /an AbortSignal, got an AbortController\. Pass its member `signal`/,
  ],
  "pins as indices": [{ pin: [0] }, "pin", /a function, got an array/],
  "`isTyped` as a list": [{ isTyped: [] }, "isTyped", /a function, got an array/],
  "a listener that is no function": [{ onEvent: "x" }, "onEvent", /a function, got the string "x"/],
  "a model that is an object": [{ model: { id: "m" } }, "model", /a string, got an object/],
  "a state under a misspelt name": [{ sate: null, state: undefined, ...{ sate: {} } }, "sate", /mean "state"/],
  "the window in a call": [{ contextWindow: 8_000 }, "contextWindow", /belongs to the options of createCompactor/],
  "another SDK's reply limit": [{ maxTokens: 100 }, "maxTokens", /mean "maxOutputTokens"/],
  "a threshold that does not exist": [{ threshold: "hard" }, "threshold", /"hard"/],
  "an offset below nothing": [{ offset: -1 }, "offset", /at least 0, got -1/],
  "todos with other members": [{ todos: [{ text: "go on" }] }, "todos[0].content", /content, status/],
  "todos that are texts": [{ todos: ["go on"] }, "todos[0]", /such as \{ content: .*, got the string "go on"/],
  "what must stay as a text": [{ mustKeep: "INV-1" }, "mustKeep", /an array of strings, got the string "INV-1"/],
  "a todo that is nothing": [{ todos: [null] }, "todos[0]", /got nothing/],
  "a todo's status as a number": [{ todos: [{ content: "a", status: 1 }] }, "todos[0].status", /a string, got 1/],
  "what must stay as a number": [{ mustKeep: ["a", 4711] }, "mustKeep[1]", /a string, got 4711/],
};

for (const [name, [more, path, says]] of Object.entries(wrongCalls)) {
  test(`refused in a call: ${name}`, async () => {
    const call = { messages, ...more };
    const refused = refusal("invalid-call", path, says);
    for (const verb of ["usage", "plan"]) throws(() => compactor[verb](call), refused);
    const plan = compactor.plan({ messages });
    for (const verb of ["requests", "commit"]) throws(() => compactor[verb](call, plan), refused);
    for (const verb of ["beforeModel", "compact"]) await rejects(compactor[verb](call), refused);
  });
}

test("`focus` is for `compact` alone, and what it is given elsewhere says so", async () => {
  const call = { messages, focus: "the order" };
  await rejects(
    compactor.beforeModel(call),
    refusal("invalid-call", "focus", /"focus" belongs to the call of compact/, /Did you mean/),
  );
  equal((await compactor.compact(call)).report.outcome, "compacted");
});

test("members that are undefined or null count as left out, whatever their name", async () => {
  const given = { messages, sate: undefined, pin: null, signal: undefined };
  deepEqual(await compactor.beforeModel(given), await compactor.beforeModel({ messages }));
});

test("a call that is refused after the fast path was taken changes nothing for the next one", async () => {
  const short = messages.slice(0, 4);
  const first = await compactor.beforeModel({ messages: short, state: null });
  const call = { messages: [...short, messages[4]], state: first.state };
  await rejects(compactor.beforeModel({ ...call, sate: {} }), refusal("invalid-call", "sate"));
  await rejects(compactor.beforeModel({ ...call, pin: [0] }), refusal("invalid-call", "pin"));
  equal((await compactor.beforeModel(call)).view.length, 5);
});

test("refused: answers that are no list, a request that is no id", () => {
  const plan = compactor.plan({ messages });
  throws(
    () => compactor.commit({ messages }, plan, "x"),
    refusal("invalid-call", "results", /an array.*the string "x"/),
  );
  throws(() => compactor.afterModel(null, {}, 5), refusal("invalid-call", "request", /a string, got 5/));
});

test("a window below 1,000 tokens is a warning that asks for thousands, once a chat", async () => {
  const tiny = createCompactor({ ...options, contextWindow: 128, maxOutputTokens: 20 });
  const { report, state } = await tiny.beforeModel({ messages: [messages[0]] });
  const [told] = report.warnings.filter(({ code }) => code === "small-window");
  equal(told?.path, "contextWindow");
  match(told.advice, /128 tokens.*128,000/);
  const next = await tiny.beforeModel({ messages: messages.slice(0, 2), state });
  ok(!next.report.warnings.some(({ code }) => code === "small-window"));
  ok(!(await compactor.beforeModel({ messages })).report.warnings.some(({ code }) => code === "small-window"));
});

const answers = {
  undefined: [() => undefined, /returned undefined: return its text/],
  "a number": [() => 42, /returned 42/],
  "a list": [() => [], /returned an array|as text/],
  "an object without a text": [() => ({ content: "x" }), /undefined as text/],
  "a text without how it ended": [() => ({ text: "- a" }), /undefined as finishReason/],
  "a number in its stream": [
    async function* () {
      yield 5;
    },
    /stream held 5/,
  ],
  "a stream without an end": [
    async function* () {
      yield "- a";
    },
    /last item must be \{ finishReason \}/,
  ],
  "its own TypeError": [
    () => {
      throw new TypeError("client.chat is not a function");
    },
    /^The summarizer threw TypeError: “client\.chat is not a function”\./,
  ],
  "nothing in time": [() => new Promise(() => {}), /more than 30 ms \(summarizer\.timeoutMs\)/],
};

for (const [name, [summarize, says]] of Object.entries(answers)) {
  test(`the report names what a summarizer returned: ${name}`, async () => {
    const asked = createCompactor({ ...options, summarize, summarizer: { timeoutMs: 30, contextWindow: 64_000 } });
    const { report } = await asked.beforeModel({ messages });
    match(report.summarizer.failed, says);
    match(report.warnings.find(({ code }) => code === "summary-failed").advice, says);
  });
}

test("precis/testing refuses arguments in another order or of another kind", async () => {
  await rejects(
    replay(openaiChat, compactor, messages),
    refusal("invalid-call", "compactor", /what createCompactor returned.*replay\(compactor, format, messages/),
  );
  await rejects(replay(compactor, messages, openaiChat), refusal("invalid-call", "format", /got an array/));
  await rejects(replay(compactor, openaiChat), refusal("messages-not-array", "messages", /got undefined/));
  throws(() => check(messages, openaiChat), refusal("invalid-option", "format"));
  throws(() => scriptedSummarizer("one"), refusal("invalid-call", "answers", /"one"/));
  throws(() => history(), refusal("invalid-option", "format"));
  throws(() => history(openaiChat, { turns: "5" }), refusal("invalid-option", "turns", /"5"/));
  throws(() => history(openaiChat, { turn: 5 }), refusal("unknown-option", "turn", /mean "turns"/));
});

/** What somebody may pass anywhere. */
const rubbish = () => [
  undefined,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  "",
  "x",
  "\ud800",
  10n,
  Symbol("x"),
  () => undefined,
  async () => "x",
  [],
  [null],
  [[["x"]]],
  [{ role: "user" }],
  {},
  { length: 3 },
  { type: "done" },
  Object.create(null),
  new Map([["a", 1]]),
  new Date(0),
  /x/,
  new Uint8Array(3),
  new AbortController(),
  new Error("mine"),
  Promise.resolve("x"),
  new Proxy({}, {}),
];

/** A path of members, with each of them a list of what the object around has. */
function* membersOf(value, path = [], depth = 0) {
  yield path;
  if (depth > 2 || typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const name of Object.keys(value)) yield* membersOf(value[name], [...path, name], depth + 1);
}

const put = (value, [name, ...rest], wrong) =>
  name === undefined ? wrong : { ...value, [name]: put(value[name], rest, wrong) };

test("whatever is put in place of any argument or member of any function: nothing is thrown but a PrecisError", async () => {
  const { state, report } = await compactor.compact({ messages });
  const plan = compactor.plan({ messages });
  const call = {
    ...{ messages: messages.slice(0, 6), state, offset: 0, model: "m", maxOutputTokens: 100, system: "s" },
    ...{ tools: [{ name: "t" }], pin: () => false, isTyped: () => true, mustKeep: ["a"], threshold: "soft" },
    ...{ todos: [{ content: "a", status: "open" }], inFlight: plan, overflow: true, onEvent: () => {} },
    signal: new AbortController().signal,
  };
  const made = {
    ...options,
    ...{
      summarize: () => "x",
      onEvent: () => {},
      summarizer: { contextWindow: 8_000, maxOutputTokens: 9, timeoutMs: 9 },
    },
    repair: false,
    tune: { ...{ reserve: 5, maxInputTokens: 900, shares: { tail: 0.1 }, strategy: "tail" } },
  };
  made.tune.tokens = { family: "o200k", estimator: "lexical", overhead: 3 };
  const scripted = { seed: 1, turns: 2, size: 30, reasoning: true, media: false };
  const functions = {
    createCompactor: [createCompactor, made],
    createMeter: [createMeter, { ...options }],
    ...Object.fromEntries(["beforeModel", "usage", "plan"].map((verb) => [verb, [compactor[verb], call]])),
    compact: [compactor.compact, { ...call, focus: "x" }],
    requests: [compactor.requests, call, plan],
    commit: [compactor.commit, { messages }, plan, [{ text: "x", finishReason: "stop", usage: {}, error: 1 }]],
    afterModel: [compactor.afterModel, state, { prompt_tokens: 5 }, report.request],
    keepFrom: [compactor.keepFrom, state],
    attributes: [attributes, report],
    summaryOf: [summaryOf, state],
    history: [history, openaiChat, scripted],
    check: [check, openaiChat, messages],
    replay: [replay, compactor, openaiChat, messages.slice(0, 3), () => ({ prompt_tokens: 5 })],
    scriptedSummarizer: [scriptedSummarizer, ["x"]],
  };
  const bad = [];
  let [number, tried] = [0, 0];
  for (const [name, [verb, ...args]] of Object.entries(functions)) {
    for (let at = 0; at < args.length; at++) {
      for (const path of membersOf(args[at])) {
        for (const wrong of rubbish()) {
          // It would make as many turns; and what a compactor of somebody else returns is not ours.
          if (name === "history" && wrong === 2 ** 53) continue;
          if (name === "replay" && at === 0 && typeof wrong === "function" && path.length > 0) continue;
          // A number that shares no factor with how many there are, so that each has its turn.
          if (number++ % cases(1, 7) !== 0) continue;
          const given = args.with(at, put(args[at], path, wrong));
          tried += 1;
          try {
            await verb(...given);
          } catch (error) {
            if (!(error instanceof PrecisError) || error.code === "engine-trap")
              bad.push(
                `${name}: argument ${at}, ${path.join(".")} = ${Object.prototype.toString.call(wrong)}: ${error?.stack}`,
              );
          }
        }
      }
    }
  }
  deepEqual([...new Set(bad)].slice(0, 20), []);
  ok(tried > cases(2_000, 500), `${tried}`);
});
