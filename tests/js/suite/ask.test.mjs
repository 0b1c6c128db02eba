// The summarizer the host brings: whatever it does, a call ends with a view that fits.
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check, scriptedSummarizer } from "precis/testing";
import { chat, deepEqual, equal, frozen, match, notEqual, ok, rejects, same, test, wait } from "./harness.mjs";
import { cases } from "./length.mjs";

const SUMMARY = "- order 4711 was refunded; the customer wants a copy of the invoice";
const messages = frozen(chat(40));
const make = (summarize, more = {}) =>
  createCompactor({
    format: openaiChat,
    contextWindow: 3_000,
    maxOutputTokens: 200,
    ...(summarize ? { summarize } : {}),
    ...more,
  });

/** One call with this summarizer: what it answered, checked as every answer must be. */
async function ask(summarize, more, call = {}) {
  const prepared = await make(summarize, more).beforeModel({ messages, state: null, ...call });
  equal(prepared.report.outcome, "compacted");
  equal(prepared.view.at(-1), messages.at(-1));
  ok(prepared.report.after.tokens < prepared.report.after.trigger);
  deepEqual(check(openaiChat, prepared.view), []);
  return prepared;
}

async function* stream(...items) {
  for (const item of items) {
    await null;
    yield item;
  }
}

const good = {
  "a promised string": async () => SUMMARY,
  "a string": () => SUMMARY,
  "a promised object": async () => ({ text: SUMMARY, finishReason: "stop" }),
  "an object": () => ({ text: SUMMARY, finishReason: "end_turn", usage: { prompt_tokens: 9 } }),
  "a thenable": () => new Proxy({}, { get: (_, name) => (name === "then" ? (done) => done(SUMMARY) : undefined) }),
  "an answer with getters": async () =>
    new (class {
      get text() {
        return SUMMARY;
      }
      get finishReason() {
        return "stop";
      }
    })(),
  "a stream": () => stream(SUMMARY.slice(0, 9), SUMMARY.slice(9), { finishReason: "stop" }),
  "a promised stream": async () => stream(SUMMARY, { finishReason: "completed", usage: { prompt_tokens: 9 } }),
};

for (const [name, summarize] of Object.entries(good)) {
  test(`a summarizer may answer ${name}`, async () => {
    const { report, state, view } = await ask(summarize);
    equal(report.rung, "summarize");
    equal(report.summarizer.failed, null);
    equal(report.summarizer.calls, 1);
    match(summaryOf(state), /4711 was refunded/);
    match(view[0].content, /4711 was refunded/);
  });
}

const fail = (error) => () => {
  throw error;
};
const bad = {
  "throws at once": fail(new Error("overloaded")),
  "throws no error": fail(null),
  rejects: () => Promise.reject(new Error("overloaded")),
  "rejects with what throws": () =>
    Promise.reject({
      get message() {
        throw new Error("no");
      },
    }),
  "answers nothing": async () => undefined,
  "answers null": async () => null,
  "answers a number": async () => 5,
  "answers an empty string": async () => "",
  "answers white space": async () => " \n ",
  "answers an object without text": async () => ({ finishReason: "stop" }),
  "does not say how it ended": async () => ({ text: SUMMARY }),
  "is cut off": async () => ({ text: SUMMARY, finishReason: "length" }),
  "answers 10 MB": async () => "word ".repeat(2_000_000),
  "streams without an end": () => stream(SUMMARY),
  "streams on after the end": () => stream({ finishReason: "stop" }, SUMMARY),
  "streams and is cut off": () => stream(SUMMARY, { finishReason: "length" }),
  "streams and throws": async function* () {
    yield SUMMARY;
    throw new Error("connection lost");
  },
  "streams numbers": () => stream(1, 2, 3),
  "streams without end": async function* () {
    for (;;) yield "word ".repeat(100_000);
  },
};

for (const [name, summarize] of Object.entries(bad)) {
  test(`a summarizer that ${name} is replaced by the digest`, async () => {
    const { report } = await ask(summarize);
    equal(report.rung, "digest");
    equal(typeof report.summarizer.failed, "string");
    ok(report.warnings.some(({ code }) => code === "summary-failed"));
  });
}

test("without a summarizer there is the digest", async () => {
  const { report } = await ask(undefined);
  equal(report.rung, "digest");
  deepEqual(report.summarizer, { calls: 0, failed: null, skipped: null, usage: null });
});

test("a late summarizer is not waited for", async () => {
  let signal;
  const slow = (_, context) => {
    signal = context.signal;
    return wait(300).then(() => SUMMARY);
  };
  const { report, state } = await ask(slow, { summarizer: { timeoutMs: 20 } });
  equal(report.rung, "digest");
  equal(signal.aborted, true);
  const before = JSON.stringify(state);
  await wait(350);
  equal(JSON.stringify(state), before);
});

test("a slow stream is closed when the time is up", async () => {
  let closed = false;
  async function* slow() {
    try {
      for (;;) {
        await wait(5);
        yield "word ";
      }
    } finally {
      closed = true;
    }
  }
  equal((await ask(slow, { summarizer: { timeoutMs: 30 } })).report.rung, "digest");
  await wait(50);
  equal(closed, true);
});

test("an aborted call rejects with the signal's reason and leaves the state alone", async () => {
  const controller = new AbortController();
  const reason = { because: "the user left" };
  let signal;
  const never = (_, context) => {
    signal = context.signal;
    setTimeout(() => controller.abort(reason), 10);
    return new Promise(() => {});
  };
  const compactor = make(never);
  await rejects(
    compactor.beforeModel({ messages, state: null, signal: controller.signal }),
    (error) => error === reason,
  );
  equal(signal.aborted, true);
  await rejects(
    compactor.beforeModel({ messages, state: null, signal: controller.signal }),
    (error) => error === reason,
  );
  await rejects(compactor.compact({ messages, signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("the signal of a call that went well is not held on to", async () => {
  let listeners = 0;
  const { signal } = new AbortController();
  const counting = new Proxy(signal, {
    get: (target, name) => {
      if (name === "addEventListener") listeners += 1;
      if (name === "removeEventListener") listeners -= 1;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await ask(async () => SUMMARY, {}, { signal: counting });
  equal(listeners, 0);
});

test("the summarizer is told what to write, by which signal it may be stopped, and how often it was asked", async () => {
  const seen = [];
  await ask((request, context) => {
    seen.push([request, context]);
    return SUMMARY;
  });
  equal(seen.length, 1);
  const [[request, { signal, attempt }]] = seen;
  deepEqual(Object.keys(request).sort(), ["id", "kind", "maxOutputTokens", "prompt", "system"]);
  equal(request.kind, "summary");
  ok(request.system.length > 0 && request.prompt.includes("order 4700") && request.maxOutputTokens > 0);
  ok(signal instanceof AbortSignal && !signal.aborted);
  equal(attempt, 1);
});

test("the summarizer may call the compactor", async () => {
  const compactor = make(async () => {
    const { view } = await make().beforeModel({ messages, state: null });
    ok(compactor.usage({ messages }).tokens > 0);
    const inner = compactor.commit({ messages }, compactor.plan({ messages }));
    equal(inner.view.length, view.length);
    return SUMMARY;
  });
  const { report } = await compactor.beforeModel({ messages, state: null });
  equal(report.rung, "summarize");
});

test("two calls at once from one state give the same", async () => {
  let turn = 0;
  const compactor = make(async () => {
    await wait(turn++ % 2 ? 1 : 15);
    return SUMMARY;
  });
  const [one, two] = await Promise.all([1, 2].map(() => compactor.beforeModel({ messages, state: null })));
  deepEqual(one, two);
});

test("many chats through one compactor at once give what each gives alone", async () => {
  const chats = Array.from({ length: cases(1_000, 200) }, (_, i) => chat(20 + (i % 7), 240 + (i % 11)));
  const delays = chats.map((_, i) => (i * 7919) % 13);
  const summarize = async (request) => {
    await wait(delays[request.prompt.length % delays.length]);
    return `- ${request.prompt.length} characters were summarized`;
  };
  const shared = make(summarize);
  const together = await Promise.all(chats.map((messages) => shared.beforeModel({ messages, state: null })));
  for (const i of [0, 1, 2, chats.length >> 1, chats.length - 1]) {
    const alone = await make(summarize).beforeModel({ messages: chats[i], state: null });
    deepEqual(together[i], alone);
    equal(together[i].view.at(-1), chats[i].at(-1));
  }
});

test("events tell of a compaction from start to end", async () => {
  const events = [];
  await ask(() => stream("- order 4711 ", "was refunded", { finishReason: "stop" }), {
    onEvent: (event) => events.push(event),
  });
  deepEqual(
    events.map(({ type }) => type),
    ["start", "progress", "progress", "done"],
  );
  equal(new Set(events.map(({ id }) => id)).size, 1);
  equal(events[1].text + events[2].text, "- order 4711 was refunded");
  equal(events[3].report.outcome, "compacted");
  ok(!JSON.stringify(events).includes("order 4700"));
});

test("a listener that throws or rejects does no harm", async () => {
  await ask(async () => SUMMARY, { onEvent: fail(new Error("mine")) });
  await ask(async () => SUMMARY, { onEvent: () => Promise.reject(new Error("mine")) });
});

test("the scripted summarizer gives its answers in turn and keeps what it was asked", async () => {
  const summarize = scriptedSummarizer([SUMMARY, new Error("overloaded")]);
  const compactor = make(summarize);
  equal((await compactor.beforeModel({ messages, state: null })).report.rung, "summarize");
  equal((await compactor.beforeModel({ messages, state: null })).report.rung, "digest");
  equal((await compactor.beforeModel({ messages, state: null })).report.rung, "digest");
  equal(summarize.requests.length, 3);
});

test("a plan's requests may be answered by anyone, late, in any of the forms", () => {
  const compactor = make(async () => SUMMARY);
  const plan = JSON.parse(JSON.stringify(compactor.plan({ messages })));
  const [request] = compactor.requests({ messages }, plan);
  equal(request.id, plan.requests[0].id);
  const answered = (answer) => compactor.commit({ messages }, plan, [answer]);
  for (const answer of [
    SUMMARY,
    { text: SUMMARY, finishReason: "stop" },
    { text: SUMMARY, finishReason: "stop", usage: {} },
  ])
    match(summaryOf(answered(answer).state), /4711 was refunded/);
  for (const answer of [
    { error: new Error("overloaded") },
    { error: "overloaded" },
    "",
    undefined,
    { text: SUMMARY, finishReason: "length" },
  ]) {
    const { state, view } = answered(answer);
    ok(!/4711 was refunded/.test(summaryOf(state) ?? ""));
    equal(view.at(-1), messages.at(-1));
  }
});

test("equal states give the same objects, equal histories the same bytes", async () => {
  const compactor = make(async () => SUMMARY);
  const { state, view } = await compactor.beforeModel({ messages, state: null });
  const again = compactor.commit({ messages, state }, compactor.plan({ messages, state }));
  ok(same(again.view, view));
  const copy = JSON.parse(JSON.stringify(messages));
  const stored = JSON.parse(JSON.stringify(state));
  deepEqual(
    compactor.commit({ messages: copy, state: stored }, compactor.plan({ messages: copy, state: stored })).view,
    view,
  );
  notEqual(again.view, view);
});

test("of a past in many pieces at most eight are asked for at the same time, in their order", async () => {
  const past = frozen(chat(600));
  const plain = { summarizer: { contextWindow: 2_000, maxOutputTokens: 100, maxCalls: 100 }, contextWindow: 40_000 };
  const ids = make(async () => SUMMARY, plain)
    .plan({ messages: past })
    .requests.map(({ id }) => id);
  ok(ids.length > 16, `${ids.length} pieces`);
  const asked = [];
  let [out, most] = [0, 0];
  const summarize = async ({ id }) => {
    asked.push(id);
    most = Math.max(most, ++out);
    await wait(1);
    out--;
    return SUMMARY;
  };
  await make(summarize, plain).beforeModel({ messages: past });
  equal(most, 8);
  deepEqual(asked.slice(0, ids.length), ids);
  equal(new Set(asked).size, asked.length);
});
