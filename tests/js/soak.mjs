// npm run soak: many chats through one compactor, with everything going wrong that can go wrong around it. Each view is
// judged by rules of our own (soak/judge.mjs), which know nothing of the engine; memory must stay flat. Prints figures; exits 1
// if anything was wrong.
//   npm run soak -- --chats 10000 --requests 200 --seed 1 --active 40 --minutes 60
import { createCompactor } from "precis";
import { anthropic, openaiChat } from "precis/formats";
import { main } from "../../js/scripts/common.mjs";
import { faultsOf, tokensOf } from "./soak/judge.mjs";
import { shapes } from "./soak/shapes.mjs";
import { random } from "./suite/scenarios.mjs";

const window = 4_000;
const reply = 300;
const formats = { openai: openaiChat, anthropic };

/** All of the engine's memories: instances are replaced when one breaks. */
const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...args) {
    super(...args);
    if (this.exports.memory) memories.push(new WeakRef(this.exports.memory));
  }
};

/** Thrown where a process dies. */
class Killed extends Error {}

const counts = {};
const count = (what) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

main(import.meta.url, async (args) => {
  const option = (name, otherwise) => Number(args[args.indexOf(`--${name}`) + 1 || Number.NaN] ?? otherwise);
  const size = { chats: option("chats", 200), requests: option("requests", 200), active: option("active", 40) };
  const seed = option("seed", 1);
  const until = Date.now() + option("minutes", 600) * 60_000;
  const now = Date.now;
  const from = now();
  const faults = [];
  const world = worldOf(random(seed));
  jumpingClocks(world.rng);
  const samples = [];
  // Whoever waits for what never comes must not end the process as if all were well.
  const alive = setInterval(() => {}, 1_000);
  let begun = 0;
  let ended = 0;
  const live = [];
  while (ended < size.chats && now() < until) {
    while (live.length < size.active && begun < size.chats) live.push(chatOf(world, begun++));
    // Several at the same time, as in a server.
    const chosen = new Set(Array.from({ length: 4 }, () => Math.floor(world.rng() * live.length)));
    await Promise.all([...chosen].map((at) => live[at].step(faults)));
    for (const at of [...chosen].sort((a, b) => b - a))
      if (live[at].requests >= size.requests) {
        live.splice(at, 1);
        ended++;
        if (ended % Math.max(1, Math.floor(size.chats / 50)) === 0) samples.push(memory());
      }
    if (faults.length > 20) break;
  }
  samples.push(memory());
  clearInterval(alive);
  report({ ended, seed, seconds: (now() - from) / 1_000, faults, samples });
});

function memory() {
  globalThis.gc?.();
  const wasm = memories.map((memory) => memory.deref()?.buffer.byteLength ?? 0);
  return { heap: process.memoryUsage().heapUsed, wasm: Math.max(...wasm) };
}

function report({ ended, seed, seconds, faults, samples }) {
  const number = (value) => value.toLocaleString("en");
  const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
  console.log(
    `${number(ended)} chats ended, ${number(counts.requests ?? 0)} requests judged in ${seconds.toFixed(0)} s`,
  );
  const rest = Object.entries(counts).filter(([what]) => what !== "requests");
  console.log(rest.map(([what, times]) => `${what} ${number(times)}`).join(", "));
  // What is compiled and cached at the start belongs to no chat.
  const warm = samples[Math.floor(samples.length / 5)];
  const last = samples.at(-1);
  console.log(
    `heap ${megabytes(warm.heap)} after a fifth, ${megabytes(last.heap)} at the end; wasm ${megabytes(warm.wasm)}, ${megabytes(last.wasm)}`,
  );
  if (globalThis.gc && samples.length > 10 && last.heap > warm.heap * 1.25 + 16 * 2 ** 20)
    faults.push("memory: the heap grows");
  if (samples.length > 10 && last.wasm > warm.wasm * 1.25 + 4 * 2 ** 20)
    faults.push("memory: the engine's memory grows");
  for (const fault of faults.slice(0, 20)) console.log(fault);
  console.log(`${faults.length} faults, seed ${seed}`);
  if (faults.length > 0) process.exitCode = 1;
}

/** Clocks go forward and back by up to a year. */
function jumpingClocks(rng) {
  const real = Date.now;
  const year = 365 * 24 * 3_600_000;
  Date.now = () => real() + (rng() < 0.01 ? Math.floor((2 * rng() - 1) * year) : 0);
}

function worldOf(rng) {
  const chance = (probability) => rng() < probability;
  const upTo = (most) => Math.floor(rng() * most);
  const compactors = new Map();
  for (const name of Object.keys(shapes))
    compactors.set(
      name,
      createCompactor({
        format: formats[name],
        contextWindow: window,
        maxOutputTokens: reply,
        summarize: (request, context) => summarize(request, context, { chance, upTo }),
        summarizer: { timeoutMs: 40 },
        tune: { tokens: { family: "o200k" } },
      }),
    );
  return { rng, chance, upTo, compactors, states: [] };
}

/** A summarizer on a bad day. What it says holds serial numbers of what it was asked. */
async function summarize({ prompt }, { signal }, { chance, upTo }) {
  count("summaries asked");
  for (let turns = upTo(4); turns > 0; turns--) await null;
  if (chance(0.04)) throw new Error("overloaded");
  if (chance(0.002)) await late(signal);
  if (chance(0.03)) return "";
  if (chance(0.03)) return { text: "The work is", finishReason: "length" };
  if (chance(0.03)) return prompt;
  if (chance(0.01)) return undefined;
  const serials = prompt.match(/#\d+\.\d+#/g) ?? [];
  return `## Current state\nThe files of ${serials.slice(0, 3).join(", ")} were read.\n## Next steps\nGo on after ${serials.at(-1)}.`;
}

/** Says nothing until nobody waits any more. */
const late = (signal) =>
  new Promise((_, fail) => {
    count("summaries late");
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
  });

const WORDS =
  "the parser reads a date from src/lib/date.rs and fails with EPARSE at line 42 because of leap years".split(" ");

/** A chat of an app: its history, its store, and what happens to both. */
function chatOf(world, number) {
  const { chance, upTo, states } = world;
  const shape = number % 2 ? shapes.anthropic : shapes.openai;
  const compactor = world.compactors.get(shape.name);
  const rule = `RULE-${number}-KEEP`;
  const chat = { number, shape, rule, requests: 0 };
  /** Every third chat has its summaries written while it goes on. */
  const ahead = number % 3 === 0;
  /** A plan whose summary is being written, what its summarizer said, and when that is there. */
  let flying = null;
  let serial = 0;
  let history = [];
  /** States as they were stored, oldest first. */
  let stored = [];
  let open = 0;
  const words = (most) => Array.from({ length: 1 + upTo(most) }, () => WORDS[upTo(WORDS.length)]).join(" ");
  const tag = () => `#${number}.${serial++}#`;
  const size = () => (chance(0.03) ? 3_000 : chance(0.3) ? 300 : 40);

  function ask() {
    const first = history.length === 0 ? ` You must never delete ${rule}.` : "";
    history.push(shape.say("user", `${tag()}${first} ${words(chance(0.02) ? 900 : 40)}?`));
    open = upTo(9);
  }

  /** What the model says: calls while there is something to do, then an answer. */
  function answer() {
    if (open-- > 0) {
      const ids = Array.from({ length: chance(0.2) ? 3 : 1 }, () => `call_${number}.${serial++}`);
      history.push(shape.calls(ids, `${tag()} I look.`, JSON.stringify({ path: words(3), n: serial })));
      history.push(
        ...shape.results(
          ids,
          ids.map(() => `${tag()} ${words(size())}`),
        ),
      );
    } else {
      history.push(shape.say("assistant", `${tag()} ${words(60)}.`));
      ask();
    }
  }

  /** The state as some store gives it: mostly the newest, sometimes none, an old one, or another chat's. */
  function load() {
    if (chance(0.01)) return note("states lost", null);
    if (chance(0.02)) return note("states stale", stored[upTo(stored.length)]);
    if (chance(0.01)) return note("states foreign", states[upTo(states.length)]);
    return stored.at(-1);
  }

  /** Stores a state unless the store lies. */
  function store(state) {
    const text = JSON.stringify(state);
    if (chance(0.02)) return count("stores lied");
    stored.push(text);
    if (stored.length > 6) stored = stored.slice(-6);
    if (chance(0.01)) {
      states.push(text);
      if (states.length > 50) states.shift();
    }
  }

  const note = (what, value) => {
    count(what);
    return value ?? null;
  };
  /** Between any two awaits the process may die. */
  const dies = () => {
    if (chance(0.004)) throw new Killed();
  };

  async function request(faults) {
    const text = load();
    const state = text ? JSON.parse(text) : null;
    dies();
    const before = JSON.stringify(history.at(-1));
    const dying = new AbortController();
    if (chance(0.004)) queueMicrotask(() => dying.abort(new Killed()));
    const call = { messages: history, state, signal: dying.signal };
    const prepared = ahead ? await fly(call) : await compactor.beforeModel(call);
    count("requests");
    count(prepared.report.outcome);
    chat.requests++;
    const where = `rung ${prepared.report.rung}, state ${text === stored.at(-1) ? "newest" : "other"}`;
    for (const fault of faultsOf(chat, history, prepared, { window, reply }))
      faults.push(`chat ${number}, request ${chat.requests}: ${fault} (${where})`);
    if (JSON.stringify(history.at(-1)) !== before) faults.push(`chat ${number}: the history was written to`);
    dies();
    store(prepared.state);
    dies();
    const sent = prepared.view;
    answer();
    dies();
    store(compactor.afterModel(prepared.state, usage(sent), prepared.report.request));
  }

  /** A request that waits for no summary: one that was asked for earlier is applied when it is there, however late. */
  async function fly(call) {
    if (flying && chat.requests >= flying.due) {
      const { plan, answers } = flying;
      flying = null;
      count("summaries that came later");
      const prepared = compactor.commit(call, plan, answers);
      if (prepared.next) await take(call, prepared.next);
      return prepared;
    }
    if (!flying) await take(call, compactor.plan({ ...call, threshold: "soft" }));
    return compactor.beforeModel({ ...call, inFlight: flying?.plan });
  }

  /** Has a plan's summary written; the plan waits as JSON. */
  async function take(call, plan) {
    const asked = compactor.requests(call, plan);
    if (asked.length === 0) return;
    const context = { signal: AbortSignal.timeout(40), attempt: 1 };
    const answers = await Promise.all(asked.map((one) => summarize(one, context, world).catch((error) => ({ error }))));
    dies();
    // A state may have been lost since, the chat rewound, the process killed: the plan is applied all the same.
    flying = { plan: JSON.parse(JSON.stringify(plan)), answers: answers.map(usable), due: chat.requests + upTo(8) };
  }

  const usable = (answer) => answer ?? { error: new Error("nothing") };

  /** What the provider reports, mostly the truth. */
  function usage(view) {
    const prompt_tokens = tokensOf(view);
    if (chance(0.01))
      return note("usage nonsense", [null, {}, { prompt_tokens: -1 }, { prompt_tokens: "many" }][upTo(4)]);
    // The provider's report is that of several requests added up.
    if (chance(0.005)) return note("usage added up", { prompt_tokens: prompt_tokens * (2 + upTo(30)) });
    return { prompt_tokens, completion_tokens: 20 };
  }

  chat.step = async (faults) => {
    if (history.length === 0) ask();
    try {
      await request(faults);
    } catch (error) {
      if (!(error instanceof Killed)) {
        faults.push(`chat ${number}, request ${chat.requests}: threw ${error.code ?? ""} ${error.message}`);
        chat.requests = Number.POSITIVE_INFINITY;
        return;
      }
      count("killed");
      // What a new process loads are other objects; of a turn that was under way it may hold all or half.
      history = JSON.parse(JSON.stringify(history));
      if (shape.resultIds(history.at(-1)).length === 0 && history.at(-1).role === "assistant") history.pop();
    }
    if (chance(0.004)) rewind();
  };

  /** Somebody edits an earlier message: the chat goes on from there. */
  function rewind() {
    const asked = history.flatMap((message, at) =>
      message.role === "user" && shape.resultIds(message).length === 0 ? [at] : [],
    );
    const at = asked[upTo(asked.length)];
    if (at === 0) return;
    history = history.slice(0, at);
    count("rewound");
    ask();
  }

  return chat;
}
