// What a host says of compactions by name: policies of tools, what stays, when they begin and what goes first.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, match, ok, rejects, test, throws } from "./harness.mjs";

const options = { format: openaiChat, contextWindow: 8_000, maxOutputTokens: 200 };

const step = (tool, n) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `${tool}-${n}`, type: "function", function: { name: tool, arguments: `{"n":${n}}` } }],
  },
  { role: "tool", tool_call_id: `${tool}-${n}`, content: `${tool} ${n}: ${`value ${n} of the table, `.repeat(70)}` },
];
const history = (count, tools = ["read", "search"]) => [
  { role: "user", content: "Find it." },
  ...Array.from({ length: count }, (_, n) => step(tools[n % tools.length], n)).flat(),
];
/** The results of a tool that stand in a view as they came. */
const whole = (view, messages, tool) =>
  view.filter((one) => one.role === "tool" && messages.includes(one) && one.tool_call_id.startsWith(tool)).length;
const fits = ({ report }) => ok(report.after.tokens + report.after.bound < report.after.trigger, report.reason);

test("the newest results of a tool stay whole, by options or by a call", async () => {
  const messages = history(30);
  const plain = await createCompactor(options).beforeModel({ messages });
  const toolPolicy = { read: { keep: 5 } };
  const kept = await createCompactor({ ...options, toolPolicy }).beforeModel({ messages });
  const ofCall = await createCompactor(options).beforeModel({ messages, toolPolicy });
  for (const one of [plain, kept, ofCall]) fits(one);
  ok(whole(plain.view, messages, "read") < 5);
  equal(whole(kept.view, messages, "read"), 5);
  deepEqual(ofCall.view, kept.view);
  deepEqual(ofCall.state, kept.state);
  const over = await createCompactor({ ...options, toolPolicy }).beforeModel({
    messages,
    toolPolicy: { read: { keep: 0 } },
  });
  deepEqual(over.view, plain.view);
});

test("a function is asked once for each tool, and its answer is the same as that by name", async () => {
  const asked = [];
  const toolPolicy = (tool) => {
    asked.push(tool.name);
    return tool.name === "read" ? { keep: 5 } : undefined;
  };
  const messages = history(30);
  const byName = await createCompactor({ ...options, toolPolicy: { read: { keep: 5 } } }).beforeModel({ messages });
  const compactor = createCompactor({ ...options, toolPolicy });
  const first = await compactor.beforeModel({ messages });
  deepEqual(first.view, byName.view);
  const more = [...messages, ...step("search", 30)];
  await compactor.beforeModel({ messages: more, state: first.state });
  deepEqual(asked.sort(), ["read", "search"]);
  const ofCall = await createCompactor(options).beforeModel({ messages, toolPolicy });
  deepEqual(ofCall.view, byName.view);
});

test("a result is no larger than its tool's policy allows, also where messages are only added", async () => {
  const byName = { search: { clip: 120, rerun: true } };
  for (const toolPolicy of [byName, ({ name }) => byName[name]]) {
    const hot = createCompactor({ ...options, contextWindow: 100_000, toolPolicy });
    const messages = history(2, ["read"]);
    let state = null;
    for (const tool of ["read", "read", "search", "read", "search", "write", "read"]) {
      messages.push(...step(tool, messages.length));
      const prepared = await hot.beforeModel({ messages, state });
      const cold = createCompactor({ ...options, contextWindow: 100_000, toolPolicy });
      deepEqual((await cold.beforeModel({ messages, state })).view, prepared.view);
      const now = prepared.view.filter((one) => one.role === "tool");
      for (const one of now) {
        const cut = one.tool_call_id.startsWith("search");
        equal(one.content.includes("Call the tool again for the rest."), cut, one.content);
        if (cut) ok(one.content.length < 600, one.content);
        else ok(messages.includes(one));
      }
      equal(prepared.report.rung, "pass");
      state = prepared.state;
    }
  }
});

test("what a function throws is thrown, and nothing has changed", async () => {
  const broken = () => {
    throw new Error("no policy today");
  };
  const compactor = createCompactor(options);
  const messages = history(30);
  await rejects(compactor.beforeModel({ messages, toolPolicy: broken }), /no policy today/);
  await rejects(compactor.beforeModel({ messages, toolPolicy: () => ({ keep: -1 }) }), (error) => {
    deepEqual([error.code, error.path], ["invalid-call", "toolPolicy.read.keep"]);
    return true;
  });
  fits(await compactor.beforeModel({ messages }));
});

test("what is always kept or excluded outlives summaries, and what does not fit is told", async () => {
  for (const policy of [{ keep: "always" }, { exclude: true }]) {
    const compactor = createCompactor({
      ...options,
      toolPolicy: { charge: policy },
      summarize: async () => "The user wants something found; the assistant has read and searched a lot.",
    });
    const messages = history(1, ["charge"]);
    let state = null;
    for (let turn = 1; turn < 40; turn++) {
      messages.push({ role: "user", content: `Question ${turn}: ${"why is that so? ".repeat(30)}` });
      messages.push({ role: "assistant", content: "because of this and that, ".repeat(30) });
      const prepared = await compactor.beforeModel({ messages, state });
      fits(prepared);
      equal(whole(prepared.view, messages, "charge"), 1);
      ok(prepared.report.warnings.every(({ code }) => code !== "keep-lost"));
      state = prepared.state;
    }
    ok(state.checkpoints.length > 0);
    const many = await compactor.beforeModel({ messages: history(40, ["charge"]) });
    fits(many);
    const warning = many.report.warnings.find(({ code }) => code === "keep-lost");
    equal(warning.path, "toolPolicy.charge");
    match(warning.advice, /did not fit/);
  }
});

test("turns, messages and results stay as they are", async () => {
  const messages = history(30);
  const prepared = await createCompactor({ ...options, keep: { results: 6 } }).beforeModel({ messages });
  fits(prepared);
  ok(whole(prepared.view, messages, "") >= 6);
  const talk = Array.from({ length: 60 }, (_, n) => ({
    role: n % 2 ? "assistant" : "user",
    content: `${n}: ${"some words about it, ".repeat(20)}`,
  }));
  const kept = await createCompactor({ ...options, contextWindow: 5_000, keep: { turns: 6 } }).beforeModel({
    messages: talk,
  });
  fits(kept);
  deepEqual(kept.view.slice(-11), talk.slice(-11));
});

test("compaction begins where the host says, and never too late", async () => {
  const messages = history(10);
  const trigger = async (trigger, more) => {
    const { report } = await createCompactor({ ...options, contextWindow: 50_000, trigger, ...more }).beforeModel({
      messages,
    });
    return report;
  };
  equal((await trigger(undefined)).outcome, "unchanged");
  for (const size of [0.05, { share: 0.05 }, { tokens: 2_500 }]) {
    const report = await trigger(size);
    deepEqual([report.outcome, report.after.trigger], ["compacted", 2_500]);
  }
  equal((await trigger({ messages: 15 })).outcome, "compacted");
  equal((await trigger({ messages: 25 })).outcome, "unchanged");
  equal((await trigger(1)).after.trigger, (await trigger(undefined)).after.trigger);
  const usage = createCompactor(options).usage({ messages, trigger: { tokens: 3_000 } });
  equal(usage.trigger, 3_000);
});

test("a trigger by messages fires where calls before had nothing to do", async () => {
  const compactor = createCompactor({ ...options, trigger: { messages: 20 } });
  const messages = [];
  const outcomes = [];
  let state = null;
  for (let n = 0; n < 30; n++) {
    messages.push({
      role: n % 2 ? "assistant" : "user",
      content: `message ${n}: ${"some words about it, ".repeat(12)}`,
    });
    const prepared = await compactor.beforeModel({ messages, state });
    state = prepared.state;
    outcomes.push(prepared.report.outcome);
  }
  equal(outcomes.indexOf("compacted"), 20);
});

test("a summary can go before results are cleared", async () => {
  const summarize = async () => "The user wants something found; the assistant has read and searched a lot.";
  const rung = async (prefer) => {
    const compactor = createCompactor({ ...options, summarize, prefer });
    return (await compactor.beforeModel({ messages: history(20) })).report.rung;
  };
  deepEqual([await rung(undefined), await rung("clear"), await rung("summarize")], ["clear", "clear", "summarize"]);
});

test("wrong policies and wishes are refused by name", () => {
  const cases = [
    [{ toolPolicy: { read: { keep: Number.NaN } } }, "toolPolicy.read.keep"],
    [{ toolPolicy: { read: { keep: "always", clear: "first" } } }, "toolPolicy.read.clear"],
    [{ toolPolicy: { read: { kept: 1 } } }, "toolPolicy.read.kept", "unknown-option"],
    [{ toolPolicy: true }, "toolPolicy"],
    [{ toolPolicy: [] }, "toolPolicy"],
    [{ trigger: 100_000 }, "trigger"],
    [{ trigger: { tokens: -1 } }, "trigger.tokens"],
    [{ target: { token: 1 } }, "target.token", "unknown-option"],
    [{ keep: { turns: Number.POSITIVE_INFINITY } }, "keep.turns"],
    [{ prefer: "delete" }, "prefer"],
    [{ tune: { preset: "contextguard" }, keep: { turns: 1 } }, "keep", "preset-with-strategy"],
    [{ tune: { shares: { tial: 0.2 } } }, "tune.shares.tial", "unknown-option"],
  ];
  for (const [more, path, code = "invalid-option"] of cases) {
    throws(
      () => createCompactor({ ...options, ...more }),
      (error) => {
        deepEqual([error.path, error.code], [path, code]);
        return true;
      },
    );
  }
});

test("a function is asked for the tools of a call, whatever other chats have called", async () => {
  const asked = new Map();
  const toolPolicy = ({ name }) => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    return name === "read" ? { keep: 5 } : undefined;
  };
  const compactor = createCompactor({ ...options, toolPolicy });
  const messages = history(30);
  const first = await compactor.beforeModel({ messages });
  const many = [
    { role: "user", content: "Use them all." },
    ...Array.from({ length: 3_000 }, (_, at) => step(`tool${at}`, at)).flat(),
  ];
  await compactor.beforeModel({ messages: many });
  const again = await compactor.beforeModel({ messages, state: first.state });
  deepEqual(again.view, first.view);
  // What is remembered is bounded, so it may be asked again; never once a request.
  for (let turn = 0; turn < 20; turn++) await compactor.beforeModel({ messages, state: again.state });
  ok(asked.get("read") <= 2, `${asked.get("read")} times`);
  equal(asked.size, 3_002);
});

test("another function is asked, also where messages are only added", async () => {
  const small = createCompactor({ ...options, contextWindow: 100_000 });
  const messages = history(2, ["read"]);
  const free = await small.beforeModel({ messages, toolPolicy: () => undefined });
  const more = [...messages, ...step("read", 90)];
  const { view } = await small.beforeModel({ messages: more, state: free.state, toolPolicy: () => ({ clip: 64 }) });
  const cold = createCompactor({ ...options, contextWindow: 100_000 });
  const expected = await cold.beforeModel({ messages: more, state: free.state, toolPolicy: () => ({ clip: 64 }) });
  deepEqual(view, expected.view);
  ok(view.some((one) => one.role === "tool" && !more.includes(one)));
});
