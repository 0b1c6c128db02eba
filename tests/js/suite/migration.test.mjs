// A long chat that precis sees for the first time: how often the first request asks the summarizer, what stands for the
// part that no model has read, and how all of it can be had ahead of time.
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, test, throws } from "./harness.mjs";
import { cases } from "./length.mjs";

const RULE = "Never touch the table invoices_2019.";

/** 5,001 messages of some 170,000 tokens, each with a mark of its own. */
const messages = frozen(
  Array.from({ length: 5_001 }, (_, at) => {
    const role = at % 2 ? "assistant" : "user";
    if (at === 0) return { role, content: `${RULE} #0#` };
    return {
      role,
      content: `#${at}# we looked at the order of ${at} chairs once more and wrote to the customer about it`,
    };
  }),
);

function make(
  maxCalls,
  answer = () => "- The order of the chairs was looked at once more, and the customer got a letter.",
) {
  const requests = [];
  const events = [];
  const compactor = createCompactor({
    format: openaiChat,
    contextWindow: 32_000,
    maxOutputTokens: 2_000,
    summarizer: { contextWindow: 16_000, maxCalls },
    summarize: async (request) => {
      requests.push(request);
      return answer(request, requests.length);
    },
    onEvent: (event) => events.push(event),
  });
  return { compactor, requests, events };
}
const marks = (text) => [...text.matchAll(/#(\d+)#/g)].map(([, mark]) => Number(mark));
const limited = ({ warnings }) => warnings.filter(({ code }) => code === "summary-limited");

test("the first request of a long chat asks the summarizer eight times at most, about the newest part of the past", async () => {
  const { compactor, requests } = make();
  const { view, state, report } = await compactor.beforeModel({ messages });
  ok(requests.length > 4 && requests.length <= 8, `${requests.length} calls`);
  equal(report.rung, "summarize");
  deepEqual(check(openaiChat, view), []);
  // All from some place on, without a gap.
  const chunks = requests.filter(({ kind }) => kind === "chunk");
  const read = new Set(chunks.flatMap(({ prompt }) => marks(prompt)));
  const first = Math.min(...read);
  ok(first > 500, `from ${first}`);
  const covered = messages.length - view.filter(({ content }) => /^#\d+#/.test(content)).length;
  for (let mark = first; mark < covered; mark++) ok(read.has(mark), `message ${mark}`);
  // What is before it stands in a digest that the last call makes one with the notes.
  const merge = requests.at(-1);
  equal(merge.kind, "merge");
  ok(merge.prompt.startsWith("<piece>\nCondensed by code"), merge.prompt.slice(0, 200));
  const previous = merge.prompt.slice(0, merge.prompt.indexOf("</piece>"));
  ok(marks(previous).some((mark) => mark > 0 && mark <= first));
  // What a person requires is kept by code, however old it is.
  ok(summaryOf(state).includes(RULE));
});

test("a summary that left a part of the past to code says so, and what to do about it", async () => {
  const { report } = await make().compactor.beforeModel({ messages });
  const [warning, ...more] = limited(report);
  deepEqual(more, []);
  equal(warning.path, "summarizer.maxCalls");
  ok(/a call may make 8. So code digested the oldest \d+ parts/.test(warning.advice), warning.advice);
  const all = make(1_000);
  const whole = await all.compactor.beforeModel({ messages });
  deepEqual(limited(whole.report), []);
  ok(all.requests.length > 12, `${all.requests.length} calls`);
});

for (const maxCalls of [1, 2, 3, 5, 8, 13])
  test(`no more than ${maxCalls} calls, whatever the answers are`, async () => {
    const cut = { text: "- The order", finishReason: "length" };
    const answers = {
      good: () => "- The order of the chairs was looked at once more, and the customer got a letter.",
      bad: () => cut,
      "the first is bad": (_, number) =>
        number === 1 ? cut : "- The order of the chairs was looked at once more, and the customer got a letter.",
      "every other is bad": (_, number) =>
        number % 2 ? cut : "- The order of the chairs was looked at once more, and the customer got a letter.",
      throws: () => {
        throw new Error("overloaded");
      },
    };
    const turn = Object.entries(answers).filter((_, at) => at % cases(1, 5) === maxCalls % cases(1, 5));
    for (const [name, answer] of turn) {
      const { compactor, requests } = make(maxCalls, answer);
      const { view, report } = await compactor.beforeModel({ messages });
      ok(requests.length > 0 && requests.length <= maxCalls, `${name}: ${requests.length} calls`);
      deepEqual(check(openaiChat, view), []);
      equal(report.rung, report.summarizer.failed === null ? "summarize" : "digest");
      if (name === "good") equal(report.rung, "summarize");
      // One bad answer of several is asked for again.
      if (name === "the first is bad" && maxCalls > 3) equal(report.rung, "summarize");
      equal(limited(report).length, report.rung === "summarize" ? 1 : 0);
    }
  });

test("a single call gets the newest part of the past, and before it a digest of the rest", async () => {
  const { compactor, requests } = make(1);
  const { report } = await compactor.beforeModel({ messages });
  equal(report.rung, "summarize");
  const [{ kind, prompt }] = requests;
  equal(kind, "summary");
  ok(prompt.startsWith("<conversation>\nWhat had happened before: Condensed by code"), prompt.slice(0, 100));
  ok(compactor.usage({ messages: [{ role: "user", content: prompt }] }).tokens < 16_000);
});

test("the events of a compaction in pieces count the calls", async () => {
  const { compactor, requests, events } = make();
  await compactor.beforeModel({ messages });
  equal(events[0].type, "start");
  equal(events.at(-1).type, "done");
  const steps = events.slice(1, -1);
  deepEqual(
    steps.map(({ type, text, done }) => [type, text, done]),
    requests.map((_, at) => ["progress", "", at + 1]),
  );
  for (const { total, done } of steps) ok(total >= done && total <= 8, `${done} of ${total}`);
  equal(steps.at(-1).total, requests.length);
});

test("ahead of time a plan asks about the whole past, in rounds that may be days apart", async () => {
  const { compactor } = make(1);
  const call = { messages };
  let plan = compactor.plan(call);
  const read = new Set();
  let calls = 0;
  let prepared;
  for (;;) {
    const requests = compactor.requests(call, plan);
    for (const { kind, prompt } of requests) if (kind === "chunk") for (const mark of marks(prompt)) read.add(mark);
    calls += requests.length;
    prepared = compactor.commit(
      call,
      plan,
      requests.map(() => "- The order of the chairs was looked at once more, and the customer got a letter."),
    );
    if (!prepared.next) break;
    plan = JSON.parse(JSON.stringify(prepared.next));
  }
  ok(calls > 12);
  equal(prepared.report.rung, "summarize");
  deepEqual(limited(prepared.report), []);
  const covered = messages.length - prepared.view.filter(({ content }) => /^#\d+#/.test(content)).length;
  for (let mark = 0; mark < covered; mark++) ok(read.has(mark), `message ${mark}`);
  // The first request has nothing left to ask.
  const first = make(1);
  const { view } = await first.compactor.beforeModel({ messages, state: prepared.state });
  equal(first.requests.length, 0);
  deepEqual(check(openaiChat, view), []);
});

test("a number of calls that is none is refused by name", () => {
  for (const maxCalls of [0, -1, 1.5, "8", Number.NaN, {}])
    throws(
      () => make(maxCalls),
      ({ code, path }) => code === "invalid-option" && path === "summarizer.maxCalls",
    );
});
