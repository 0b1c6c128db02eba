// What the programs of docs/frameworks.md use and do not declare: models whose provider is a server, tools with long results.
import { createOpenAI } from "@ai-sdk/openai";
import { streamSimple } from "@earendil-works/pi-ai/api/openai-completions";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import {
  Agent,
  tool as agentTool,
  OpenAIChatCompletionsModel,
  OpenAIProvider,
  setTracingDisabled,
} from "@openai/agents";
import { toolDefinition } from "@tanstack/ai";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { tool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { plainScriptOf, REQUEST, serve, withSummaries } from "./scenario.mjs";

setTracingDisabled(true);

/** Requests of a chat that outgrows a window of 200,000 tokens. */
const STEPS = 30;
const contentOf = (path) => `#${path}#\n${`What ${path} says is long, and none of it is needed twice.\n`.repeat(600)}`;

function langchain() {
  const served = serve("openai", { steps: STEPS });
  const fetch = withSummaries(served.fetch);
  const model = new ChatOpenAI({ apiKey: "a key", model: "gpt-5.6", maxRetries: 0, configuration: { fetch } });
  const schema = z.object({ path: z.string() });
  const tools = [tool(async ({ path }) => contentOf(path), { name: "read", description: "Reads a file", schema })];
  return { served, steps: STEPS, model, tools, checkpointer: new MemorySaver() };
}

function openaiAgents() {
  const served = serve("openai", { steps: STEPS });
  const client = new OpenAI({ apiKey: "a key", fetch: withSummaries(served.fetch), maxRetries: 0 });
  const provider = new OpenAIProvider({ openAIClient: client, useResponses: false });
  const read = agentTool({
    ...{ name: "read", description: "Reads a file", parameters: z.object({ path: z.string() }) },
    execute: async ({ path }) => contentOf(path),
  });
  const agent = new Agent({ name: "searcher", instructions: "You search files.", tools: [read] });
  const model = new OpenAIChatCompletionsModel(client, "gpt-5.6");
  return { served, steps: STEPS, provider, model, agent, db: database() };
}

function pi() {
  const served = serve("openai", { steps: STEPS });
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    ...{
      id: "gpt-5.6",
      name: "gpt-5.6",
      api: "openai-completions",
      provider: "openai",
      baseUrl: "https://example.com/v1",
    },
    ...{ reasoning: false, input: ["text"], cost, contextWindow: 200_000, maxTokens: 8_000 },
  };
  const streamFn = (model, context, options) =>
    streamSimple(model, context, { ...options, apiKey: "a key", fetch: served.fetch, maxRetries: 0 });
  const parameters = { type: "object", properties: { path: { type: "string" } } };
  const read = {
    ...{ name: "read", label: "Read", description: "Reads a file", parameters },
    execute: async (_, { path }) => ({ content: [{ type: "text", text: contentOf(path) }], details: {} }),
  };
  return { served, steps: STEPS, model, streamFn, tools: [read], messages: [], db: database() };
}

function mastra() {
  const served = serve("openai", { steps: STEPS });
  const model = createOpenAI({ apiKey: "a key", fetch: served.fetch }).chat("gpt-5.6");
  const read = createTool({
    ...{ id: "read", description: "Reads a file", inputSchema: z.object({ path: z.string() }) },
    execute: async ({ path }) => contentOf(path),
  });
  return { served, steps: STEPS, model, tools: { read }, memory: new MockMemory(), instructions: "You search files." };
}

function tanstack() {
  const served = serve("openai-responses", { script: plainScriptOf(STEPS) });
  const adapter = createOpenaiChat("gpt-5.2", "a key", { fetch: served.fetch, maxRetries: 0 });
  const about = { name: "read", description: "Reads a file", inputSchema: z.object({ path: z.string() }) };
  const tools = [toolDefinition(about).server(async ({ path }) => contentOf(path))];
  const messages = [{ role: "user", content: REQUEST }];
  return { served, steps: STEPS, adapter, tools, messages, db: database() };
}

/** A database with the state of one chat. */
function database() {
  let stored = null;
  return {
    load: async () => stored && JSON.parse(stored),
    save: async (_, state) => {
      stored = JSON.stringify(state);
    },
  };
}

/** By the entry of the package that a program imports. */
export const standIns = { langchain, mastra, "openai-agents": openaiAgents, pi, tanstack };
