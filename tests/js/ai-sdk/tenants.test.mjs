// Whose chat it is: keys of stores, runs that see another chat, and a middleware that serves several tenants.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { PrecisError } from "precis";
import { compaction } from "precis/ai-sdk";

const small = { contextWindow: 6_000, maxOutputTokens: 400 };
const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const text = (role, text) => ({ role, content: [{ type: "text", text }] });
const past = (turns, name) =>
  Array.from({ length: turns * 2 }, (_, i) => text(i % 2 ? "assistant" : "user", `${name} ${i}: ${LONG}`));
const step = (messages) => ({ messages, steps: [], stepNumber: 0, model: "m" });

/** A middleware over a model that counts how often the summarizer is asked, and shows what the model was sent. */
function served(more = {}) {
  const asked = [];
  const sent = [];
  const summarize = async ({ prompt }) => {
    asked.push(prompt);
    return "- a long day went by, and every message of it said so; nothing else was decided";
  };
  const { middleware } = compaction({ ...small, summarize, ...more });
  const model = {
    modelId: "m",
    doGenerate: async () => ({ content: [{ type: "text", text: "Well." }] }),
  };
  const ask = async (prompt, params = {}, answer) => {
    const doGenerate = async (request) => {
      sent.push(request.prompt);
      return answer ?? model.doGenerate();
    };
    await middleware.wrapGenerate({
      params: { prompt, ...params },
      model: Object.assign(Object.create(model), { doGenerate }),
    });
    return sent.at(-1);
  };
  return { ask, asked, sent };
}

test("no two pairs of an agent and a chat have one key", async () => {
  const rows = new Map();
  const store = {
    load: async (key) => rows.get(key),
    save: async (key, state) => {
      rows.set(key, state);
    },
  };
  const pairs = [
    ["main", "alice:1"],
    ["main:alice", "1"],
    ["main%3Aalice", "1"],
    ["main", "alice%3A1"],
    [undefined, "alice"],
    ["", "main:alice"],
  ];
  for (const [agent, chat] of pairs) {
    const run = compaction({ ...small, agent, store }).run({ chat });
    await run.prepareStep(step([...past(12, agent ?? "Message"), text("user", "Go on.")]));
    await run.ahead();
  }
  equal(rows.size, pairs.length);
  ok(rows.has("main:alice"), "a plain name is written as it is");
});

test("a run that has compacted one chat refuses the messages of another, and goes on with its own", async () => {
  const run = compaction(small).run();
  const own = [...past(12, "Mine"), text("user", "Go on.")];
  await run.prepareStep(step(own));
  await run.ahead();
  run.onStepFinish({});
  await rejects(
    run.prepareStep(step([...past(12, "Theirs"), text("user", "Go on with it.")])),
    (error) => error instanceof PrecisError && error.code === "other-chat" && /run\(\{ chat \}\)/.test(error.advice),
  );
  const edited = [...structuredClone(own.slice(0, -1)), text("user", "Go on another way.")];
  ok(await run.prepareStep(step(edited)), "an edited history of the same chat is served");
});

test("the same history in two scopes is summarized for each of them, and in one scope once", async () => {
  const { ask, asked } = served({ scope: ({ providerOptions }) => providerOptions?.app?.tenant });
  const chat = [...past(14, "Message"), text("user", "Go on.")];
  const later = [...chat, text("assistant", "Well."), text("user", "And?")];
  const as = (tenant) => ({ providerOptions: { app: { tenant } } });
  await ask(chat, as("a"));
  await ask(chat, as("b"));
  equal(asked.length, 2);
  await ask(later, as("a"));
  await ask(later, as("b"));
  equal(asked.length, 2);
  // Whoever names no scope is in none.
  await ask(later);
  await ask(later);
  equal(asked.length, 4);
});

test("what a program adds to the newest message only does not have the chat summarized for every request", async () => {
  const { ask, asked, sent } = served();
  const chat = past(14, "Message");
  for (let turn = 0; turn < 20; turn++) {
    const question = `Question ${turn}?`;
    await ask([...chat, text("user", `${question}\nToday is day ${turn}. Retrieved: ${turn * 7}`)]);
    chat.push(text("user", question), text("assistant", `Answer ${turn}.`));
  }
  equal(sent.length, 20);
  ok(asked.length <= 2, `asked ${asked.length} times`);
});

test("short chats of others do not push out a long one", async () => {
  const { ask, asked } = served();
  const chats = ["One", "Two", "Three", "Four", "Five"].map((name) => [...past(14, name), text("user", "Go on.")]);
  for (const chat of chats) await ask(chat);
  equal(asked.length, 5);
  for (let n = 0; n < 3_000; n++) await ask([text("user", `Chat ${n}`)]);
  for (const chat of chats) await ask([...chat, text("assistant", "Well."), text("user", "And?")]);
  equal(asked.length, 5);
});

test("a chat whose provider has compacted it leaves no other chat alone that begins alike", async () => {
  const { ask, sent } = served();
  const block = {
    ...text("assistant", ""),
    content: [{ type: "text", text: "Summary.", providerOptions: { anthropic: { type: "compaction" } } }],
  };
  const hello = [text("user", "Hello")];
  await ask(hello, {}, { content: [], providerMetadata: { anthropic: { iterations: [] } } });
  const compacted = [...hello, block, ...past(14, "Message"), text("user", "Go on.")];
  deepEqual(await ask(compacted), compacted);
  const other = [...hello, text("assistant", "Hello."), ...past(14, "Message"), text("user", "Go on.")];
  ok((await ask(other)).length < other.length);
  equal(sent.length, 3);
});

// Two tenants whose chats ask the same and call the same, with the same ids: only what the tools returned differs. Whatever
// way of using the adapter they are served by, what is sent for one holds nothing of the other.

/** A chat of a tenant: its tools return the tenant's own names. */
function chatOf(tenant, turns) {
  const messages = [];
  for (let turn = 0; turn < turns; turn++) {
    messages.push(text("user", `What is in file ${turn}?`), {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "call_0", toolName: "read", input: { path: `${turn}.txt` } }],
    });
    const value = `${tenant}-${turn} is the name; key=${tenant}${turn * 7919}. ${LONG}`;
    messages.push({
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "call_0", toolName: "read", output: { type: "text", value } }],
    });
    messages.push(text("assistant", "I have read it."));
  }
  return [...messages, text("user", "Go on.")];
}

/** Summaries name what they were asked about, as good ones do. */
const naming = async ({ prompt }) => `- read so far: ${[...new Set(prompt.match(/\b(alder|birch)-\d+/g))].join(", ")}`;

/** Ways to serve several tenants: each makes a function that sends a chat, and returns what the model was sent. */
const ways = {
  "one prepareStep for all"(options) {
    const c = compaction(options);
    return async (_, messages) => (await c.prepareStep(step(messages)))?.messages ?? messages;
  },
  "a run for each call, with a store"(options) {
    const states = new Map();
    const store = { load: async (key) => states.get(key), save: async (key, state) => void states.set(key, state) };
    const c = compaction({ ...options, store });
    return async (tenant, messages) => {
      const run = c.run({ chat: tenant });
      const sent = (await run.prepareStep(step(messages)))?.messages ?? messages;
      await run.ahead();
      return sent;
    };
  },
  "a run for each call, with its state"(options) {
    const c = compaction(options);
    const states = new Map();
    return async (tenant, messages) => {
      const run = c.run({ state: states.get(tenant) ?? null });
      const sent = (await run.prepareStep(step(messages)))?.messages ?? messages;
      states.set(tenant, run.state);
      return sent;
    };
  },
  "an agent whose context names the chat, with a store"(options) {
    const states = new Map();
    const store = { load: async (key) => states.get(key), save: async (key, state) => void states.set(key, state) };
    const c = compaction({ ...options, store, chat: ({ chatId }) => chatId });
    return async (tenant, messages) => {
      const call = { ...step(messages), experimental_context: { chatId: tenant } };
      return (await c.prepareStep(call))?.messages ?? messages;
    };
  },
  "the middleware"(options) {
    const { ask } = served(options);
    return (_, messages) => ask(messages);
  },
  "the middleware, with a scope"(options) {
    const { ask } = served({ ...options, scope: ({ providerOptions }) => providerOptions.app.tenant });
    return (tenant, messages) => ask(messages, { providerOptions: { app: { tenant } } });
  },
};

for (const [way, serve] of Object.entries(ways))
  for (const summarize of [naming, undefined])
    test(`two tenants by ${way}${summarize ? "" : ", without a summarizer"}: neither is sent a name of the other`, async () => {
      const send = serve({ ...small, summarize });
      let compacted = 0;
      for (const turns of [3, 20, 40, 60, 80]) {
        for (const [tenant, other] of [
          ["alder", "birch"],
          ["birch", "alder"],
        ]) {
          const messages = chatOf(tenant, turns);
          const sent = await send(tenant, messages);
          const said = JSON.stringify(sent);
          ok(
            !said.includes(other),
            `${turns} turns: what ${tenant} is sent names ${said.match(new RegExp(`.{60}${other}.{20}`))?.[0]}`,
          );
          ok(said.includes(`${tenant}-`), `${turns} turns: what ${tenant} is sent holds its own names`);
          compacted += Number(said.length < JSON.stringify(messages).length * 0.8);
        }
      }
      ok(compacted > 2, "nothing was compacted");
    });

test("a store that returns the state of another chat is not written over, and its state is not used", async () => {
  const rows = new Map();
  let mixed = false;
  const store = {
    load: async (key) => rows.get(mixed ? "main:alice" : key),
    save: async (key, state) => void rows.set(mixed ? "main:alice" : key, state),
  };
  const summarize = async () =>
    "- alice has asked for a long day, and every message of it said so; nothing was decided";
  const c = compaction({ ...small, summarize, store });
  const chat = [...past(14, "Message"), text("user", "Go on.")];
  const own = c.run({ chat: "alice" });
  ok(JSON.stringify(await own.prepareStep(step(chat))).includes("alice has asked"));
  await own.ahead();
  const kept = structuredClone(rows.get("main:alice"));
  // A key that is cut, a cache in front of the database, a join that is wrong.
  mixed = true;
  const reports = [];
  const other = compaction({ ...small, store, onReport: (report) => reports.push(report) }).run({ chat: "bob" });
  const sent = await other.prepareStep(step(chat));
  await other.ahead();
  ok(!JSON.stringify([sent, other.state]).includes("alice"));
  ok(reports[0].warnings.some(({ code, advice }) => code === "store-failed" && advice.includes("another chat")));
  deepEqual(rows.get("main:alice"), kept);
});

test("a run that is given the state of another chat does not use it", async () => {
  const summarize = async () =>
    "- alice has asked for a long day, and every message of it said so; nothing was decided";
  const chat = [...past(14, "Message"), text("user", "Go on.")];
  const own = compaction({ ...small, summarize }).run({ chat: "alice", state: null });
  await own.prepareStep(step(chat));
  const reports = [];
  const other = compaction({ ...small, onReport: (report) => reports.push(report) });
  const run = other.run({ chat: "bob", state: own.state });
  const sent = await run.prepareStep(step(chat));
  ok(!JSON.stringify([sent, run.state]).includes("alice"));
  ok(reports[0].diverged.reason.includes("another chat"));
});
