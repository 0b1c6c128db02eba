// A list of summarizers: the next one is asked when one fails, and corrects what cannot be used.
import { createCompactor, PrecisError, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, match, ok, rejects, same, test, throws, wait } from "./harness.mjs";

const SUMMARY = "- order 4711 was refunded; the customer wants a copy of the invoice";
const messages = frozen(chat(40));
const options = { format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200 };

/** One compaction by these summarizers, and who was asked what: `[name, kind, attempt, id]`. */
async function ask(all, { call = {}, ...more } = {}) {
  const asked = [];
  const summarize = Object.entries(all).map(([name, answer]) => (request, context) => {
    asked.push([name, request.kind, context.attempt, request.id]);
    return answer(request, context);
  });
  const prepared = await createCompactor({ ...options, summarize, ...more }).beforeModel({ messages, ...call });
  return { ...prepared, asked };
}

const failing = {
  "one that throws": () => {
    throw new Error("overloaded");
  },
  "one that rejects": async () => {
    throw new Error("overloaded");
  },
  "one that is cut off": async () => ({ text: "- half of a", finishReason: "length" }),
  "one that is filtered": async () => ({ text: SUMMARY, finishReason: "content-filter" }),
  "one that answers nothing readable": async () => 5,
  "one whose stream does not end": async function* () {
    yield "half";
  },
};

for (const [name, first] of Object.entries(failing))
  test(`after ${name}, the next is asked the same`, async () => {
    const { asked, report, state } = await ask({ small: first, large: async () => SUMMARY });
    const [[, , , id]] = asked;
    deepEqual(asked, [
      ["small", "summary", 1, id],
      ["large", "summary", 2, id],
    ]);
    match(summaryOf(state), /4711 was refunded/);
    equal(report.summarizer.failed, null);
    equal(report.summarizer.calls, 1);
  });

test("after one that takes too long, the next is asked, and the first is aborted", async () => {
  let aborted = false;
  const slow = (_, { signal }) =>
    new Promise(() => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
    });
  const { state } = await ask({ slow, large: async () => SUMMARY }, { summarizer: { timeoutMs: 20 } });
  match(summaryOf(state), /4711/);
  ok(aborted);
});

test("who answers well is asked alone", async () => {
  const { asked } = await ask({ small: async () => SUMMARY, large: async () => SUMMARY });
  deepEqual(
    asked.map(([name]) => name),
    ["small"],
  );
});

test("an answer that ended by itself and cannot be used is corrected by the next", async () => {
  const { asked, state } = await ask({ small: async () => "", large: async () => SUMMARY });
  deepEqual(
    asked.map(([name, kind, attempt]) => [name, kind, attempt]),
    [
      ["small", "summary", 1],
      ["large", "correction", 2],
    ],
  );
  match(summaryOf(state), /4711 was refunded/);
});

test("when all fail, code writes a digest, and the report has the reason of the last", async () => {
  const failed = (reason) => async () => {
    throw new Error(reason);
  };
  const { report, asked } = await ask({ a: failed("first"), b: failed("second"), c: failed("third") });
  deepEqual(
    asked.map(([name, , attempt]) => [name, attempt]),
    [
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ],
  );
  equal(report.rung, "digest");
  match(report.summarizer.failed, /third/);
});

test("an abort ends it: nobody else is asked", async () => {
  const stop = new AbortController();
  let others = 0;
  const summarize = [
    async (_, { signal }) => {
      stop.abort(new Error("stopped"));
      await wait(1);
      signal.throwIfAborted();
    },
    async () => {
      others += 1;
      return SUMMARY;
    },
  ];
  const { beforeModel } = createCompactor({ ...options, summarize });
  await rejects(beforeModel({ messages, signal: stop.signal }), /stopped/);
  await wait(5);
  equal(others, 0);
});

test("a list of one is like the function itself", async () => {
  const one = await createCompactor({ ...options, summarize: async () => SUMMARY }).beforeModel({ messages });
  const list = await createCompactor({ ...options, summarize: [async () => SUMMARY] }).beforeModel({ messages });
  same(list.view, one.view);
  deepEqual(list.state, one.state);
});

for (const [name, summarize] of Object.entries({
  "an empty list": [],
  "a list with something else": [async () => SUMMARY, "large"],
  "a list of lists": [[async () => SUMMARY]],
}))
  test(`refused: ${name}`, () => {
    throws(
      () => createCompactor({ ...options, summarize }),
      (error) =>
        error instanceof PrecisError &&
        error.code === "invalid-option" &&
        error.path === "summarize" &&
        /a list of functions, or one function/.test(error.advice),
    );
  });
