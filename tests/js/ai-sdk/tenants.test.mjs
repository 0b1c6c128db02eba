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
