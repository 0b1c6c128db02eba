// A long history is read in slices: others have their turn meanwhile, and what comes of it is the same.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, ok, rejects, same, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { conversation, everyShape } from "./scenarios.mjs";

const make = (format, slice, more = {}) =>
  createCompactor({ format, contextWindow: 3_000, maxOutputTokens: 200, tune: { slice }, ...more });
const long = (count = 3_000) =>
  Array.from({ length: count }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `message ${i}: ${"of which little is known; ".repeat(10)}`,
  }));

/**
 * Without what some runtimes lack and one ranks above messages: there `scheduler.yield` goes on before others of its kind.
 * Does nothing where nothing but timers gives way.
 */
async function givingWay(work) {
  if (typeof MessageChannel !== "function") return;
  const had = Object.getOwnPropertyDescriptor(globalThis, "scheduler");
  Object.defineProperty(globalThis, "scheduler", { value: undefined, configurable: true, writable: true });
  try {
    await work();
  } finally {
    if (had) Object.defineProperty(globalThis, "scheduler", had);
    else delete globalThis.scheduler;
  }
}

/** Counts the turns that others have until it is told to end. */
function others() {
  let [turns, goesOn] = [0, true];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    turns += 1;
    if (goesOn) port2.postMessage(null);
    else port1.close();
  };
  port2.postMessage(null);
  return () => {
    goesOn = false;
    return turns;
  };
}

for (const [name, shape] of Object.entries(everyShape)) {
  const { format } = shape;
  test(`${name}: sliced and unsliced are the same to the byte`, async () => {
    for (let seed = 1; seed <= cases(6, 2); seed++) {
      const messages = conversation(shape, { messages: 300, size: 200, seed, tools: seed % 2 === 0 });
      for (const summarize of [undefined, async () => "- what was said"]) {
        const one = await make(format, 1, { summarize }).beforeModel({ messages, state: null });
        const other = await make(format, 0, { summarize }).beforeModel({ messages, state: null });
        equal(JSON.stringify(one), JSON.stringify(other));
        equal(one.report.outcome, "compacted");
        const kept = one.view.map((message) => messages.indexOf(message));
        deepEqual(
          kept,
          other.view.map((message) => messages.indexOf(message)),
          "the same objects",
        );
      }
    }
  });
}

test("others have their turn while a long history is read, and not where slices are off", () => givingWay(takeTurns));

async function takeTurns() {
  for (const [slice, least, most] of [
    [1, 2, Number.POSITIVE_INFINITY],
    [0, 0, 0],
  ]) {
    const compactor = make(openaiChat, slice);
    const end = others();
    await compactor.beforeModel({ messages: long() });
    const turns = end();
    ok(turns >= least && turns <= most, `slice ${slice}: ${turns} turns`);
  }
}

test("what was read once is not sliced again", async () => {
  const compactor = make(openaiChat, 1, { contextWindow: 1e9 });
  const messages = long();
  await compactor.beforeModel({ messages });
  await givingWay(() => rest(compactor, messages));
});

async function rest(compactor, messages) {
  const end = others();
  await compactor.beforeModel({ messages: [...messages, { role: "user", content: "And now?" }] });
  equal(end(), 0);
}

test("a call that is cancelled between two slices rejects, and nothing is lost", async () => {
  const compactor = make(openaiChat, 1);
  const messages = long();
  const controller = new AbortController();
  const call = compactor.beforeModel({ messages, signal: controller.signal });
  controller.abort(new Error("mine"));
  await rejects(call, /mine/);
  const [one, other] = [compactor, make(openaiChat, 0)];
  deepEqual(await one.beforeModel({ messages, state: null }), await other.beforeModel({ messages, state: null }));
});

test("what the host adds or takes away meanwhile belongs to the next call", async () => {
  for (const messages of [long(40), long()]) {
    const given = messages.slice();
    const call = make(openaiChat, 1).beforeModel({ messages: given, state: null });
    given.length = 10;
    given.push({ role: "user", content: "Something else." });
    deepEqual(await call, await make(openaiChat, 0).beforeModel({ messages, state: null }));
  }
});

test("a text that changes meanwhile is decided as it stands at the end", async () => {
  const [messages, changed] = [long(), long()];
  for (const at of [0, 1_500, 2_999]) changed[at].content = `changed ${at}`;
  const call = make(openaiChat, 1).beforeModel({ messages, state: null });
  for (const at of [0, 1_500, 2_999]) messages[at].content = `changed ${at}`;
  const { view, report, state } = await call;
  const other = await make(openaiChat, 0).beforeModel({ messages: changed, state: null });
  deepEqual({ view, report, state }, { view: other.view, report: other.report, state: other.state });
});

test("two calls that are sliced at once do not disturb each other", async () => {
  const compactor = make(openaiChat, 1);
  const chats = [long(), long().slice(100), long().map((message) => ({ ...message, content: `${message.content}!` }))];
  const all = await Promise.all(chats.map((messages) => compactor.beforeModel({ messages, state: null })));
  for (const [at, messages] of chats.entries())
    deepEqual(all[at], await make(openaiChat, 0).beforeModel({ messages, state: null }));
});

test("a page in the background is not held up: no timer is waited for", async () => {
  // Without these there is nothing but timers, and no page.
  if (typeof MessageChannel !== "function" && typeof setImmediate !== "function") return;
  const { setTimeout } = globalThis;
  globalThis.setTimeout = () => 0;
  try {
    ok((await make(openaiChat, 1).beforeModel({ messages: long() })).changed);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

test("what is wrong with messages is refused as ever", async () => {
  const holed = long();
  holed[2_000] = null;
  const unreadable = long();
  unreadable[2_500] = {
    role: "user",
    content: [
      {
        type: "text",
        get text() {
          throw new Error("mine");
        },
      },
    ],
  };
  for (const messages of [holed, unreadable, {}, "text"]) {
    const errors = [];
    for (const slice of [1, 0])
      await make(openaiChat, slice)
        .beforeModel({ messages, state: null })
        .then(
          ({ view }) => errors.push(view.length),
          ({ code, path }) => errors.push([code, path]),
        );
    deepEqual(errors[0], errors[1]);
  }
});

test("in a page slices are on, and an own number holds everywhere", async () => {
  const had = "document" in globalThis;
  if (!had) globalThis.document = {};
  try {
    await givingWay(async () => {
      const compactor = createCompactor({ format: openaiChat, contextWindow: 1e9 });
      const end = others();
      const messages = long(6_000);
      const { view } = await compactor.beforeModel({ messages });
      ok(end() >= 1);
      ok(same(view, messages));
    });
  } finally {
    if (!had) delete globalThis.document;
  }
  for (const slice of [-1, 1.5, 1_001, "12"]) {
    let path;
    try {
      make(openaiChat, slice);
    } catch (error) {
      ({ path } = error);
    }
    equal(path, "tune.slice", String(slice));
  }
});
