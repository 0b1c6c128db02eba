// precis/tanstack in the loop of `@tanstack/ai`.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { chat, maxIterations, toolDefinition } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { compactionMiddleware, tanstack } from "precis/tanstack";
import { check } from "precis/testing";
import { z } from "zod";
import { contentOf, FEW, holds, plainScriptOf, REPLY, REQUEST, STEPS, SYSTEM, serve, WINDOW } from "./scenario.mjs";

const read = toolDefinition({
  ...{ name: "read", description: "Reads a file", inputSchema: z.object({ path: z.string() }) },
}).server(async ({ path }) => contentOf(path));

/** TanStack's adapter sends reasoning of the Responses API back without what it belongs to: the model here does not think. */
const begin = ({ steps = STEPS, ...more } = {}) => serve("openai-responses", { script: plainScriptOf(steps), ...more });

/** Plays one call of `chat`; gives the text and the conversation as it is in the end. */
async function play(served, middleware, { messages = [{ role: "user", content: REQUEST }], ...more } = {}) {
  let said = "";
  let conversation = messages;
  const watching = {
    name: "watching",
    onConfig: (_, config) => {
      conversation = config.messages;
    },
  };
  const stream = chat({
    adapter: createOpenaiChat("gpt-5.2", "a key", { fetch: served.fetch, maxRetries: 0 }),
    ...{ messages, systemPrompts: [SYSTEM], tools: [read], agentLoopStrategy: maxIterations(2 * STEPS) },
    ...{ middleware: [middleware, watching], modelOptions: { max_output_tokens: REPLY }, threadId: "chat-7" },
    ...more,
  });
  let error;
  for await (const chunk of stream) {
    if (chunk.type === "TEXT_MESSAGE_CONTENT") said += chunk.delta;
    if (chunk.type === "RUN_ERROR") error = chunk;
  }
  return { said, conversation, error };
}

function kept(options = {}) {
  const reports = [];
  const onReport = (report) => reports.push(report);
  const middleware = compactionMiddleware({ contextWindow: WINDOW, maxOutputTokens: REPLY, onReport, ...options });
  return { reports, middleware };
}

test(`${STEPS} steps of a chat`, async () => {
  const served = begin();
  const { reports, middleware } = kept();
  const { said, conversation, error } = await play(served, middleware);
  equal(error, undefined);
  ok(said.endsWith("No file mentions it."));
  holds(served, { reports });
  equal(conversation[0].content, REQUEST);
  for (const { role, content } of conversation)
    if (role === "tool") equal(content, contentOf(/#(.*?)#/.exec(content)[1]));
});

test("states are saved by thread: another process goes on from there", async () => {
  const stored = new Map();
  const store = {
    load: (thread) => JSON.parse(stored.get(thread) ?? "null"),
    save: (thread, state) => void stored.set(thread, JSON.stringify(state)),
  };
  const first = begin({ steps: FEW });
  const { conversation } = await play(first, kept(store).middleware);
  holds(first, { requests: FEW });
  deepEqual([...stored.keys()], ["chat-7"]);
  const { reports, middleware } = kept(store);
  const again = begin({ steps: 1, memory: first.server.memory });
  const messages = [...JSON.parse(JSON.stringify(conversation)), { role: "user", content: "And the longest?" }];
  await play(again, middleware, { messages });
  holds(again, { requests: 1 });
  equal(reports[0].outcome, "reused");
});

test("what a provider calls too long ends the run, and the next one is shorter", async () => {
  const { reports, middleware } = kept({ contextWindow: 100_000 });
  const first = begin({ steps: FEW, tooLong: [30] });
  const { conversation, error } = await play(first, middleware);
  ok(error);
  const again = begin({ steps: 1, memory: first.server.memory });
  const messages = [...conversation, { role: "user", content: "Go on." }];
  await play(again, middleware, { messages });
  holds(again, { requests: 1 });
  ok(reports.at(-1).after.window <= 8_000, "the limit was not learned");
});

test("an abort in the middle of a summary", async () => {
  const abortController = new AbortController();
  const summarize = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => abortController.abort(new Error("the user left")));
    });
  const served = begin({ steps: FEW });
  await play(served, kept({ summarize, prefer: "summarize" }).middleware, { abortController }).catch(() => {});
  ok(served.server.judged < FEW);
});

test("every kind of message is read; what may be wrong is refused at once", async () => {
  const source = { type: "data", value: "iVBORw0KGgo=", mimeType: "image/png" };
  const long = "It is long. ".repeat(1_000);
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", content: long },
        { type: "image", source },
      ],
    },
    {
      ...{ role: "assistant", content: null, thinking: [{ content: "Hm.", signature: "c2ln" }, { content: "Well." }] },
      toolCalls: [
        { id: "c1", type: "function", function: { name: "read", arguments: JSON.stringify({ text: long }) } },
      ],
    },
    {
      role: "tool",
      toolCallId: "c1",
      content: [
        { type: "text", content: long },
        { type: "image", source },
      ],
    },
    { role: "assistant", content: long },
    { role: "user", content: "Well?" },
  ];
  const { middleware } = kept({ contextWindow: 3_000 });
  const context = { requestId: "r", threadId: "t", phase: "beforeModel" };
  const before = structuredClone(messages);
  const { providerMessages } = await middleware.onConfig(context, { messages });
  deepEqual(messages, before);
  deepEqual(check(tanstack, providerMessages), []);
  ok(JSON.stringify(providerMessages).length < JSON.stringify(messages).length / 2);
  equal(await middleware.onConfig({ ...context, phase: "init" }, { messages }), undefined);
  throws(() => compactionMiddleware({ contextWindow: WINDOW, load: {} }), { code: "invalid-option" });
  throws(() => compactionMiddleware({ contextWindow: WINDOW, summarize: { model: 1 } }), { code: "invalid-option" });
  throws(() => compactionMiddleware(), { name: "PrecisError" });
});
