// A host may keep the history, or carry on with the view it was given: both send the same bytes.
import { createCompactor, summaryOf } from "precis";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { conversation, digesting, requestsOf, sameText, shapes } from "./scenarios.mjs";

const STEPS = cases(60, 24);
const stored = (state) => JSON.parse(JSON.stringify(state));

/** The requests of an agent: all views, as they are sent, and how often something was compacted. */
async function run(history, options, isFedBack) {
  const compactor = createCompactor(options);
  const steps = requestsOf(history).slice(0, STEPS);
  equal(steps.length, STEPS);
  const sent = [];
  let state = null;
  let given = [];
  let seen = 0;
  let compactions = 0;
  for (const at of steps) {
    given = isFedBack ? [...given, ...history.slice(seen, at)] : history.slice(0, at);
    seen = at;
    const { view, report, ...prepared } = await compactor.beforeModel({ messages: given, state });
    const begins = isFedBack && typeof summaryOf(state) === "string";
    equal(
      report.warnings.some(({ code }) => code === "is-a-view"),
      begins,
      `is-a-view at message ${at}`,
    );
    equal(report.diverged, null);
    deepEqual(check(options.format, view), []);
    sent.push(JSON.stringify(view));
    compactions += Number(report.outcome === "compacted");
    const usage = { prompt_tokens: Math.round(report.after.raw * 1.3) + 150, completion_tokens: 40 };
    state = stored(compactor.afterModel(prepared.state, usage, report.request));
    if (isFedBack) given = view;
  }
  return { sent, compactions };
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

for (const [name, shape] of Object.entries(shapes))
  for (const strategy of ["tail", "full", "sliding-window"])
    for (const [load, { script, window = 6_000, summarize }] of Object.entries(loads))
      for (const asked of [true, false]) {
        test(`${name}, ${strategy}, ${load}, ${asked ? "a" : "no"} summarizer: the raw and the fed-back loop send the same`, async () => {
          const history = frozen(conversation(shape, { ...script, seed: 7 }));
          const options = {
            format: shape.format,
            contextWindow: window,
            maxOutputTokens: 500,
            ...(asked ? { summarize } : {}),
            tune: { strategy },
          };
          const raw = await run(history, options, false);
          const fed = await run(history, options, true);
          ok(raw.compactions >= cases(3, 1), `${raw.compactions} compactions`);
          for (let step = 0; step < STEPS; step++) sameText(fed.sent[step], raw.sent[step], `request ${step}`);
          equal(fed.compactions, raw.compactions);
        });
      }
