// Many chats at once through one instance of the engine: none feels the others.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { deepEqual, equal, frozen, notEqual, ok, test, wait } from "./harness.mjs";
import { cases } from "./length.mjs";
import { conversation, fingerprint, random, shapes } from "./scenarios.mjs";

const tunings = [
  { strategy: "tail" },
  { strategy: "full" },
  { strategy: "sliding-window" },
  { preset: "contextguard" },
];
const WINDOW = 2_500;
/** On a busy machine many chats wait longer for each other than a summarizer may take. */
const patient = { timeoutMs: 3_600_000 };
const make = (tune, summarize) =>
  createCompactor({
    ...{ format: openaiChat, contextWindow: WINDOW, maxOutputTokens: 200 },
    ...{ summarize, summarizer: patient, tune },
  });

async function* stream(text) {
  for (const word of text.split(" ")) yield `${word} `;
  yield { finishReason: "stop" };
}

/** Answers by what is asked alone: mostly well, now and then badly, and in every form. */
function answer({ prompt }) {
  const mood = fingerprint(prompt);
  const text = `- summary ${mood} of ${prompt.length} characters`;
  if (mood % 9 === 0) throw new Error(`overloaded ${mood}`);
  if (mood % 9 === 1) return { text, finishReason: "length" };
  if (mood % 9 === 2) return stream(text);
  if (mood % 9 === 3) return { text, finishReason: "stop", usage: { prompt_tokens: mood % 1000 } };
  return text;
}

/** Holds whoever waits for `turn()`, and lets them go in an order drawn from `seed` while `work` is not done. */
function juggler(seed) {
  const next = random(seed);
  const waiting = [];
  return {
    turn: () => new Promise((go) => waiting.push(go)),
    async run(work) {
      let busy = true;
      const results = Promise.all(work).finally(() => {
        busy = false;
      });
      results.catch(() => {});
      while (busy) {
        await wait(0);
        for (let i = waiting.length - 1; i > 0; i--) {
          const j = Math.floor(next() * (i + 1));
          [waiting[i], waiting[j]] = [waiting[j], waiting[i]];
        }
        for (const go of waiting.splice(0, Math.ceil(waiting.length * next()))) go();
      }
      return results;
    },
  };
}

/** One chat, request by request, as JSON of all it was answered. */
async function talk(compactor, turns) {
  const told = [];
  let state = null;
  for (const messages of turns) {
    const { view, report, changed, ...prepared } = await compactor.beforeModel({ messages, state });
    told.push(JSON.stringify([view, prepared.state, report, changed]));
    const usage = { prompt_tokens: 7 + Math.round(report.after.tokens * 0.9), completion_tokens: 20 };
    state = compactor.afterModel(prepared.state, usage, report.request);
    // A chat of its own keeps its state in a database.
    if (messages.length % 3 === 0) state = JSON.parse(JSON.stringify(state));
  }
  return told;
}

/** Programs have constants: many chats begin with the very same objects. */
const opening = frozen([
  { role: "system", content: "You are a helpful assistant for orders, customers and invoices." },
  { role: "assistant", content: "Hello! How can I help you?" },
]);

const chats = Array.from({ length: cases(1_000, 40) }, (_, number) => {
  const script = { messages: 30 + (number % 9), seed: number + 1, size: 260 + (number % 50), tools: number % 5 === 0 };
  const own = conversation(shapes.openaiChat, script);
  const history = frozen(number % 3 === 0 ? [...opening, ...own] : own);
  const ends = [0.55, 0.8, 1].map((part) => Math.floor(history.length * part));
  return { turns: ends.map((end) => history.slice(0, end)), tune: tunings[number % tunings.length] };
});

test("many interleaved chats give what they give one after another", async () => {
  const { turn, run } = juggler(42);
  const answered = [];
  const late = async (request) => {
    await turn();
    answered.push(request.id);
    return answer(request);
  };
  const shared = new Map(tunings.map((tune) => [tune, make(tune, late)]));
  const together = await run(chats.map(({ turns, tune }) => talk(shared.get(tune), turns)));

  const inOrder = [];
  const prompt = (request) => {
    inOrder.push(request.id);
    return answer(request);
  };
  const own = new Map(tunings.map((tune) => [tune, make(tune, prompt)]));
  let compactions = 0;
  for (const [number, { turns, tune }] of chats.entries()) {
    const alone = await talk(own.get(tune), turns);
    for (const [step, told] of alone.entries()) {
      equal(together[number][step], told, `chat ${number}, request ${step}`);
      compactions += Number(told.includes('"outcome":"compacted"'));
    }
  }
  // They did wait for one another, in another order.
  ok(compactions > 1.5 * chats.length, `${compactions} compactions`);
  deepEqual(answered.slice().sort(), inOrder.slice().sort());
  notEqual(answered.join(), inOrder.join());
});

for (const tune of tunings) {
  const name = tune.strategy ?? tune.preset;
  const history = frozen(conversation(shapes.openaiChat, { messages: 90, seed: 3, tools: true }));

  test(`${name}: calls at once from one state give the same, whichever is answered first`, async () => {
    const { turn, run } = juggler(5);
    const compactor = make(tune, async (request) => {
      await turn();
      return `- summary ${fingerprint(request.prompt)}`;
    });
    const quick = make(tune, async ({ prompt }) => `- summary ${fingerprint(prompt)}`);
    const before = (await quick.beforeModel({ messages: history.slice(0, 45) })).state;
    for (const state of [null, before]) {
      const kept = JSON.stringify(state);
      const call = { messages: history, state: frozen(state) };
      const alone = await quick.beforeModel(call);
      equal(alone.report.outcome, "compacted");
      for (const prepared of await run([1, 2, 3].map(() => compactor.beforeModel(call)))) deepEqual(prepared, alone);
      equal(JSON.stringify(state), kept);
    }
  });

  test(`${name}: a chat may grow while its summary is being written`, async () => {
    const { turn, run } = juggler(6);
    const summarize = async ({ prompt }) => `- summary ${fingerprint(prompt)}`;
    const compactor = make(tune, async (request) => {
      await turn();
      return summarize(request);
    });
    const growing = history.slice(0, 60);
    const first = compactor.beforeModel({ messages: growing });
    growing.push(...history.slice(60, 75));
    const second = compactor.beforeModel({ messages: growing });
    growing.length = 3;
    const third = compactor.beforeModel({ messages: growing });
    const [one, two, three] = await run([first, second, third]);
    deepEqual(one, await make(tune, summarize).beforeModel({ messages: history.slice(0, 60) }));
    deepEqual(two, await make(tune, summarize).beforeModel({ messages: history.slice(0, 75) }));
    deepEqual(three, await make(tune, summarize).beforeModel({ messages: history.slice(0, 3) }));
  });

  test(`${name}: the summarizer may use the compactor that asks it`, async () => {
    const other = frozen(conversation(shapes.openaiChat, { messages: 40, seed: 4 }));
    const plain = async ({ prompt }) => `- summary ${fingerprint(prompt)}`;
    const expected = await make(tune, plain).beforeModel({ messages: history });
    let depth = 0;
    let inside = 0;
    const compactor = make(tune, async (request) => {
      if (depth < 2) {
        depth += 1;
        // The same chat and another one, by every method.
        const again = await compactor.beforeModel({ messages: history });
        deepEqual(again, expected);
        await compactor.compact({ messages: other });
        const call = { messages: history.slice(0, 50) };
        const plan = compactor.plan(call);
        compactor.requests(call, plan);
        const { state, report } = compactor.commit(call, plan);
        compactor.afterModel(state, { prompt_tokens: 900 }, report.request);
        ok(compactor.usage({ ...call, state }).tokens > 0);
        inside += 1;
        depth -= 1;
      }
      return plain(request);
    });
    deepEqual(await compactor.beforeModel({ messages: history }), expected);
    ok(inside > 0);
  });
}
