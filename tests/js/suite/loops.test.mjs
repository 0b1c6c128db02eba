// A host may keep the history, or carry on with the view it was given: both send the same bytes.
import { createCompactor, summaryOf } from "precis";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";
import { cases, combinations } from "./length.mjs";
import { conversation, digesting, requestsOf, sameText, shapes } from "./scenarios.mjs";
import { twins } from "./twins.mjs";

const STEPS = cases(60, 24);
const stored = (state) => JSON.parse(JSON.stringify(state));

/** The requests of an agent in both ways. Returns how often something was compacted, and how many requests were compared. */
async function run(history, options) {
  const compactor = createCompactor(options);
  const steps = requestsOf(history).slice(0, STEPS);
  equal(steps.length, STEPS);
  const mayDiffer = twins();
  let states = [null, null];
  let given = [];
  let seen = 0;
  let [compactions, compared] = [0, 0];
  for (const at of steps) {
    given = [...given, ...history.slice(seen, at)];
    seen = at;
    const before = states[0];
    const both = [];
    for (const [way, messages] of [history.slice(0, at), given].entries()) {
      const { view, report, state } = await compactor.beforeModel({ messages, state: states[way] });
      const isView = way === 1 && typeof summaryOf(states[way]) === "string";
      equal(
        report.warnings.some(({ code }) => code === "is-a-view"),
        isView,
        `is-a-view at message ${at}`,
      );
      equal(report.diverged, null);
      deepEqual(check(options.format, view), []);
      const usage = { prompt_tokens: Math.round(report.after.raw * 1.3) + 150, completion_tokens: 40 };
      both.push({ view, report, state: stored(compactor.afterModel(state, usage, report.request)) });
    }
    const [raw, fed] = both;
    compactions += Number(raw.report.outcome === "compacted");
    if (mayDiffer(before, [raw.state, fed.state], [raw.report, fed.report])) {
      states = [raw.state, raw.state];
      given = raw.view;
      continue;
    }
    compared += 1;
    sameText(JSON.stringify(fed.view), JSON.stringify(raw.view), `request at message ${at}`);
    equal(fed.report.outcome, raw.report.outcome);
    states = [raw.state, fed.state];
    given = fed.view;
  }
  return { compactions, compared };
}

/** Answers by what people and the model said: a result that was cleared before is seen by a raw loop alone. */
const listening = async ({ prompt, ...request }) =>
  digesting({ ...request, prompt: prompt.match(/^(?:user|assistant)\b.*#\d+#/gm).join("\n") });

const loads = {
  "plain chat": { script: { messages: 124, size: 400 }, summarize: digesting },
  "small tool loops": {
    script: { messages: 190, size: 90, giants: 0, tools: true },
    window: 2_500,
    summarize: digesting,
  },
  "one long turn": {
    script: { messages: 130, size: 90, giants: 0, rounds: 70, tools: true },
    window: 2_500,
    summarize: digesting,
  },
  "tool loops": { script: { messages: 190, size: 500, tools: true }, summarize: listening },
};

for (const [[name, shape], strategy, [load, { script, window = 6_000, summarize }], asked] of combinations(
  Object.entries(shapes),
  ["tail", "full", "sliding-window"],
  Object.entries(loads),
  [true, false],
)) {
  test(`${name}, ${strategy}, ${load}, ${asked ? "a" : "no"} summarizer: the raw and the fed-back loop send the same`, async () => {
    const history = frozen(conversation(shape, { ...script, seed: 7 }));
    const options = {
      format: shape.format,
      contextWindow: window,
      maxOutputTokens: 500,
      ...(asked ? { summarize } : {}),
      tune: { strategy },
    };
    const { compactions, compared } = await run(history, options);
    ok(compactions >= cases(3, 1), `${compactions} compactions`);
    ok(compared >= STEPS / 2, `${compared} of ${STEPS} requests compared`);
  });
}
