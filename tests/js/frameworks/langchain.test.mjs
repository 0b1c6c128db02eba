// precis/langchain in the agents of `langchain` and `deepagents`.
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { test } from "node:test";
import { ChatAnthropic } from "@langchain/anthropic";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createDeepAgent } from "deepagents";
import { AIMessage, createAgent, createMiddleware, fakeModel, HumanMessage, providerStrategy, tool } from "langchain";
import { compactionMiddleware } from "precis/langchain";
import { z } from "zod";
import { contentOf, FEW, holds, REPLY, REQUEST, STEPS, SYSTEM, serve, WINDOW } from "./scenario.mjs";

const apiKey = "a key";
const read = tool(async ({ path }) => contentOf(path), {
  name: "read",
  description: "Reads a file",
  schema: z.object({ path: z.string() }),
});

/** Models of the providers' real packages, whose `fetch` is a server. */
const MODELS = {
  openai: (fetch) =>
    new ChatOpenAI({ apiKey, model: "gpt-5.6", maxTokens: REPLY, maxRetries: 0, configuration: { fetch } }),
  "openai-responses": (fetch) =>
    new ChatOpenAI({
      ...{ apiKey, model: "gpt-6", maxTokens: REPLY, maxRetries: 0, configuration: { fetch } },
      useResponsesApi: true,
    }),
  anthropic: (fetch) =>
    new ChatAnthropic({
      ...{ apiKey, model: "claude-sonnet-4-5", maxTokens: REPLY, maxRetries: 0, clientOptions: { fetch } },
    }),
  "anthropic, thinking": (fetch) =>
    new ChatAnthropic({
      ...{ apiKey, model: "claude-sonnet-4-5", maxTokens: THINKING, maxRetries: 0, clientOptions: { fetch } },
      thinking: { type: "enabled", budget_tokens: 1_024 },
    }),
};
/** A reply limit that has room for thinking. */
const THINKING = 1_500;

function agentOf(provider, { options = {}, steps, tooLong, memory, ...more } = {}) {
  const served = serve(provider.split(",")[0], { steps, tooLong, memory });
  const reports = [];
  const middleware = compactionMiddleware({
    contextWindow: WINDOW,
    onReport: (report) => reports.push(report),
    ...options,
  });
  const agent = createAgent({
    ...{ model: MODELS[provider](served.fetch), tools: [read], middleware: [middleware], systemPrompt: SYSTEM },
    ...more,
  });
  return { agent, middleware, reports, ...served };
}

const asked = () => ({ messages: [new HumanMessage(REQUEST)] });
const config = (more = {}) => ({ recursionLimit: 3 * STEPS, configurable: { thread_id: "chat-1" }, ...more });

for (const provider of Object.keys(MODELS)) {
  const steps = provider === "openai" ? STEPS : FEW;
  test(`${provider}: ${steps} steps of an agent`, async () => {
    const run = agentOf(provider, { steps });
    const { messages } = await run.agent.invoke(asked(), config());
    holds(run, { requests: steps, reports: run.reports, reply: provider.includes("thinking") ? THINKING : REPLY });
    equal(messages[0].content, REQUEST, "the state has lost the beginning");
    equal(messages.filter(({ type }) => type === "ai").length, steps);
    for (const { type, content } of messages)
      if (type === "tool") equal(content, contentOf(/#(.*)#/.exec(content)[1]), "a result in the state was changed");
  });
}

/** The plain text of a message. */
const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("");
/** A model that writes summaries: what it was asked, and through which callbacks. */
function summarizer(text = "- the files were read, none mentions it") {
  const asked = [];
  const model = fakeModel();
  for (let at = 0; at < 100; at++)
    model.respond((messages) => {
      asked.push(messages);
      return new AIMessage({
        content: text,
        usage_metadata: { input_tokens: 900, output_tokens: 40, total_tokens: 940 },
      });
    });
  return { model, asked };
}
test("a chat model writes the summaries, and no stream shows them", async () => {
  const { model, asked: prompts } = summarizer();
  const run = agentOf("openai", { steps: FEW, options: { summarize: model, prefer: "summarize" } });
  const shown = [];
  const stream = await run.agent.stream(asked(), config({ streamMode: "messages" }));
  for await (const [chunk] of stream) shown.push(textOf(chunk));
  holds(run, { requests: FEW, reports: run.reports });
  ok(prompts.length > 0, "the summarizer was not asked");
  ok(shown.join("").includes("Step 3: I look."), "the stream shows the agent's replies");
  ok(!shown.join("").includes("none mentions it"), "a summary was shown");
  ok(run.reports.some(({ rung, summarizer: { usage } }) => rung === "summarize" && usage?.input_tokens === 900));
});

test("a summarizer that throws, or is cut off, costs no message", async () => {
  const failing = [
    new AIMessage({ content: "half a summ", response_metadata: { finish_reason: "length" } }),
    new Error("429 too many requests"),
  ];
  for (const answer of failing) {
    const model = fakeModel();
    for (let at = 0; at < 50; at++) model.respond(answer);
    const run = agentOf("openai", { steps: FEW, options: { summarize: model, prefer: "summarize" } });
    const { messages } = await run.agent.invoke(asked(), config());
    holds(run, { requests: FEW });
    equal(messages.length, 1 + FEW + messages.filter(({ type }) => type === "tool").length);
    ok(run.reports.some(({ summarizer: { failed } }) => failed !== null));
    ok(!JSON.stringify(run.server.requests.map(({ body }) => body)).includes("half a summ"));
  }
});

test("the state is in the checkpoints: another process goes on from there, byte for byte", async () => {
  const saver = new MemorySaver();
  const first = agentOf("openai", { steps: FEW, checkpointer: saver });
  await first.agent.invoke(asked(), config());
  const before = (await first.agent.graph.getState(config())).values;
  ok(first.middleware.stateOf(before).revision > 0);
  const more = { messages: [new HumanMessage("And which is the longest?")] };

  // What a database would give back.
  const [tuple, other] = [await saver.getTuple(config()), new MemorySaver()];
  await other.put(config(), structuredClone(tuple.checkpoint), tuple.metadata, {});
  const texts = [];
  for (const checkpointer of [saver, other]) {
    const again = agentOf("openai", { steps: 1, checkpointer, memory: first.server.memory });
    await again.agent.invoke(more, config());
    holds(again, { requests: 1 });
    equal(again.reports[0].outcome, "reused");
    texts.push(JSON.stringify(again.server.requests[0].body.messages));
  }
  equal(texts[0], texts[1]);
  const after = (await first.agent.graph.getState(config())).values;
  equal(after.messages.length, before.messages.length + 2, "the history is whole");
});

test("the state is private: no result of an agent shows it, no input needs it", async () => {
  const run = agentOf("openai", { steps: 5, options: { contextWindow: 1_500 } });
  const result = await run.agent.invoke(asked(), config());
  deepEqual(Object.keys(result), ["messages"]);
});

test("a compaction by hand, and a fork from before it", async () => {
  const saver = new MemorySaver();
  const { agent, middleware, server } = agentOf("openai", { steps: 20, checkpointer: saver });
  await agent.invoke(asked(), config());
  const { values, config: fork } = await agent.graph.getState(config());
  const { update, report } = await middleware.compact(values, { focus: "the names of the files" });
  equal(report.outcome, "compacted");
  await agent.graph.updateState(config(), update);
  const next = { messages: [new HumanMessage("Go on.")] };
  const again = agentOf("openai", { steps: 1, checkpointer: saver, memory: server.memory });
  await again.agent.invoke(next, config());
  const whole = server.requests.at(-1).body.messages.length;
  ok(again.server.requests[0].body.messages.length < whole, "the compaction was not used");
  const forked = agentOf("openai", { steps: 1, checkpointer: saver, memory: server.memory });
  await forked.agent.invoke(next, { ...config(), ...fork });
  equal(forked.server.requests[0].body.messages.length, whole + 2, "the fork sends what came before");
});

test("a request that the provider calls too long is sent once more, shorter, and the limit is remembered", async () => {
  for (const provider of ["openai", "anthropic"]) {
    const run = agentOf(provider, { steps: 12, tooLong: [9], options: { contextWindow: 100_000 } });
    const { messages } = await run.agent.invoke(asked(), config());
    equal(run.server.judged, 12, "each step was answered once");
    equal(messages.filter(({ type }) => type === "ai").length, 12);
    equal(run.reports.length, 13);
    ok(run.reports.at(-1).after.window <= 8_000, "the limit was not learned");
  }
});

test("errors about something else reach the caller, and are not asked again", async () => {
  let asked = 0;
  const fetch = async () => {
    asked += 1;
    return new Response(JSON.stringify({ error: { message: "Incorrect API key provided", code: "invalid_api_key" } }), {
      status: 401,
    });
  };
  const middleware = compactionMiddleware({ contextWindow: WINDOW });
  const agent = createAgent({ model: MODELS.openai(fetch), tools: [read], middleware: [middleware] });
  await rejects(agent.invoke({ messages: [new HumanMessage(REQUEST)] }), /Incorrect API key/);
  equal(asked, 1);
});

test("an abort in the middle of a summary", async () => {
  const stop = new AbortController();
  let summaries = 0;
  const summarize = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      summaries += 1;
      signal.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => stop.abort(new Error("the user left")));
    });
  const run = agentOf("openai", { steps: FEW, options: { summarize, prefer: "summarize" } });
  await rejects(run.agent.invoke(asked(), config({ signal: stop.signal })), /the user left|abort/i);
  equal(summaries, 1);
  ok(run.server.judged < FEW);
});

test("hooks that change, merge and insert messages around it", async () => {
  // Retrieved context for this request alone, at the end; and messages of one role merged.
  const outer = createMiddleware({
    name: "outer",
    wrapModelCall: (request, handler) =>
      handler({
        ...request,
        messages: [...request.messages, new HumanMessage(`Now it is ${request.messages.length}.`)],
      }),
  });
  const seen = new Set();
  const inner = createMiddleware({
    name: "inner",
    wrapModelCall: (request, handler) => {
      for (const message of request.messages) seen.add(typeof message.getType);
      request.messages.reverse().reverse();
      return handler(request);
    },
  });
  const run = agentOf("openai", { steps: FEW });
  const agent = createAgent({
    ...{ model: MODELS.openai(run.fetch), tools: [read], middleware: [outer, run.middleware, inner] },
    systemPrompt: SYSTEM,
  });
  await agent.invoke(asked(), config());
  holds(run, { requests: FEW, reports: run.reports });
  deepEqual([...seen], ["function"], "what hooks further in are handed are messages of LangChain's classes");
});

test("a structured response, which leaves no place for a state, loses nothing of what was decided", async () => {
  const model = fakeModel();
  const steps = 16;
  const reply = (n) =>
    n % steps === steps - 1
      ? new AIMessage('{"file":"none"}')
      : new AIMessage({ content: `Step ${n}`, tool_calls: [{ id: `c${n}`, name: "read", args: { path: `f-${n}` } }] });
  for (let n = 0; n < 2 * steps; n++) model.respond(() => reply(n));
  const reports = [];
  // The very last request of each turn compacts.
  const pin = ({ content }) => content === REQUEST;
  const middleware = compactionMiddleware({ contextWindow: 5_000, pin, onReport: (report) => reports.push(report) });
  const agent = createAgent({
    ...{ model, tools: [read], middleware: [middleware], checkpointer: new MemorySaver() },
    responseFormat: providerStrategy(z.object({ file: z.string() })),
  });
  for (const _ of [1, 2]) deepEqual((await agent.invoke(asked(), config())).structuredResponse, { file: "none" });
  ok(reports.some(({ outcome }) => outcome === "compacted"));
  const revisions = reports.map(({ request }) => request);
  equal(new Set(revisions).size, revisions.length, "a state was used twice");
  const { values } = await agent.graph.getState(config());
  const { messages } = values;
  ok(middleware.stateOf(values).revision >= middleware.stateOf({ ...values, messages: [] }).revision);
  equal(messages.length, 2 * 2 * steps);
});

test("in a deep agent it takes the place of the agent's own summarization, for its subagents as well", async () => {
  const served = serve("openai", { steps: FEW });
  const reports = [];
  const middleware = compactionMiddleware({ contextWindow: 24_000, onReport: (report) => reports.push(report) });
  const agent = createDeepAgent({ model: MODELS.openai(served.fetch), tools: [read], middleware: [middleware] });
  const { messages } = await agent.invoke(
    { messages: [new HumanMessage(`${REQUEST} ${"The archive has many folders. ".repeat(1_000)}`)] },
    config({ recursionLimit: 1_000 }),
  );
  holds({ ...served }, { requests: FEW, window: 24_000, reports });
  equal(messages.filter(({ type }) => type === "ai").length, FEW);
  equal(agent.options.middleware.filter(({ name }) => name === middleware.name).length, 1);
});

test("a chat that was summarized by LangChain's own middleware goes on", async () => {
  const run = agentOf("openai", { steps: FEW });
  const before = new HumanMessage({
    content: "Here is a summary of the conversation to date:\n\nThe user looks for invoice 4711.",
    additional_kwargs: { lc_source: "summarization" },
  });
  await run.agent.invoke({ messages: [before, new HumanMessage(REQUEST)] }, config());
  holds(run, { requests: FEW, reports: run.reports });
});
