// A counter of the host's that is asked where the estimate does not decide, and nowhere else.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(12);
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));
const messages = [...past(30), { role: "user", content: "And now?" }];

/** About what the engine estimates of the request, before anything was learned. */
const estimate = createCompactor({ format: openaiChat, contextWindow: 1_000_000 }).usage({ messages }).tokens;
/** With nothing kept free but the least: the trigger lies this share of the window below it. */
const windowFor = (trigger) => Math.ceil(trigger / 0.9) + 200;

function make(trigger, answer, options = {}) {
  const asked = [];
  const compactor = createCompactor({
    ...{ format: openaiChat, contextWindow: windowFor(trigger), trigger: { tokens: trigger }, maxOutputTokens: 300 },
    countTokens: (call, context) => {
      asked.push({ ...call, signal: context.signal });
      return answer(call, context);
    },
    ...options,
  });
  return { compactor, asked };
}

test("where the estimate is above the trigger by less than it may be wrong, the count decides that nothing is done", async () => {
  const { compactor, asked } = make(estimate - 100, async () => estimate - 400);
  const call = { messages, system: "Be brief.", model: "m", maxOutputTokens: 300 };
  const { view, report, state } = await compactor.beforeModel({ ...call, system: undefined });
  equal(asked.length, 1);
  deepEqual(asked[0].messages, messages);
  equal(asked[0].model, "m");
  equal(asked[0].maxOutputTokens, 300);
  ok(asked[0].signal instanceof AbortSignal);
  equal(report.outcome, "unchanged");
  deepEqual(view, messages);
  deepEqual(report.warnings, []);
  // It is learned as usage is.
  equal(report.before.source, "reported");
  equal(report.before.tokens, estimate - 400);
  // The next request is known well enough: nobody is asked again.
  const longer = [...messages, { role: "assistant", content: "Fine." }, { role: "user", content: "And?" }];
  const next = await compactor.beforeModel({ ...call, system: undefined, messages: longer, state });
  equal(next.report.outcome, "unchanged");
  equal(asked.length, 1);
});

test("where the count is above the trigger it is compacted, and the summarizer is asked after the counter", async () => {
  const order = [];
  const { compactor } = make(
    estimate + 100,
    async () => {
      order.push("count");
      return estimate + 150;
    },
    {
      summarize: async () => {
        order.push("summary");
        return "- the day went on, as it always had";
      },
    },
  );
  const { report } = await compactor.beforeModel({ messages });
  equal(report.outcome, "compacted");
  equal(report.rung, "summarize");
  deepEqual(order, ["count", "summary"]);
  equal(report.before.tokens, estimate + 150);
});

test("the summarizer is not asked for a summary that the count shows to be needless", async () => {
  let summaries = 0;
  const summarize = async () => {
    summaries += 1;
    return "- the day went on, as it always had";
  };
  const { compactor, asked } = make(estimate + 100, async () => estimate - 300, { summarize });
  equal((await compactor.beforeModel({ messages })).report.outcome, "unchanged");
  equal(asked.length, 1);
  equal(summaries, 0);
});

test("it is not asked where the estimate decides, for a compaction by hand, a measurement, or a preset", async () => {
  for (const trigger of [Math.round(estimate * 0.5), Math.round(estimate * 2)]) {
    const { compactor, asked } = make(trigger, async () => 1);
    await compactor.beforeModel({ messages });
    equal(asked.length, 0, `trigger ${trigger}`);
  }
  const { compactor, asked } = make(estimate - 100, async () => 1);
  await compactor.compact({ messages });
  compactor.usage({ messages });
  compactor.plan({ messages });
  compactor.commit({ messages }, compactor.plan({ messages }));
  await compactor.beforeModel({ messages, overflow: new Error("prompt is too long: 9999 tokens > 9000 maximum") });
  equal(asked.length, 0);
});

test("what a refusal revealed, prices and what is kept free still decide after a count", async () => {
  const { compactor, asked } = make(estimate - 100, async () => estimate - 400, { tune: { reserve: 500 } });
  const overflow = new Error(`prompt is too long: ${estimate} tokens > ${estimate - 2_000} maximum`);
  const refused = await compactor.beforeModel({ messages, overflow });
  const longer = [...past(40), { role: "user", content: "And?" }];
  const { report, state } = await compactor.beforeModel({ messages: longer, state: refused.state });
  ok(report.after.window <= estimate - 2_000);
  deepEqual(state.learned, refused.state.learned);
  ok(asked.length <= 1);
});

const failing = {
  throws: () => {
    throw new Error("429");
  },
  rejects: () => Promise.reject(new Error("429")),
  "returns nothing": () => undefined,
  "returns a text": async () => "12",
  "returns NaN": async () => Number.NaN,
  "returns a negative number": async () => -5,
  "returns zero": async () => 0,
  "returns an object": async () => ({ input_tokens: 5 }),
};
for (const [what, answer] of Object.entries(failing))
  test(`a counter that ${what} is reported, and the estimate decides`, async () => {
    const { compactor, asked } = make(estimate - 100, answer);
    const { report } = await compactor.beforeModel({ messages });
    equal(asked.length, 1);
    equal(report.outcome, "compacted");
    deepEqual(
      report.warnings.map(({ code, path }) => [code, path]),
      [["counter-failed", "countTokens"]],
    );
    const plain = make(estimate - 100, answer, { countTokens: undefined });
    deepEqual((await plain.compactor.beforeModel({ messages })).report, { ...report, warnings: [] });
  });

test("a counter that never settles is waited for five seconds, and then told so", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { compactor, asked } = make(estimate - 100, () => new Promise(() => {}));
  const done = compactor.beforeModel({ messages });
  while (asked.length === 0) await null;
  equal(asked[0].signal.aborted, false);
  context.mock.timers.tick(5_001);
  const { report } = await done;
  equal(asked[0].signal.aborted, true);
  equal(report.outcome, "compacted");
  deepEqual(
    report.warnings.map(({ code }) => code),
    ["counter-failed"],
  );
});

test("a call that is aborted while it counts rejects with the reason, and changes nothing", async () => {
  const controller = new AbortController();
  const { compactor, asked } = make(estimate - 100, () => new Promise(() => {}));
  const done = compactor.beforeModel({ messages, signal: controller.signal });
  while (asked.length === 0) await null;
  controller.abort(new Error("enough"));
  await rejects(done, /enough/);
  equal(asked[0].signal.aborted, true);
});

test("a counter that is far off is not believed at once, and one that calls the compactor harms nothing", async () => {
  const far = make(estimate - 100, async () => 12);
  const { report } = await far.compactor.beforeModel({ messages });
  equal(report.outcome, "compacted");
  const calling = make(estimate - 100, async () => {
    await calling.compactor.compact({ messages });
    return estimate - 400;
  });
  equal((await calling.compactor.beforeModel({ messages })).report.outcome, "unchanged");
});

test("messages that the host adds while the counter is asked are none of this request", async () => {
  const own = messages.slice();
  const { compactor, asked } = make(estimate - 100, async () => {
    own.push({ role: "assistant", content: "Meanwhile." });
    return estimate - 400;
  });
  const { view } = await compactor.beforeModel({ messages: own });
  equal(asked.length, 1);
  deepEqual(view, messages);
});
