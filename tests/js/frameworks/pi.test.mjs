// precis/pi in the agent of `@earendil-works/pi-agent-core`.
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { test } from "node:test";
import { Agent } from "@earendil-works/pi-agent-core";
import { streamSimple as anthropicStream } from "@earendil-works/pi-ai/api/anthropic-messages";
import { streamSimple as completionsStream } from "@earendil-works/pi-ai/api/openai-completions";
import { streamSimple as responsesStream } from "@earendil-works/pi-ai/api/openai-responses";
import { createFauxCore, fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { compaction, piFormat, summarizeWith } from "precis/pi";
import { check } from "precis/testing";
import { contentOf, FEW, holds, NEEDLE, REPLY, REQUEST, STEPS, SYSTEM, serve, WINDOW } from "./scenario.mjs";

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const modelOf = (api, provider, id) => ({
  ...{
    id,
    name: id,
    api,
    provider,
    baseUrl: "https://example.com/v1",
    reasoning: provider === "anthropic",
    input: ["text"],
    cost,
  },
  ...{ contextWindow: WINDOW, maxTokens: REPLY },
});
/** Models of pi's own packages for providers, whose `fetch` is a server. */
const MODELS = {
  openai: [modelOf("openai-completions", "openai", "gpt-5.6"), completionsStream],
  "openai-responses": [modelOf("openai-responses", "openai", "gpt-6"), responsesStream],
  anthropic: [modelOf("anthropic-messages", "anthropic", "claude-sonnet-4-5"), anthropicStream],
};

const read = {
  ...{ name: "read", label: "Read", description: "Reads a file" },
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: async (_, { path }) => ({ content: [{ type: "text", text: contentOf(path) }], details: {} }),
};

function begin(provider, { steps, tooLong, memory, messages, thinking = false, options = {} } = {}) {
  const served = serve(provider, { steps, tooLong, memory });
  const [model, stream] = MODELS[provider];
  const c = compaction({ contextWindow: WINDOW, maxOutputTokens: thinking ? 1_500 : REPLY, ...options });
  const streamFn = (model, context, options) =>
    stream(model, context, {
      ...options,
      apiKey: "a key",
      fetch: served.fetch,
      maxRetries: 0,
      maxTokens: thinking ? 1_500 : REPLY,
    });
  const agent = new Agent({
    initialState: {
      model,
      tools: [read],
      thinkingLevel: thinking ? "low" : "off",
      ...(messages ? { messages } : { systemPrompt: SYSTEM }),
    },
    transformContext: c.transformContext,
    streamFn: c.streamFn(streamFn),
  });
  return { ...served, agent, c };
}
const last = ({ state }) => state.messages.at(-1);

for (const provider of Object.keys(MODELS))
  for (const thinking of provider === "anthropic" ? [false, true] : [false]) {
    const steps = provider === "openai" ? STEPS : FEW;
    test(`${provider}${thinking ? ", thinking" : ""}: ${steps} steps of an agent`, async () => {
      const { agent, c, ...served } = begin(provider, { steps, thinking });
      await agent.prompt(REQUEST);
      equal(last(agent).stopReason, "stop", last(agent).errorMessage);
      equal(c.problem, null);
      holds(served, { requests: steps, reports: c.reports, reply: thinking ? 1_500 : REPLY });
      const { messages } = agent.state;
      ok(JSON.stringify(messages).includes(NEEDLE));
      for (const { role, content } of messages)
        if (role === "toolResult") equal(content[0].text, contentOf(/#(.*)#/.exec(content[0].text)[1]));
    });
  }

test("with pi's own faux provider; the state is stored with the messages, and another process goes on", async () => {
  const sent = [];
  const faux = createFauxCore({ models: [{ id: "faux", contextWindow: WINDOW, maxTokens: REPLY }] });
  const reply = (n, count) => (context) => {
    sent.push(context.messages);
    return n === count - 1
      ? fauxAssistantMessage("None.")
      : fauxAssistantMessage([fauxToolCall("read", { path: `f-${n}` }, { id: `c${n}` })], { stopReason: "toolUse" });
  };
  const start = (options, messages) => {
    const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, ...options });
    const initialState = {
      model: faux.getModel(),
      tools: [read],
      ...(messages ? { messages } : { systemPrompt: SYSTEM }),
    };
    return { c, agent: new Agent({ initialState, streamFn: faux.streamSimple, transformContext: c.transformContext }) };
  };
  const stored = { states: 0 };
  const onState = (state) => {
    stored.state = JSON.stringify(state);
    stored.states += 1;
  };
  const first = start({ onState });
  faux.setResponses(Array.from({ length: FEW }, (_, n) => reply(n, FEW)));
  await first.agent.prompt(REQUEST);
  equal(first.c.reports.length, FEW);
  ok(first.c.reports.some(({ outcome }) => outcome === "compacted"));
  equal(stored.states, first.c.state.revision);

  const messages = JSON.parse(JSON.stringify(first.agent.state.messages));
  const again = start({ state: JSON.parse(stored.state) }, messages);
  faux.setResponses([reply(0, 1), reply(0, 1)]);
  await again.agent.prompt("And which is the longest?");
  equal(again.c.reports[0].outcome, "reused");
  // The same request in the process that went on.
  await first.agent.prompt("And which is the longest?");
  const [other, one] = [sent.at(-2), sent.at(-1)].map((messages) => messages.map(({ content }) => content));
  deepEqual(JSON.parse(JSON.stringify(other)), JSON.parse(JSON.stringify(one)));
  deepEqual(check(piFormat(), sent.at(-1)), []);
});

test("a request that the provider calls too long is sent once more, shorter, and the limit is remembered", async () => {
  for (const provider of Object.keys(MODELS)) {
    const { agent, c, server } = begin(provider, { steps: 12, tooLong: [9], options: { contextWindow: 100_000 } });
    await agent.prompt(REQUEST);
    equal(last(agent).stopReason, "stop", `${provider}: ${last(agent).errorMessage}`);
    equal(server.judged, 12);
    deepEqual(server.refused, []);
    ok(c.reports.at(-1).after.window <= 8_000, "the limit was not learned");
  }
});

test("errors about something else end the run, as without precis; a failed reply is sent no more", async () => {
  const { agent, c, server } = begin("openai", { steps: 3 });
  const own = agent.streamFunction;
  const refusing = async () => Response.json({ error: { message: "Incorrect API key" } }, { status: 401 });
  const failing = (model, context, options) =>
    completionsStream(model, context, { ...options, apiKey: "a key", maxRetries: 0, fetch: refusing });
  agent.streamFunction = c.streamFn(failing);
  await agent.prompt(REQUEST);
  equal(last(agent).stopReason, "error");
  ok(/Incorrect API key/.test(last(agent).errorMessage));
  agent.streamFunction = own;
  await agent.prompt("Again, please.");
  equal(last(agent).stopReason, "stop", last(agent).errorMessage);
  deepEqual(server.refused, []);
  equal(c.problem, null);
});

test("an abort in the middle of a summary ends the run", async () => {
  let asked = 0;
  const { agent, c, server } = begin("openai", {
    steps: FEW,
    options: {
      prefer: "summarize",
      summarize: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          asked += 1;
          signal.addEventListener("abort", () => reject(signal.reason));
          setTimeout(() => agent.abort());
        }),
    },
  });
  await agent.prompt(REQUEST);
  equal(last(agent).stopReason, "aborted");
  equal(asked, 1);
  ok(server.judged < FEW);
  ok(c.problem !== null);
});

test("a model of pi's writes the summaries", async () => {
  const asked = [];
  const faux = createFauxCore({});
  faux.setResponses(
    Array.from({ length: 50 }, () => (context) => {
      asked.push(context.messages);
      return fauxAssistantMessage("- nothing was found so far");
    }),
  );
  const summarize = { model: faux.getModel(), streamFn: faux.streamSimple };
  const { agent, c, ...served } = begin("openai", { steps: FEW, options: { summarize, prefer: "summarize" } });
  await agent.prompt(REQUEST);
  holds(served, { requests: FEW, reports: c.reports });
  ok(asked.length > 0);
  ok(c.reports.some(({ rung }) => rung === "summarize"));
});

test("a compaction by hand, steering, and another model and other tools in the middle", async () => {
  const { agent, c, ...served } = begin("openai", { steps: FEW });
  agent.subscribe((event) => {
    if (event.type !== "turn_end") return;
    if (c.reports.length === 10) agent.steer({ role: "user", content: "Hurry up.", timestamp: 1 });
  });
  await agent.prompt(REQUEST);
  agent.state.tools = [read, { ...read, name: "look", description: "Looks at a file" }];
  await agent.prompt("Are you sure?");
  holds(served, { requests: FEW + 1, reports: c.reports });
  const bodies = served.server.requests.map(({ body }) => body);
  equal(bodies.at(-1).tools.length, 2, "a declaration of tools was left out");
  ok(bodies.at(-1).messages.some(({ content }) => JSON.stringify(content).includes(SYSTEM)));
  const report = await c.compact({ messages: agent.state.messages, keep: { messages: 4 } });
  equal(report.outcome, "compacted");
});

test("messages that a program has added count as what is sent of them", async () => {
  const convertToLlm = (messages) =>
    messages.flatMap((message) => {
      if (message.role === "notification") return [];
      if (message.role === "bash")
        return [{ role: "user", content: `Ran ${message.command}: ${message.output}`, timestamp: 1 }];
      return [message];
    });
  const messages = [];
  for (let n = 0; n < 60; n++)
    messages.push(
      { role: "user", content: `Question ${n}`, timestamp: n },
      { role: "notification", text: "x".repeat(20_000) },
      { role: "bash", command: `ls ${n}`, output: "a file\n".repeat(60) },
      {
        role: "assistant",
        content: [{ type: "text", text: `Answer ${n}` }],
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        stopReason: "stop",
      },
    );
  messages.push({ role: "user", content: "And now?", timestamp: 99 });
  const c = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, convertToLlm });
  const view = convertToLlm(await c.transformContext(messages));
  ok(JSON.stringify(view).length / 4 < WINDOW - REPLY);
  ok(c.usage.tokens < WINDOW);
  deepEqual(check(piFormat(), view), []);
  ok(c.reports[0].before.tokens < 60 * 300, "what is not sent was counted");
});

test("what may be wrong is refused at once; what goes wrong later is said, and the request goes out", async () => {
  throws(() => compaction({ contextWindow: WINDOW, format: piFormat() }), { name: "PrecisError" });
  throws(() => compaction({ contextWindow: WINDOW, onstate: () => {} }), { code: "unknown-option" });
  throws(() => compaction({ contextWindow: WINDOW, onState: "x" }), { code: "invalid-option" });
  throws(() => compaction(), { name: "PrecisError" });
  throws(() => summarizeWith({ model: "gpt" }), { code: "invalid-option" });
  const c = compaction({ contextWindow: WINDOW });
  const messages = [{ role: "user", content: "hi", timestamp: 1 }, null];
  equal(await c.transformContext(messages), messages);
  equal(c.problem?.name ?? c.problem?.constructor.name, "PrecisError");
});
