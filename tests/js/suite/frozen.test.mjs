// What the host owns stays as it is, and what it gets back are its own objects.
import { attributes, createCompactor, summaryOf } from "precis";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, notEqual, ok, same, test } from "./harness.mjs";
import { combinations } from "./length.mjs";
import { conversation, digesting, requestsOf, shapes } from "./scenarios.mjs";

const tunings = [
  { strategy: "tail" },
  { strategy: "full" },
  { strategy: "sliding-window" },
  { preset: "contextguard" },
];
const titled = (tune) => tune.strategy ?? tune.preset;
const make = (format, tune, more = {}) =>
  createCompactor(frozen({ format, contextWindow: 6_000, maxOutputTokens: 500, tune, ...more }));
const copy = (value) => JSON.parse(JSON.stringify(value));

for (const [[name, shape], tune] of combinations(Object.entries(shapes), tunings)) {
  const title = `${name}, ${titled(tune)}`;

  test(`${title}: every verb takes what is frozen and leaves it as it was`, async () => {
    const messages = frozen(conversation(shape, { messages: 60, size: 500, seed: 5, tools: true }));
    const before = JSON.stringify(messages);
    const call = frozen({
      messages,
      state: null,
      model: "some-model",
      maxOutputTokens: 400,
      system: [{ type: "text", text: "You are careful." }],
      tools: [{ name: "read", description: "Reads a file.", input_schema: { type: "object", properties: {} } }],
      pin: (_, index) => index === 2,
      isTyped: ({ role }) => role === "user",
      mustKeep: ["#3#"],
      todos: [{ content: "go on", status: "pending" }],
    });
    for (const summarize of [undefined, digesting, () => Promise.reject(new Error("overloaded"))]) {
      const compactor = make(shape.format, tune, { summarize });
      const plan = frozen(compactor.plan(call));
      const requests = compactor.requests(call, plan);
      const results = frozen(
        requests.map(({ prompt }) => ({ text: `- notes of ${prompt.length}`, finishReason: "stop" })),
      );
      const committed = compactor.commit(call, plan, results);
      frozen(committed.report);
      frozen(committed.state);
      const prepared = await compactor.beforeModel(call);
      const usage = frozen({ prompt_tokens: 900, completion_tokens: 30 });
      const state = frozen(compactor.afterModel(frozen(prepared.state), usage, prepared.report.request));
      const next = frozen({ ...call, state, threshold: "soft", inFlight: plan, overflow: new Error("too long") });
      for (const { view } of [committed, prepared, await compactor.beforeModel(next), await compactor.compact(next)]) {
        ok(Array.isArray(view) && !Object.isFrozen(view));
        notEqual(view, messages);
        frozen(view);
        check(shape.format, view);
      }
      ok(compactor.usage(next).tokens > 0);
      compactor.keepFrom(state);
      summaryOf(state);
      attributes(frozen(prepared.report));
    }
    equal(JSON.stringify(messages), before);
  });

  test(`${title}: what is kept are the host's own objects`, async () => {
    const messages = frozen(conversation(shape, { messages: 90, size: 500, seed: 6, tools: true }));
    const own = new Set(messages);
    const texts = new Map(messages.map((message) => [JSON.stringify(message), message]));
    const compactor = make(shape.format, tune);
    let state = null;
    let changed = 0;
    for (const at of requestsOf(messages)) {
      const input = messages.slice(0, at);
      const prepared = await compactor.beforeModel({ messages: input, state });
      const { view } = prepared;
      notEqual(view, input);
      equal(prepared.changed, !same(view, input));
      changed += Number(prepared.changed);
      for (const message of view)
        ok(own.has(message) || !texts.has(JSON.stringify(message)), "a copy was made for nothing");
      // The view is the host's from here on: whatever it does with it is not felt.
      state = prepared.state;
      view.length = 0;
      view.push("something else");
    }
    ok(changed > 5);
  });

  test(`${title}: equal states give the same made objects`, async () => {
    const messages = frozen(conversation(shape, { messages: 80, size: 500, seed: 7, tools: true }));
    const compactor = make(shape.format, tune, { summarize: digesting });
    let state = null;
    for (const at of requestsOf(messages)) {
      ({ state } = await compactor.beforeModel({ messages: messages.slice(0, at), state }));
    }
    const call = { messages, state: frozen(state) };
    const { view, changed } = await compactor.beforeModel(call);
    equal(changed, true);
    const own = new Set(messages);
    ok(view.some((message) => !own.has(message)));
    for (let turn = 0; turn < 3; turn++) {
      const again = await compactor.beforeModel({ messages: messages.slice(), state: copy(state) });
      notEqual(again.view, view);
      ok(same(again.view, view), `turn ${turn}`);
    }
    // Another compactor makes others, of the same bytes, also from a copy of the history.
    const elsewhere = await make(shape.format, tune, { summarize: digesting }).beforeModel({
      messages: copy(messages),
      state: copy(state),
    });
    deepEqual(elsewhere.view, view);
    equal(JSON.stringify(elsewhere.view), JSON.stringify(view));
  });
}

test("the view is a new array also where nothing is to be done", async () => {
  for (const { format, say } of Object.values(shapes))
    for (const tune of tunings) {
      const messages = frozen([...say("user", "Hello."), ...say("assistant", "Hello!"), ...say("user", "Bye.")]);
      const compactor = make(format, tune);
      for (const prepared of [
        await compactor.beforeModel({ messages }),
        compactor.commit({ messages }, compactor.plan({ messages })),
        await compactor.compact({ messages: [] }),
      ]) {
        notEqual(prepared.view, messages);
        ok(Array.isArray(prepared.view) && !Object.isFrozen(prepared.view));
      }
      const { view, changed } = await compactor.beforeModel({ messages });
      ok(same(view, messages) && !changed);
    }
});
