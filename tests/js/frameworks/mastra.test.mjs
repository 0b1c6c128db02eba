// precis/mastra in the agents of `@mastra/core`.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { compactionProcessor, summarizeWith } from "precis/mastra";
import { z } from "zod";
import { contentOf, FEW, holds, REPLY, REQUEST, STEPS, SYSTEM, serve, WINDOW } from "./scenario.mjs";

const apiKey = "a key";
const MODELS = {
  openai: (fetch) => createOpenAI({ apiKey, fetch }).chat("gpt-5.6"),
  "openai-responses": (fetch) => createOpenAI({ apiKey, fetch }).responses("gpt-6"),
  anthropic: (fetch) => createAnthropic({ apiKey, fetch })("claude-sonnet-4-5"),
};
const read = createTool({
  ...{ id: "read", description: "Reads a file", inputSchema: z.object({ path: z.string() }) },
  execute: async ({ path }) => contentOf(path),
});
const quiet = { error() {}, warn() {}, info() {}, debug() {}, trackException() {} };

function begin(provider, { steps, tooLong, served: given, options = {}, ...more } = {}) {
  const served = given ?? serve(provider, { steps, tooLong });
  const reports = [];
  const processor = compactionProcessor({
    contextWindow: WINDOW,
    onReport: (report) => reports.push(report),
    ...options,
  });
  const agent = new Agent({
    ...{
      id: "searcher",
      name: "searcher",
      instructions: SYSTEM,
      model: MODELS[provider](served.fetch),
      tools: { read },
    },
    ...{ inputProcessors: [processor], errorProcessors: [processor], maxRetries: 0 },
    ...more,
  });
  agent.__setLogger(quiet);
  return { ...served, agent, processor, reports };
}
const how = (more = {}) => ({ maxSteps: 3 * STEPS, modelSettings: { maxOutputTokens: REPLY, maxRetries: 0 }, ...more });

for (const provider of Object.keys(MODELS))
  for (const way of provider === "openai" ? ["generate", "stream"] : ["generate"]) {
    const steps = way === "stream" ? STEPS : FEW;
    test(`${provider}, ${way}: ${steps} steps of an agent`, async () => {
      const { agent, reports, ...served } = begin(provider, { steps });
      const result = await agent[way](REQUEST, how());
      ok((await result.text).endsWith("No file mentions it."));
      holds(served, { requests: steps, reports });
      equal(reports.length, steps);
    });
  }

test("the state is in the metadata of the thread: another process goes on from there", async () => {
  const memory = new MockMemory({ options: { lastMessages: 10_000 } });
  const thread = { memory: { thread: { id: "chat-7", metadata: { color: "blue" } }, resource: "alice" } };
  const first = begin("openai", { steps: FEW, memory, options: { memory } });
  await first.agent.generate(REQUEST, how(thread));
  holds(first, { requests: FEW, reports: first.reports });
  const { metadata } = await memory.getThreadById({ threadId: "chat-7" });
  equal(metadata.color, "blue", "what else was in the metadata is gone");
  ok(metadata.precis.revision > 0);
  deepEqual(await first.processor.stateOf("chat-7"), metadata.precis);
  ok(JSON.stringify(metadata.precis).includes("calibration"), "what was learned is not stored");

  const { messages } = await memory.recall({ threadId: "chat-7", resourceId: "alice", perPage: false });
  const kept = JSON.stringify(messages);
  for (const path of ["src/file-0-0.ts", "src/file-8-0.ts"])
    ok(kept.includes(JSON.stringify(contentOf(path)).slice(1, -1)), "a result in the memory was changed");

  const again = begin("openai", { steps: 1, memory, options: { memory: await copyOf(memory) } });
  await again.agent.generate("And which is the longest?", how(thread));
  holds(again, { requests: 1 });
  equal(again.reports[0].outcome, "reused");
});

/** The same threads in another process: what was written, and nothing else. */
async function copyOf(memory) {
  const thread = JSON.parse(JSON.stringify(await memory.getThreadById({ threadId: "chat-7" })));
  return { getThreadById: async () => structuredClone(thread), updateThread: async () => {} };
}

test("a request that the provider calls too long is sent once more, shorter; other errors reach the caller", async () => {
  for (const provider of ["openai", "anthropic"]) {
    const { agent, reports, server } = begin(provider, {
      steps: 12,
      tooLong: [9],
      options: { contextWindow: 100_000 },
    });
    const { text } = await agent.generate(REQUEST, how());
    ok(text.endsWith("No file mentions it."));
    equal(server.judged, 12);
    ok(reports.at(-1).after.window <= 8_000, "the limit was not learned");
  }
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    return Response.json({ error: { message: "Incorrect API key provided" } }, { status: 401 });
  };
  const { agent } = begin("openai", { served: { fetch } });
  await rejects(agent.generate(REQUEST, how()), /Incorrect API key/);
  equal(asked, 1);
});

test("an agent of Mastra's writes the summaries; an abort ends one", async () => {
  const written = serve("openai", { script: () => ({ text: "- nothing was found so far" }) });
  const model = MODELS.openai(written.fetch);
  const writer = new Agent({ id: "writer", name: "writer", instructions: "You summarize.", model });
  const run = begin("openai", { steps: FEW, options: { summarize: writer, prefer: "summarize" } });
  await run.agent.generate(REQUEST, how());
  holds(run, { requests: FEW, reports: run.reports });
  ok(written.server.judged > 0);
  ok(run.reports.some(({ rung }) => rung === "summarize"));

  const stop = new AbortController();
  const slow = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => stop.abort(new Error("the user left")));
    });
  const aborted = begin("openai", { steps: FEW, options: { summarize: slow, prefer: "summarize" } });
  await aborted.agent.generate(REQUEST, how({ abortSignal: stop.signal })).catch(() => {});
  ok(aborted.server.judged < FEW);
});

test("a compaction by hand, and threads that share nothing", async () => {
  const memory = new MockMemory({ options: { lastMessages: 10_000 } });
  const thread = (id) => ({ memory: { thread: { id }, resource: "alice" } });
  const { agent, processor, server } = begin("openai", {
    steps: 10,
    memory,
    options: { memory, contextWindow: 100_000 },
  });
  await agent.generate(REQUEST, how(thread("one")));
  const before = server.requests.at(-1).body.messages.length;
  processor.compactNext({ thread: "one", keep: { messages: 2 } });
  await agent.generate("Of the other chat.", how(thread("two")));
  equal(server.requests.at(-1).body.messages.length, 2, "another thread was compacted");
  await agent.generate("Are you sure?", how(thread("one")));
  ok(server.requests.at(-1).body.messages.length < before);
  ok((await processor.stateOf("one")).revision > 0);
  equal((await processor.stateOf("two"))?.revision ?? 0, 0);
});

test("what may be wrong is refused at once", () => {
  throws(() => compactionProcessor({ contextWindow: WINDOW, memory: {} }), { code: "invalid-option" });
  throws(() => compactionProcessor({ contextWindow: WINDOW, limit: 5 }), { code: "unknown-option" });
  throws(() => compactionProcessor(), { name: "PrecisError" });
  throws(() => summarizeWith("gpt-5.6"), { code: "invalid-option" });
});
