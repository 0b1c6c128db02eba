// What a plan says it will do, what a report says was done, and what that saves.
import { createCompactor, describe } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, ok, test, throws } from "./harness.mjs";
import { combinations } from "./length.mjs";
import { conversation, digesting, requestsOf, shapes } from "./scenarios.mjs";

const make = (more = {}) =>
  createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200, ...more });
const messages = frozen(chat(40));
const tunings = [
  { strategy: "tail" },
  { strategy: "full" },
  { strategy: "sliding-window" },
  { preset: "contextguard" },
];
const indices = (changes) =>
  changes
    .flatMap(({ messages }) => messages)
    .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at))
    .sort((one, other) => one - other);
const all = ({ covers, clears, clips }) => [...covers, ...clears, ...clips];

/** A chat with results of 800 and more tokens each, which all are cleared or cut before anything is covered. */
const tooled = frozen(
  Array.from({ length: 12 }, (_, at) => [
    { role: "user", content: `Read file ${at}.` },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${at}`, type: "function", function: { name: "read", arguments: `{"path":"f${at}"}` } }],
    },
    { role: "tool", tool_call_id: `c${at}`, content: `line ${at}: value\n`.repeat(200) },
    { role: "assistant", content: `File ${at} is read.` },
  ]).flat(),
);

for (const [tune, summarize] of combinations(tunings, [undefined, digesting])) {
  const name = `${tune.strategy ?? tune.preset}, ${summarize ? "with" : "without"} a summarizer`;
  test(`${name}: a plan names the messages that its commit takes out of the view or changes`, async () => {
    const compactor = make({ tune, summarize });
    const history = frozen(conversation(shapes.openaiChat, { messages: 110, size: 400, seed: 17, tools: true }));
    let [state, seen] = [null, 0];
    for (const at of requestsOf(history)) {
      const call = { messages: history.slice(0, at), state };
      const earlier = await make({ tune, contextWindow: 1_000_000 }).beforeModel(call);
      const shown = new Set(earlier.view);
      const plan = compactor.plan(call);
      const answers = compactor.requests(call, plan).map((request) => digesting(request));
      const done = compactor.commit(call, plan, answers.length ? await Promise.all(answers) : undefined);
      equal(plan.report.keepFrom, done.report.keepFrom, `keepFrom before message ${at}`);
      equal(done.report.keepFrom, compactor.keepFrom(done.state).index);
      if (done.report.rung === "pass") {
        deepEqual(all(plan), []);
        deepEqual(plan.report.changes, []);
        deepEqual(done.report.changes, []);
      } else {
        seen += 1;
        const view = new Set(done.view);
        // What was shown as it is and is shown no more: all of it is named, and nothing else that was shown so.
        const gone = [...history.keys()].filter((index) => shown.has(history[index]) && !view.has(history[index]));
        if (answers.length === 0) {
          deepEqual(all(plan), plan.report.changes);
          deepEqual(plan.report, done.report);
          const named = new Set(indices(all(plan)));
          for (const index of gone) ok(named.has(index), `message ${index} is not named before ${at}`);
        } else if (done.report.changes.length === 1) {
          deepEqual(indices(plan.covers), indices(done.report.changes), `before message ${at}`);
          equal(plan.covers[0].tokens, done.report.changes[0].tokens);
          const named = new Set(indices(plan.covers));
          for (const index of gone) ok(named.has(index), `message ${index} is not named before ${at}`);
        }
        for (const change of done.report.changes) {
          equal(indices([change]).length, change.count);
          for (const index of indices([change])) ok(index < at && !view.has(history[index]), `message ${index}`);
        }
      }
      deepEqual(JSON.parse(JSON.stringify(plan)), plan);
      state = done.state;
    }
    ok(seen >= 2, `${seen}`);
  });
}

test("what is cleared and what is clipped is named, with the rung and what it gains", async () => {
  const compactor = make({ contextWindow: 12_000 });
  const plan = compactor.plan({ messages: tooled });
  const changes = [...plan.clears, ...plan.clips];
  ok(changes.length > 0 && plan.covers.length === 0, JSON.stringify(plan));
  for (const { rung, after, tokens, action } of changes) {
    ok(after < tokens);
    ok(["clip", "clear"].includes(rung), rung);
    equal(action === "clear" ? "clear" : "clip", action);
  }
  for (const index of indices(changes)) equal(tooled[index].role === "tool" || index % 4 === 1, true);
  const { report, view } = await compactor.beforeModel({ messages: tooled });
  deepEqual(report, plan.report);
  for (const index of indices(changes)) ok(view[index] !== tooled[index]);
  for (const index of tooled.keys()) if (!indices(changes).includes(index)) equal(view[index], tooled[index]);
  const gained = changes.reduce((sum, { tokens, after }) => sum + tokens - after, 0);
  ok(Math.abs(report.before.tokens - report.after.tokens - gained) <= changes.length * 2);
  ok(Math.abs(report.saved - gained) <= changes.length * 2, `${report.saved} and ${gained}`);
});

test("a plan stays small whatever it covers", () => {
  const plan = make({ summarize: digesting }).plan({ messages: chat(2_000) });
  ok(plan.covers[0].count > 1_900);
  ok(JSON.stringify(plan).length < 12_000, `${JSON.stringify(plan).length}`);
});

for (const tune of tunings)
  test(`${tune.strategy ?? tune.preset}: saved is what the whole history would take, less the view`, async () => {
    const compactor = make({ tune });
    const whole = make({ contextWindow: 1_000_000 });
    const history = frozen(conversation(shapes.openaiChat, { messages: 110, size: 400, seed: 17, tools: true }));
    let state = null;
    let saving = 0;
    for (const at of requestsOf(history)) {
      const call = { messages: history.slice(0, at), state };
      const { report, state: next } = await compactor.beforeModel(call);
      const full = whole.usage({ messages: call.messages });
      const expected = Math.max(0, full.raw - report.after.raw);
      // The estimate of what is not sent goes by the slope of what is.
      if (tune.preset === undefined)
        ok(
          Math.abs(report.saved - expected) <= 1 + expected / 50,
          `${report.saved} of ${expected} before message ${at}`,
        );
      if (report.outcome === "unchanged") equal(report.saved, 0);
      saving = report.saved;
      state = next;
    }
    ok(saving > 1_000, `${saving}`);
  });

test("saved is the same for a host that loads from keepFrom on, and on the fast path", async () => {
  const whole = make();
  const partly = make();
  const history = frozen(conversation(shapes.openaiChat, { messages: 110, size: 400, seed: 17 }));
  let [one, other] = [null, null];
  let compared = 0;
  for (const at of requestsOf(history)) {
    const first = await whole.beforeModel({ messages: history.slice(0, at), state: one });
    const offset = partly.keepFrom(other).index;
    const second = await partly.beforeModel({ messages: history.slice(offset, at), offset, state: other });
    const third = await make().beforeModel({ messages: history.slice(0, at), state: one });
    equal(second.report.saved, first.report.saved, `before message ${at}`);
    deepEqual(third.report, first.report);
    if (first.report.rung === "pass" && first.report.saved > 0) compared += 1;
    [one, other] = [first.state, second.state];
  }
  ok(compared >= 3, `${compared}`);
});

test("a view that is given back as history has saved as much", async () => {
  const compactor = make();
  const { view, state, report } = await compactor.beforeModel({ messages });
  const again = await compactor.beforeModel({ messages: view, state });
  ok(report.saved > 0);
  equal(again.report.saved, report.saved);
});

test("describe says in plain words what a plan will do", () => {
  const few = make().plan({ messages: messages.slice(0, 3) });
  equal(describe(few), few.report.reason);

  const asking = make({ summarize: digesting, summarizer: { contextWindow: 64_000 } }).plan({ messages });
  const said = describe(asking);
  ok(said.startsWith(asking.report.reason), said);
  const { count, messages: runs, rung } = asking.covers[0];
  ok(said.includes(`${count} messages (${runs[0].from} to ${runs[0].to - 1})`), said);
  ok(said.includes(`(${rung})`) && said.includes("The summarizer is called once."), said);
  ok(said.includes(`The request will then have about ${asking.report.after.tokens} tokens.`), said);

  const pieces = make({ summarize: digesting }).plan({ messages: chat(400) });
  ok(/The summarizer is called up to \d+ times/.test(describe(pieces)), describe(pieces));

  const edits = describe(make({ contextWindow: 12_000 }).plan({ messages: tooled }));
  ok(/replaced by placeholders|are cut/.test(edits), edits);
  for (const text of [said, edits, describe(pieces)]) {
    ok(!/undefined|null|NaN|order 47/.test(text), text);
    for (const sentence of text.split(/(?<=\.) /)) ok(/^[A-Z].*\.$/.test(sentence), sentence);
  }
});

test("describe says what a report says was done", async () => {
  const { report } = await make().beforeModel({ messages });
  const said = describe(report);
  ok(
    said.startsWith(report.reason) && said.includes(`Without compaction it would have about ${report.saved} more.`),
    said,
  );
  ok(!/will/.test(said), said);
});

test("describe refuses what is neither a plan nor a report", () => {
  for (const given of [null, undefined, {}, [], "plan", 1, { report: {} }, { report: { reason: 1 } }])
    throws(() => describe(given), { name: "PrecisError", code: "invalid-plan", path: "plan" });
});

test("every rung is told with start and done, whoever takes it; nothing to do is not", async () => {
  const rungs = new Set();
  for (const contextWindow of [2_000, 3_000, 6_000, 12_000, 40_000])
    for (const history of [tooled, messages, [{ role: "user", content: "word ".repeat(9_000) }]]) {
      const events = [];
      const compactor = make({ contextWindow, onEvent: (event) => events.push(event) });
      const { report, state } = await compactor.beforeModel({ messages: history });
      if (report.changes.length === 0) {
        deepEqual(events, []);
        continue;
      }
      deepEqual(
        events.map(({ type }) => type),
        ["start", "done"],
      );
      deepEqual(events[1].report, report);
      for (const { rung } of report.changes) rungs.add(rung);
      events.length = 0;
      const again = await compactor.beforeModel({ messages: history, state });
      deepEqual([again.report.changes, events], [[], []]);
    }
  for (const rung of ["clear", "digest", "clip-all"]) ok(rungs.has(rung), [...rungs].join());
});
