// What a listener is told about a compaction, and in which order.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, ok, test, wait } from "./harness.mjs";

const SUMMARY = "- order 4711 was refunded; the customer wants a copy of the invoice";
const messages = frozen(chat(40, 500));
const SECRET = /order 47|4711/;

async function* stream(...items) {
  for (const item of items) {
    await null;
    yield item;
  }
}

const fail = (message) => {
  throw new Error(message);
};

/** One call: what came of it, and what was told meanwhile. */
async function told(summarize, { verb = "beforeModel", call = {}, ...options } = {}) {
  const events = [];
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    maxOutputTokens: 200,
    summarizer: { contextWindow: 64_000 },
    summarize,
    onEvent: (event) => events.push(event),
    ...options,
  });
  const [result] = await Promise.allSettled([compactor[verb]({ messages, ...call })]);
  return { ...result, events, types: events.map(({ type }) => type).join(" ") };
}

const preset = { tune: { preset: "contextguard" } };
/** Long messages: the preset's excerpts make them smaller. */
const long = { ...preset, contextWindow: 9_000, call: { messages: frozen(chat(40, 600)) } };

/** Summarizer and options, then the types of the events, then the rung. */
const orders = {
  "no summarizer": [undefined, {}, "start done", "digest"],
  "a good summarizer": [async () => SUMMARY, {}, "start done", "summarize"],
  "a summarizer that throws": [() => fail("overloaded"), {}, "start fallback done", "digest"],
  "a summarizer that rejects": [async () => fail("overloaded"), {}, "start fallback done", "digest"],
  "a summarizer that is cut off": [
    async () => ({ text: SUMMARY, finishReason: "length" }),
    {},
    "start retry fallback done",
    "digest",
  ],
  "a summarizer that streams": [
    () => stream("- order 4711 ", "was ", "refunded", { finishReason: "stop" }),
    {},
    "start progress progress progress done",
    "summarize",
  ],
  "a stream that breaks off": [
    () => stream("- order 4711 ", "was "),
    {},
    "start progress progress fallback done",
    "digest",
  ],
  "a summarizer that is late": [
    () => wait(200).then(() => SUMMARY),
    { summarizer: { timeoutMs: 15, contextWindow: 64_000 } },
    "start fallback done",
    "digest",
  ],
  "a summarizer that is late with each of three pieces": [
    () => wait(200).then(() => SUMMARY),
    { summarizer: { timeoutMs: 15 } },
    "start progress progress progress fallback done",
    "digest",
  ],
  "a compaction by hand": [async () => SUMMARY, { verb: "compact" }, "start done", "summarize"],
  "a compaction by hand without a summarizer": [undefined, { verb: "compact" }, "start done", "digest"],
  "the preset, no summarizer": [undefined, long, "start done", "digest"],
  "the preset, a good summarizer": [async () => SUMMARY, preset, "start done", "summarize"],
  "the preset, a failing summarizer": [() => fail("overloaded"), preset, "start fallback done", "digest"],
  // Three rounds, as the original: the summary alone is above the threshold.
  "the preset, a summary that is too long": [
    async () => "word ".repeat(3_000),
    preset,
    "start retry retry done",
    "summarize",
  ],
};

for (const [name, [summarize, options, types, rung]] of Object.entries(orders)) {
  test(`events: ${name}`, async () => {
    const { status, value, reason, events, ...seen } = await told(summarize, options);
    equal(status, "fulfilled", reason?.stack);
    equal(seen.types, types);
    equal(value.report.rung, rung);
    const [start, done] = [events[0], events.at(-1)];
    equal(new Set(events.map(({ id }) => id)).size, 1);
    ok(typeof start.id === "string" && start.id.length > 0);
    ok(typeof start.reason === "string" && start.reason.length > 10);
    deepEqual(start.before, value.report.before);
    deepEqual(done.report, value.report);
    for (const event of events) {
      if (event.type === "retry" || event.type === "fallback") ok(event.reason.length > 0);
      if (event.type === "progress") ok(event.text.length > 0 || event.total > 1);
      else ok(!SECRET.test(JSON.stringify(event)), JSON.stringify(event));
    }
    const fallback = events.find(({ type }) => type === "fallback");
    equal(fallback?.reason ?? null, value.report.summarizer.failed);
  });
}

test("events: a compaction is told even if it does not help enough", async () => {
  for (const [outcome, system] of [
    ["tight", "You are a careful assistant. ".repeat(115)],
    ["infeasible", "You are a careful assistant. ".repeat(2_000)],
  ])
    for (const summarize of [undefined, async () => SUMMARY]) {
      const call = { system, messages: chat(40) };
      const tune = { tokens: { estimator: "bytes4" } };
      const { value, types, events } = await told(summarize, { call, tune });
      equal(value.report.outcome, outcome);
      equal(value.report.rung, "digest");
      ok(value.view.length < messages.length);
      equal(types, "start done");
      deepEqual(events.at(-1).report, value.report);
    }
});

test("events: nothing to do is not worth a word", async () => {
  for (const strategy of ["tail", "full", "sliding-window"]) {
    const few = { call: { messages: messages.slice(0, 5) }, tune: { strategy } };
    const { status, types } = await told(async () => SUMMARY, few);
    equal(status, "fulfilled");
    equal(types, "");
  }
});

test("events: an earlier compaction that is applied again is not told again", async () => {
  const first = await told(async () => SUMMARY);
  const { types, value } = await told(async () => SUMMARY, { call: { state: first.value.state } });
  equal(value.report.outcome, "reused");
  equal(types, "");
});

test("events: plan, requests and commit are silent", () => {
  const events = [];
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    summarize: async () => SUMMARY,
    onEvent: (event) => events.push(event),
  });
  const plan = compactor.plan({ messages });
  compactor.requests({ messages }, plan);
  compactor.commit({ messages }, plan, [SUMMARY]);
  compactor.usage({ messages });
  deepEqual(events, []);
});

const aborts = {
  "before the call": (controller) => controller.abort(controller.why),
  "while the summarizer works": (controller) => setTimeout(() => controller.abort(controller.why), 10),
};

for (const [when, abort] of Object.entries(aborts))
  for (const tune of [{}, preset.tune])
    test(`events: aborted ${when}${tune.preset ? ", preset" : ""}`, async () => {
      const controller = Object.assign(new AbortController(), { why: { because: "the user left" } });
      const plain = await told(undefined, { call: { messages: messages.slice(0, 30) }, tune });
      const state = frozen(plain.value.state);
      const before = JSON.stringify(state);
      abort(controller);
      let late;
      const slow = () => {
        late = wait(40).then(() => SUMMARY);
        return late;
      };
      const { status, reason, types, events } = await told(slow, { call: { signal: controller.signal, state }, tune });
      equal(status, "rejected");
      equal(reason, controller.why);
      equal(types, late ? "start" : "");
      equal(JSON.stringify(state), before);
      // What comes too late is not told either, and the same call goes through afterwards.
      await late;
      await wait(5);
      equal(events.length, late ? 1 : 0);
      const again = await told(async () => SUMMARY, { call: { state }, tune });
      equal(again.status, "fulfilled");
      equal(again.types, "start done");
    });

test("events: a refused call tells nothing", async () => {
  const { status, types } = await told(async () => SUMMARY, { call: { messages: [null] } });
  equal(status, "rejected");
  equal(types, "");
});

test("events: a stream that is aborted stops being told", async () => {
  const controller = new AbortController();
  async function* endless() {
    for (let words = 0; ; words++) {
      await wait(1);
      if (words === 5) controller.abort();
      yield "word ";
    }
  }
  const { status, reason, events, types } = await told(endless, { call: { signal: controller.signal } });
  equal(status, "rejected");
  equal(reason.name, "AbortError");
  ok(/^start( progress)+$/.test(types), types);
  const { length } = events;
  await wait(20);
  equal(events.length, length);
});

test("events: calls at once are told apart by their ids", async () => {
  const events = [];
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    maxOutputTokens: 200,
    summarizer: { contextWindow: 64_000 },
    summarize: ({ prompt }) => stream("- one ", `of ${prompt.length}`, { finishReason: "stop" }),
    onEvent: (event) => events.push(event),
  });
  const chats = Array.from({ length: 20 }, (_, i) => chat(40 + i));
  const reports = await Promise.all(chats.map((messages) => compactor.beforeModel({ messages })));
  const ids = [...new Set(events.map(({ id }) => id))];
  equal(ids.length, chats.length);
  for (const id of ids) {
    const own = events.filter((event) => event.id === id);
    equal(own.map(({ type }) => type).join(" "), "start progress progress done");
    ok(reports.some(({ report }) => JSON.stringify(report) === JSON.stringify(own[3].report)));
  }
});

test("events: a listener may call the compactor, and may throw", async () => {
  let inside = 0;
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    maxOutputTokens: 200,
    summarizer: { contextWindow: 64_000 },
    summarize: () => stream("- order 4711", { finishReason: "stop" }),
    onEvent(event) {
      compactor.commit({ messages }, compactor.plan({ messages }));
      inside += 1;
      throw new Error(event.type);
    },
  });
  const { report } = await compactor.beforeModel({ messages });
  equal(report.rung, "summarize");
  equal(inside, 3);
});
