// The engine breaks: it should never happen, and when it does one call fails and all others go on.
import { createCompactor, PrecisError } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, ok, rejects, test, wait } from "./harness.mjs";

const SUMMARY = "- order 4711 was refunded";
const messages = frozen(chat(40));
const make = (summarize) =>
  createCompactor({ format: openaiChat, contextWindow: 3_000, maxOutputTokens: 200, summarize });

/** Calls `work` again and again with a little more of the stack left, from none at all up to enough. */
function starve(work) {
  const errors = [];
  let worked = 0;
  const dive = () => {
    try {
      dive();
    } catch {}
    if (worked > 3) return;
    try {
      work();
      worked += 1;
    } catch (error) {
      errors.push(error);
    }
  };
  dive();
  ok(errors.length > 0 && worked > 3, `${errors.length} errors, ${worked} answers`);
  for (const error of errors)
    ok(error instanceof RangeError || (error instanceof PrecisError && error.code === "engine-trap"), String(error));
}

test("calls that run out of stack leave the engine as it was for the next", async () => {
  const compactor = make(async () => SUMMARY);
  const before = await compactor.beforeModel({ messages, state: null });
  const plan = compactor.plan({ messages });
  for (const work of [
    () => compactor.plan({ messages, state: before.state }),
    () => compactor.commit({ messages }, plan, [SUMMARY]),
    () => compactor.usage({ messages: chat(40, 4_000) }),
    () => compactor.afterModel(before.state, { prompt_tokens: 1_000 }),
  ]) {
    starve(work);
    deepEqual(await compactor.beforeModel({ messages, state: null }), before);
    deepEqual(compactor.plan({ messages }), plan);
  }
});

test("calls in flight go on when another breaks the engine, and nothing is asked twice", async () => {
  let asked = 0;
  let release;
  const gate = new Promise((open) => {
    release = open;
  });
  const compactor = make(async () => {
    asked += 1;
    await gate;
    return SUMMARY;
  });
  const before = await make(async () => SUMMARY).beforeModel({ messages, state: null });
  const calls = [1, 2, 3].map(() => compactor.beforeModel({ messages, state: null }));
  await wait(10);
  equal(asked, 3);
  starve(() => compactor.usage({ messages, state: before.state }));
  await wait(10);
  release();
  for (const prepared of await Promise.all(calls)) deepEqual(prepared, before);
  equal(asked, 3);
});

test("what a format throws is the format's, even if it looks like a trap", async () => {
  const mine = new RangeError("Invalid array length");
  const format = {
    ...openaiChat,
    summary() {
      throw mine;
    },
  };
  const compactor = createCompactor({ format, contextWindow: 3_000, maxOutputTokens: 200 });
  await rejects(compactor.beforeModel({ messages, state: null }), (error) => error === mine);
});

test("a call that is cancelled rejects with the reason, even one that looks like a trap or like an error of the engine", async () => {
  for (const reason of [new RangeError("no more"), { code: "invalid-call", advice: "mine" }, "enough", undefined]) {
    const cancel = new AbortController();
    const compactor = make(() => new Promise(() => {}));
    const later = async () => {
      await wait(20);
      return SUMMARY;
    };
    const other = make(later).beforeModel({ messages, state: null });
    const call = compactor.beforeModel({ messages, state: null, signal: cancel.signal });
    await wait(5);
    cancel.abort(reason);
    await rejects(call, (error) => error === cancel.signal.reason);
    equal((await other).report.rung, "summarize");
  }
});
