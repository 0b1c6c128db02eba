// Summaries made elsewhere: in a queue, by another process, ahead of time. Every commit leaves a view that fits, whatever
// has come of the questions so far.
import { createCompactor, PrecisError, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { chat, deepEqual, equal, frozen, ok, test, throws } from "./harness.mjs";

const NOTES = "- Order 4711 was refunded.";
const make = (more = {}) =>
  createCompactor({ format: openaiChat, contextWindow: 4_000, maxOutputTokens: 300, ...more });
/** What a database does to a value. */
const stored = (value) => JSON.parse(JSON.stringify(value));

function legal({ view, report }, messages) {
  deepEqual(check(openaiChat, view), []);
  equal(view.at(-1), messages.at(-1));
  ok(report.after.tokens + report.after.bound < report.after.trigger, report.reason);
}

test("rounds may be done by one process each, and nothing is asked twice", () => {
  const messages = frozen(chat(150, 400));
  const small = { summarizer: { contextWindow: 3_000 } };
  let plan = make(small).plan({ messages });
  let state = null;
  const asked = [];
  const kinds = [];
  for (let round = 0; plan; round++) {
    ok(round < 12);
    const call = { messages, state };
    const requests = make(small).requests(call, stored(plan));
    deepEqual(
      requests.map(({ id, kind, maxOutputTokens }) => ({ id, kind, maxOutputTokens })),
      plan.requests,
    );
    for (const { id, kind } of requests) {
      asked.push(id);
      kinds.push(kind);
    }
    // The first answer of the first round is rubbish.
    const answers = requests.map((_, at) => (round === 0 && at === 0 ? "" : NOTES));
    const done = make(small).commit(call, stored(plan), stored(answers));
    legal(done, messages);
    state = stored(done.state);
    plan = done.next;
  }
  equal(new Set(asked).size, asked.length);
  deepEqual([...new Set(kinds)], ["chunk", "correction", "merge"]);
  equal(kinds.filter((kind) => kind === "correction").length, 1);
  ok(summaryOf(state).startsWith(NOTES));
  // What the state holds is the summary; the notes are gone.
  equal(JSON.stringify(state).split(NOTES).length, 2);
});

test("without answers, with too few, with errors: the digest", () => {
  const messages = frozen(chat(150, 400));
  const compactor = make({ summarizer: { contextWindow: 3_000 } });
  const plan = compactor.plan({ messages });
  ok(plan.requests.length > 2);
  const error = { error: new Error("overloaded") };
  for (const answers of [undefined, [], [NOTES], plan.requests.map(() => error), plan.requests.map(() => "")]) {
    let done = compactor.commit({ messages }, plan, answers);
    legal(done, messages);
    for (let round = 0; done.next; round++) {
      ok(round < 3);
      done = compactor.commit(
        { messages, state: done.state },
        done.next,
        done.next.requests.map(() => error),
      );
      legal(done, messages);
    }
    ok(summaryOf(done.state).startsWith("Condensed by code"));
  }
});

/** A chat that has just crossed its soft mark, and the plan that it makes then. */
function crossing(compactor) {
  const messages = chat(200, 300);
  for (let count = 4; ; count++) {
    const call = { messages: messages.slice(0, count), threshold: "soft" };
    const plan = compactor.plan(call);
    if (plan.requests.length) return { messages, count, plan, requests: compactor.requests(call, plan) };
  }
}

test("while a summary is in flight nobody is asked, and it takes the place of what code wrote meanwhile", async () => {
  let waited = 0;
  const summarize = () => {
    waited += 1;
    return NOTES;
  };
  const compactor = make({ summarize });
  const { messages, count, plan } = crossing(compactor);
  let state = null;
  let digests = 0;
  let last;
  for (let more = 0; more < 14; more++) {
    last = messages.slice(0, count + more);
    const prepared = await compactor.beforeModel({ messages: last, state, inFlight: stored(plan) });
    legal(prepared, last);
    digests += Number(prepared.report.rung === "digest");
    state = prepared.state;
    // Nor does another look ahead begin a second one.
    deepEqual(compactor.plan({ messages: last, state, inFlight: plan, threshold: "soft" }).requests, []);
  }
  equal(waited, 0);
  ok(digests > 0);
  ok(summaryOf(state).startsWith("Condensed by code"));
  const done = compactor.commit({ messages: last, state }, plan, [NOTES]);
  legal(done, last);
  equal(done.report.rung, "summarize");
  ok(summaryOf(done.state).startsWith(NOTES));
  equal(done.state.checkpoints.length, 1);
  // The same answer once more comes too late.
  const again = compactor.commit({ messages: last, state: done.state }, plan, [NOTES]);
  ok(again.report.warnings.some(({ code }) => code === "stale-plan"));
  deepEqual(again.view, done.view);
});

test("a summary ahead of time that never comes leaves everything as it is", () => {
  const compactor = make({ summarize: () => NOTES });
  const { messages, count, plan } = crossing(compactor);
  const call = { messages: messages.slice(0, count) };
  let done = compactor.commit(call, plan, [{ error: "down" }]);
  equal(done.next, undefined);
  equal(done.changed, false);
  equal(done.report.rung, "pass");
  done = compactor.commit(call, plan, [""]);
  equal(done.changed, false);
  equal(done.next.requests[0].kind, "correction");
  const corrected = compactor.commit({ ...call, state: done.state }, done.next, [NOTES]);
  ok(summaryOf(corrected.state).startsWith(NOTES));
});

test("what was sent still waits for its usage while a summary is made ahead of time", () => {
  const compactor = make({ summarize: () => NOTES });
  const { messages, count, plan } = crossing(compactor);
  const sent = compactor.commit(
    { messages: messages.slice(0, count) },
    compactor.plan({ messages: messages.slice(0, count) }),
  );
  const ahead = compactor.commit({ messages: messages.slice(0, count), state: sent.state }, plan, [NOTES]);
  deepEqual(ahead.state.pending, sent.state.pending);
  const usage = { prompt_tokens: Math.round(sent.report.after.tokens * 1.1) };
  const learned = compactor.afterModel(ahead.state, usage, sent.report.request);
  ok(learned.calibration && learned.pending === undefined);
});

test("a plan in flight for a history that was edited is not waited for", async () => {
  let asked = 0;
  const compactor = make({
    summarize: () => {
      asked += 1;
      return NOTES;
    },
  });
  const { messages, count, plan } = crossing(compactor);
  const edited = frozen([{ role: "user", content: "Something else." }, ...messages.slice(1, count + 20)]);
  const { report } = await compactor.beforeModel({ messages: edited, inFlight: plan });
  equal(report.rung, "summarize");
  ok(asked > 0);
});

test("what is in flight must be a plan", () => {
  const messages = chat(4);
  for (const inFlight of [5, "plan", {}, { version: 7 }, []])
    throws(
      () => make().plan({ messages, inFlight }),
      (error) => error instanceof PrecisError && error.code === "invalid-plan" && error.path === "inFlight",
    );
});
