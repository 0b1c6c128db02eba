// precis/openai-agents in the loop of `@openai/agents`.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  assistant,
  MemorySession,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  RunState,
  run,
  setTracingDisabled,
  tool,
  user,
} from "@openai/agents";
import OpenAI from "openai";
import { compaction, openaiAgents, summarizeWith } from "precis/openai-agents";
import { check } from "precis/testing";
import { z } from "zod";
import { contentOf, FEW, holds, NEEDLE, REPLY, REQUEST, STEPS, SYSTEM, serve, WINDOW } from "./scenario.mjs";

setTracingDisabled(true);
const read = tool({
  name: "read",
  description: "Reads a file",
  parameters: z.object({ path: z.string() }),
  execute: async ({ path }) => contentOf(path),
});

/** Models of the SDK's own, whose `fetch` is a server. */
const MODELS = {
  openai: (fetch) => new OpenAIChatCompletionsModel(client(fetch), "gpt-5.6"),
  "openai-responses": (fetch) => new OpenAIResponsesModel(client(fetch), "gpt-6"),
};
const client = (fetch) => new OpenAI({ apiKey: "a key", fetch, maxRetries: 0 });

function begin(provider, { steps, tooLong, options = {}, chat = {}, modelSettings = {}, ...more } = {}) {
  const served = serve(provider, { steps, tooLong });
  const handle = compaction({ contextWindow: WINDOW, ...options }).chat(chat);
  const model = MODELS[provider](served.fetch);
  const agent = new Agent({
    ...{ name: "searcher", instructions: SYSTEM, tools: [read], model: handle.model(model) },
    ...{ modelSettings: { maxTokens: REPLY, ...modelSettings } },
    ...more,
  });
  return { ...served, chat: handle, agent, bare: model };
}
const most = { maxTurns: 3 * STEPS };

for (const provider of Object.keys(MODELS)) {
  for (const stream of [false, true]) {
    const steps = provider === "openai" && stream ? STEPS : FEW;
    test(`${provider}, ${stream ? "streamed" : "whole"}: ${steps} steps of a run`, async () => {
      const { agent, chat, ...served } = begin(provider, { steps });
      const result = await run(agent, REQUEST, { ...most, stream });
      if (stream) await result.completed;
      equal(result.finalOutput, "No file mentions it.");
      holds(served, { requests: steps, reports: chat.reports });
      const { history } = result;
      equal(history[0].content, REQUEST);
      const results = history.filter(({ type }) => type === "function_call_result");
      for (const { output } of results) {
        const text = typeof output === "string" ? output : output.text;
        equal(text, contentOf(/#(.*)#/.exec(text)[1]), "a result in the history was changed");
      }
      equal(chat.reports.length, steps);
      ok(chat.usage.source === "reported");
    });
  }
}

test(`as a callModelInputFilter: ${FEW} steps`, async () => {
  const { agent, chat, bare, ...served } = begin("openai", {
    steps: FEW,
    options: { maxOutputTokens: REPLY },
  });
  const { callModelInputFilter } = chat;
  const result = await run(agent.clone({ model: bare }), REQUEST, { ...most, callModelInputFilter });
  holds(served, { requests: FEW });
  ok(chat.reports.some(({ outcome }) => outcome === "compacted"));
  equal(chat.usage.source, "estimated");
  chat.learn(result);
  equal(chat.usage.source, "reported");
});

test("through the runner's provider of models, with the model's name", async () => {
  const served = serve("openai", { steps: FEW });
  const windows = [];
  const chat = compaction({
    contextWindow: (name) => {
      windows.push(name);
      return WINDOW;
    },
  }).chat();
  const provider = { getModel: async () => MODELS.openai(served.fetch) };
  const runner = new Runner({ modelProvider: chat.modelProvider(provider), model: "gpt-5.6" });
  const agent = new Agent({
    name: "searcher",
    instructions: SYSTEM,
    tools: [read],
    modelSettings: { maxTokens: REPLY },
  });
  await runner.run(agent, REQUEST, most);
  holds(served, { requests: FEW, reports: chat.reports });
  deepEqual([...new Set(windows)], ["gpt-5.6"]);
});

test("a session keeps every item as it was, and the next run goes on", async () => {
  const session = new MemorySession();
  const first = begin("openai", { steps: FEW });
  await run(first.agent, REQUEST, { ...most, session });
  holds(first, { requests: FEW });
  const items = await session.getItems();
  equal(items[0].content, REQUEST);
  for (const { type, output } of items)
    if (type === "function_call_result")
      ok(contentOf(/#(.*)#/.exec(output.text ?? output)[1]) === (output.text ?? output));

  // Another process: what is stored, and nothing else.
  const state = JSON.parse(JSON.stringify(first.chat.state));
  const again = begin("openai", { steps: 1, chat: { state } });
  const other = new MemorySession({ initialItems: JSON.parse(JSON.stringify(items)) });
  await run(again.agent, "And which is the longest?", { ...most, session: other });
  holds(again, { requests: 1 });
  equal(again.chat.reports[0].outcome, "reused");
});

test("the state in the run's context: a run that waits for an approval is resumed on another machine", async () => {
  const context = { user: "u1", precis: null };
  const careful = tool({
    ...{ name: "read", description: "Reads a file", parameters: z.object({ path: z.string() }) },
    needsApproval: async (_, { path }) => path.includes("file-40-"),
    execute: async ({ path }) => contentOf(path),
  });
  const first = begin("openai", { steps: FEW, chat: { context }, tools: [careful] });
  const waiting = await run(first.agent, REQUEST, { ...most, context });
  ok(waiting.interruptions.length > 0);
  const stored = waiting.state.toString();

  const [script, memory] = [first.server.judged, first.server.memory];
  const served = serve("openai", {
    memory,
    script: (_, n) =>
      n + script >= FEW - 1
        ? { text: "No file mentions it." }
        : { text: "I look.", calls: [{ id: `again_${n}`, name: "read", input: { path: `f-${n}` } }] },
  });
  const bare = new Agent({
    name: "searcher",
    instructions: SYSTEM,
    tools: [careful],
    modelSettings: { maxTokens: REPLY },
  });
  const resumed = await RunState.fromString(bare, stored);
  const own = resumed._context.context;
  ok(own.precis.revision > 0);
  equal(own.user, "u1");
  const chat = compaction({ contextWindow: WINDOW }).chat({ context: own });
  const provider = { getModel: async () => MODELS.openai(served.fetch) };
  for (const item of resumed.getInterruptions()) resumed.approve(item);
  const runner = new Runner({ modelProvider: chat.modelProvider(provider) });
  const result = await runner.run(bare, resumed, most);
  equal(result.finalOutput, "No file mentions it.");
  equal(chat.reports[0].outcome, "reused");
  holds(served, { requests: FEW - script });
});

test("a request that the provider calls too long is sent once more, shorter; a reply limit is lowered", async () => {
  for (const provider of Object.keys(MODELS))
    for (const stream of [false, true]) {
      const { agent, chat, server } = begin(provider, { steps: 12, tooLong: [9], options: { contextWindow: 100_000 } });
      const result = await run(agent, REQUEST, { ...most, stream });
      if (stream) await result.completed;
      equal(result.finalOutput, "No file mentions it.");
      equal(server.judged, 12);
      equal(chat.reports.length, 13);
      ok(chat.reports.at(-1).after.window <= 8_000, "the limit was not learned");
    }
});

test("errors about something else, and an abort in the middle of a summary, reach the caller", async () => {
  const fetch = async () => Response.json({ error: { message: "Incorrect API key provided" } }, { status: 401 });
  const chat = compaction({ contextWindow: WINDOW }).chat();
  await rejects(run(new Agent({ name: "a", model: chat.model(MODELS.openai(fetch)) }), REQUEST), /Incorrect API key/);

  const stop = new AbortController();
  const summarize = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setTimeout(() => stop.abort(new Error("the user left")));
    });
  const { agent, server } = begin("openai", { steps: FEW, options: { summarize, prefer: "summarize" } });
  await rejects(run(agent, REQUEST, { ...most, signal: stop.signal }), /the user left|abort/i);
  ok(server.judged < FEW);
});

test("a model of the SDK's writes the summaries; one that fails or is cut off costs nothing", async () => {
  const answers = {
    good: { output: [assistant("- nothing was found so far")], usage: { inputTokens: 9, outputTokens: 9 } },
    cut: { output: [{ ...assistant("- half a summ"), status: "incomplete" }], usage: {} },
    failing: new Error("429"),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const asked = [];
    const model = {
      getResponse: async (request) => {
        asked.push(request);
        if (answer instanceof Error) throw answer;
        return answer;
      },
      getStreamedResponse: () => {},
    };
    const { agent, chat, ...served } = begin("openai", {
      steps: FEW,
      options: { summarize: model, prefer: "summarize" },
    });
    const { history } = await run(agent, REQUEST, most);
    holds(served, { requests: FEW });
    ok(asked.length > 0 && asked.every(({ tools, signal }) => tools.length === 0 && signal));
    equal(
      chat.reports.some(({ rung }) => rung === "summarize"),
      name === "good",
    );
    ok(!JSON.stringify(served.server.requests.map(({ body }) => body)).includes("half a summ"));
    equal(history[0].content, REQUEST);
  }
});

test("an agent that is called as a tool, and one that is handed over to", async () => {
  // Both agents are answered by one server; the instructions say who asks.
  let [own, inner] = [0, 0];
  const script = ({ body }) => {
    const isInner = JSON.stringify(body.messages[0]).includes("You are the helper");
    if (isInner)
      return inner++ % 20 < 19
        ? { calls: [{ id: `i${inner}`, name: "read", input: { path: `inner-${inner}` } }] }
        : { text: "The helper has nothing." };
    own += 1;
    if (own < 8) return { calls: [{ id: `o${own}`, name: "help", input: { input: `Please look, number ${own}.` } }] };
    return own < 30
      ? { calls: [{ id: `o${own}`, name: "read", input: { path: `own-${own}` } }] }
      : { text: "No file mentions it." };
  };
  const served = serve("openai", { script });
  const chat = compaction({ contextWindow: WINDOW }).chat();
  const model = chat.model(MODELS.openai(served.fetch));
  const modelSettings = { maxTokens: REPLY };
  const helper = new Agent({
    name: "helper",
    instructions: "You are the helper.",
    tools: [read],
    model,
    modelSettings,
  });
  const help = helper.asTool({ toolName: "help", toolDescription: "Asks the helper.", runOptions: { maxTurns: 100 } });
  const agent = new Agent({ name: "searcher", instructions: SYSTEM, tools: [read, help], model, modelSettings });
  const { finalOutput } = await run(agent, REQUEST, most);
  equal(finalOutput, "No file mentions it.");
  deepEqual(served.server.refused, []);
  equal(inner, 7 * 20);
  equal(chat.reports.length, 30, "requests of the helper count as those of the run");
  ok(chat.reports.every(({ diverged }) => diverged === null));
  for (const { body } of served.server.requests)
    if (!JSON.stringify(body.messages[0]).includes("helper")) ok(JSON.stringify(body).includes(NEEDLE));
});

test("a compaction by hand", async () => {
  const { agent, chat, server } = begin("openai", { steps: 40, options: { contextWindow: 100_000 } });
  await rejects(chat.compact(), { code: "invalid-call" });
  const { history } = await run(agent, REQUEST, most);
  const before = server.requests.at(-1).body.messages.length;
  const report = await chat.compact({ messages: history, focus: "the files", keep: { messages: 4 } });
  equal(report.outcome, "compacted");
  const again = serve("openai", { steps: 1, memory: server.memory });
  await run(agent.clone({ model: chat.model(MODELS.openai(again.fetch)) }), [...history, user("And?")], most);
  ok(again.server.requests[0].body.messages.length < before);
});

test("a chat that the provider holds is left alone", async () => {
  const { agent, chat, server } = begin("openai-responses", { steps: 4 });
  await run(agent, REQUEST, { ...most, conversationId: "conv_1" });
  equal(chat.reports.length, 0);
  equal(server.judged, 4);
});

test("what may be wrong is refused at once", () => {
  throws(() => compaction({ contextWindow: WINDOW, format: openaiAgents }), { name: "PrecisError" });
  throws(() => compaction({ contextWindow: WINDOW, summarise: () => "" }), { code: "unknown-option" });
  throws(() => compaction({ contextWindow: WINDOW, summarize: "gpt-5.6" }), { name: "PrecisError" });
  throws(() => compaction({}), { name: "PrecisError" });
  throws(() => compaction({ contextWindow: WINDOW }).chat({ id: "x" }), { code: "invalid-call" });
  throws(() => compaction({ contextWindow: WINDOW }).chat({ context: "x" }), { code: "invalid-call" });
  throws(() => summarizeWith("gpt-5.6"), { code: "invalid-option" });
});

test("every kind of item is read, and a shortened one is of the same kind", async () => {
  const long = "It is long. ".repeat(2_000);
  const items = [
    { role: "system", content: "Be brief." },
    {
      type: "message",
      role: "user",
      content: [
        { type: "input_text", text: REQUEST },
        { type: "input_image", image: "https://example.com/a.png" },
        { type: "input_file", file: { id: "file_1" } },
      ],
    },
    { type: "reasoning", content: [{ type: "input_text", text: "Let me see." }] },
    { type: "function_call", callId: "c1", name: "read", arguments: JSON.stringify({ path: "a", text: long }) },
    {
      type: "function_call_result",
      callId: "c1",
      name: "read",
      status: "completed",
      output: { type: "text", text: long },
    },
    { type: "function_call", callId: "c2", name: "look", arguments: "{}" },
    {
      type: "function_call_result",
      callId: "c2",
      name: "look",
      status: "completed",
      output: [
        { type: "input_text", text: long },
        { type: "input_image", image: "data:image/png;base64,iVBORw0KGgo=" },
      ],
    },
    { type: "shell_call", callId: "c3", action: { commands: ["ls"] } },
    {
      type: "shell_call_output",
      callId: "c3",
      output: [{ stdout: long, stderr: "", outcome: { type: "exit", exitCode: 0 } }],
    },
    {
      type: "apply_patch_call",
      callId: "c4",
      status: "completed",
      operation: { type: "create_file", path: "a", diff: "+a" },
    },
    { type: "apply_patch_call_output", callId: "c4", status: "completed", output: long },
    { type: "computer_call", callId: "c5", status: "completed", action: { type: "screenshot" } },
    {
      type: "computer_call_result",
      callId: "c5",
      output: { type: "computer_screenshot", data: "data:image/png;base64,iVBORw0KGgo=" },
    },
    { type: "hosted_tool_call", name: "web_search_call", status: "completed", id: "ws_1" },
    { type: "tool_search_call", call_id: "c6", execution: "server", arguments: {} },
    { type: "tool_search_output", call_id: "c6", tools: [{ name: "x" }] },
    { type: "unknown", providerData: { a: 1 } },
    { role: "assistant", status: "completed", content: [{ type: "output_text", text: long }] },
    { type: "function_call", callId: "c9", name: "read", arguments: "{}" },
    user("Well?"),
  ];
  deepEqual(check(openaiAgents, items.toSpliced(-2, 1)), []);
  for (const contextWindow of [3_000, 6_000, 12_000]) {
    const chat = compaction({ contextWindow, maxOutputTokens: 300 }).chat();
    const input = structuredClone(items);
    const { input: view } = await chat.callModelInputFilter({ modelData: { input } });
    deepEqual(input, items, "an item was changed");
    deepEqual(check(openaiAgents, view), []);
    equal(view.at(-1), input.at(-1));
    for (const item of view)
      if (item.type === "shell_call_output")
        ok(Array.isArray(item.output) && typeof item.output[0].stdout === "string");
    ok(JSON.stringify(view).length < JSON.stringify(items).length / 2);
  }
});
