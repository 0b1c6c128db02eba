// The engine traps at any depth of any call, in a wasm that was made to (trapping.mjs): that call says so, changes
// nothing, and all others give what they would have given.
import { after, test } from "node:test";
import { chat, deepEqual, equal, frozen, ok } from "./harness.mjs";
import { cases } from "./length.mjs";
import { conversation, shapes } from "./scenarios.mjs";
import { trapping } from "./trapping.mjs";

const engine = await trapping();
after(() => engine.close());
const { createCompactor, PrecisError } = engine.precis;
const { openaiChat } = engine.formats;

const SUMMARY = "- order 4711 was refunded";
const messages = frozen(chat(40));
const make = (summarize = async () => SUMMARY) =>
  createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200, summarize });
const isTrap = (error) => error instanceof PrecisError && error.code === "engine-trap";
const PLENTY = 1 << 30;

const compactor = make();
const first = await compactor.beforeModel({ messages, state: null });
const plan = compactor.plan({ messages });
const tools = conversation(shapes.openaiChat, { messages: 60, seed: 3, tools: true });
/** Each call in a compactor of its own, so that it reads everything again. */
const verbs = {
  createCompactor: async () => Object.keys(make()),
  usage: async () => make().usage({ messages, state: first.state }),
  plan: async () => make().plan({ messages }),
  "plan, with tools": async () => make().plan({ messages: tools }),
  requests: async () => make().requests({ messages }, plan),
  commit: async () => make().commit({ messages }, plan, [SUMMARY]),
  beforeModel: async () => make().beforeModel({ messages, state: null }),
  "beforeModel, with tools": async () => make().beforeModel({ messages: tools }),
  compact: async () => make().compact({ messages, state: first.state }),
  afterModel: async () => make().afterModel(first.state, { prompt_tokens: 1_000 }),
  keepFrom: async () => make().keepFrom(first.state),
};

for (const [name, verb] of Object.entries(verbs)) {
  test(`${name} traps wherever it may, and the next call is as if nothing had been`, async () => {
    const expected = await verb();
    engine.fuse.value = PLENTY;
    deepEqual(await verb(), expected);
    const entered = PLENTY - engine.fuse.value;
    ok(entered > 3, `${entered} functions`);
    const step = Math.max(1, Math.floor(entered / cases(30, 6)));
    // Not up to the very last: how much the allocator does depends on what was freed before.
    for (let left = 0; left + step <= entered; left += step) {
      const before = engine.instances;
      engine.fuse.value = left;
      let error;
      await verb().catch((thrown) => {
        error = thrown;
      });
      ok(isTrap(error), `after ${left} of ${entered}: ${error?.stack}`);
      deepEqual(await verb(), expected, `after ${left} of ${entered}`);
      equal(engine.instances, before + 1, "one new instance for one trap");
    }
  });
}

test("a compactor that was in use goes on after a trap, and calls in flight end as they would have", async () => {
  for (const left of [0, 5, 50, 500, 2_000]) {
    let open;
    const gate = new Promise((go) => {
      open = go;
    });
    const waiting = make(async () => {
      await gate;
      return SUMMARY;
    });
    const calls = [1, 2, 3].map(() => waiting.beforeModel({ messages, state: null }));
    engine.fuse.value = left;
    try {
      make().plan({ messages: tools });
      throw new Error("it did not trap");
    } catch (error) {
      ok(isTrap(error), `${left}: ${error.stack}`);
    }
    open();
    for (const prepared of await Promise.all(calls)) deepEqual(prepared, first);
    const more = [...messages, ...chat(2)];
    deepEqual(
      await waiting.beforeModel({ messages: more, state: first.state }),
      await make().beforeModel({ messages: more, state: first.state }),
    );
  }
});

test("what traps while the engine wakes and waits ends one call at most, and nothing is asked twice", async () => {
  const more = async (call, left) => {
    const asked = [];
    let open;
    const gate = new Promise((go) => {
      open = go;
    });
    const waiting = make(async ({ id }) => {
      asked.push(id);
      await gate;
      return SUMMARY;
    });
    const calls = [1, 2, 3].map(() => waiting[call]({ messages, state: null }));
    while (asked.length < 3) await new Promise((done) => setTimeout(done));
    engine.fuse.value = left;
    open();
    const ends = await Promise.allSettled(calls);
    const entered = left - engine.fuse.value;
    return { ends, asked, entered };
  };
  for (const call of ["beforeModel", "compact"]) {
    const expected = await make()[call]({ messages, state: null });
    const { entered } = await more(call, PLENTY);
    ok(entered > 100, `${entered} functions`);
    let rescued = 0;
    // Not up to the very last: how much the allocator does depends on what was freed before.
    for (let left = 0; left < entered * 0.9; left += left < cases(60, 10) ? 1 : Math.floor(entered / cases(120, 20))) {
      const before = engine.instances;
      const { ends, asked } = await more(call, left);
      const failed = ends.filter(({ status }) => status === "rejected");
      ok(failed.length <= 1 && failed.every(({ reason }) => isTrap(reason)), `${left}: ${failed[0]?.reason?.stack}`);
      for (const { status, value } of ends) if (status === "fulfilled") deepEqual(value, expected, `after ${left}`);
      equal(asked.length, 3, `after ${left}`);
      deepEqual(await make()[call]({ messages, state: null }), expected, `after ${left}`);
      equal(engine.instances, before + 1, `after ${left}`);
      if (failed.length === 0) rescued += 1;
    }
    ok(rescued > 0, "a trap between the steps ends no call");
  }
});

test("a summary in rounds goes on from its round when the instance is replaced between them", async () => {
  const rounds = [];
  let breaks = false;
  const summarize = async ({ id, kind }) => {
    rounds.push(kind);
    await new Promise((done) => setTimeout(done));
    if (breaks) {
      engine.fuse.value = 5;
      try {
        make().usage({ messages });
      } catch (error) {
        ok(isTrap(error));
      }
    }
    return `- notes ${id.length}`;
  };
  const long = frozen(chat(400, 300));
  const call = { messages: long, state: null };
  const make2 = () =>
    createCompactor({
      format: openaiChat,
      contextWindow: 24_000,
      maxOutputTokens: 200,
      summarize,
      summarizer: { contextWindow: 4_000 },
    });
  const expected = await make2().beforeModel(call);
  const asked = rounds.splice(0);
  ok(asked.includes("chunk") && asked.includes("merge"), asked.join(" "));
  breaks = true;
  const events = [];
  const done = await make2().beforeModel({ ...call, onEvent: ({ type }) => events.push(type) });
  deepEqual(done, expected);
  deepEqual(rounds, asked);
  equal(events.filter((type) => type === "start").length, 1);
  equal(events.filter((type) => type === "done").length, 1);
});
