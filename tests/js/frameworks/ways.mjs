// The same tool loop in every framework, kept inside its window in several ways: by nothing, by what the framework or a peer
// has for it, and by precis. `npm run bench -- loop` plays them; lines between `//>` and `//<` are what a user writes for it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent as PiAgent } from "@earendil-works/pi-agent-core";
import { streamSimple } from "@earendil-works/pi-ai/api/openai-completions";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, tool as agentTool, OpenAIChatCompletionsModel, run, setTracingDisabled } from "@openai/agents";
import { generateText, isStepCount, tool as sdkTool, wrapLanguageModel } from "ai";
import { createDeepAgent } from "deepagents";
import { createAgent, HumanMessage, tool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { agents as programs, serveAgent, sized, without } from "./cloudflare.mjs";

setTracingDisabled(true);
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * What every way is given: `fetch` (the provider), `window`, `reply`, `steps`, `system`, `request`, `contentOf(path)`, and
 * `chef`, the peer's package.
 */
const apiKey = "a key";
const name = "gpt-5.6";
const about = { name: "read", description: "Reads a file" };
const schema = z.object({ path: z.string() });

const sdk = async ({ fetch, reply, steps, system, request, contentOf }, options) =>
  generateText({
    ...{
      model: createOpenAI({ apiKey, fetch }).chat(name),
      system,
      prompt: request,
      maxOutputTokens: reply,
      maxRetries: 0,
    },
    tools: {
      read: sdkTool({
        description: about.description,
        inputSchema: schema,
        execute: async ({ path }) => contentOf(path),
      }),
    },
    stopWhen: isStepCount(steps),
    ...options,
  });

const langchain = async ({ fetch, reply, steps, system, request, contentOf }, middleware, create = createAgent) => {
  const model = chatModel({ fetch, reply });
  const read = tool(async ({ path }) => contentOf(path), { ...about, schema });
  const agent = create({ model, tools: [read], systemPrompt: system, middleware });
  return agent.invoke({ messages: [new HumanMessage(request)] }, { recursionLimit: 10 * steps });
};
function chatModel({ fetch, reply, window }) {
  const model = new ChatOpenAI({ apiKey, model: name, maxTokens: reply, maxRetries: 0, configuration: { fetch } });
  // What the framework's own compaction knows of a model.
  if (window) Object.defineProperty(model, "profile", { value: { maxInputTokens: window } });
  return model;
}

const agents = async ({ fetch, reply, steps, system, request, contentOf }, kept = (model) => ({ model })) => {
  const read = agentTool({ ...about, parameters: schema, execute: async ({ path }) => contentOf(path) });
  const bare = new OpenAIChatCompletionsModel(new OpenAI({ apiKey, fetch, maxRetries: 0 }), name);
  const { model, ...options } = kept(bare);
  const agent = new Agent({
    name: "a",
    instructions: system,
    tools: [read],
    model,
    modelSettings: { maxTokens: reply },
  });
  return run(agent, request, { maxTurns: 2 * steps, ...options });
};

const pi = async ({ fetch, window, reply, system, request, contentOf }, options = {}) => {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const model = {
    ...{ id: name, name, api: "openai-completions", provider: "openai", baseUrl: "https://example.com/v1", cost },
    ...{ reasoning: false, input: ["text"], contextWindow: window, maxTokens: reply },
  };
  const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
  const execute = async (_, { path }) => ({ content: [{ type: "text", text: contentOf(path) }], details: {} });
  const agent = new PiAgent({
    initialState: { model, systemPrompt: system, tools: [{ ...about, label: "Read", parameters, execute }] },
    streamFn: (model, context, options) =>
      streamSimple(model, context, { ...options, apiKey, fetch, maxRetries: 0, maxTokens: reply }),
    ...options,
  });
  await agent.prompt(request);
};

const mastra = async ({ fetch, reply, steps, system, request, contentOf }, options = {}) => {
  const read = createTool({ ...about, id: "read", inputSchema: schema, execute: async ({ path }) => contentOf(path) });
  const model = createOpenAI({ apiKey, fetch }).chat(name);
  const agent = new MastraAgent({ id: "a", name: "a", instructions: system, model, tools: { read }, ...options });
  return agent.generate(request, { maxSteps: 2 * steps, modelSettings: { maxOutputTokens: reply } });
};

/** Agents that run in a Durable Object: workerd runs them, and counts to the time they take. */
const cloudflare = async ({ fetch, window, reply, request, contentOf }, program) => {
  const folder = mkdtempSync(join(tmpdir(), "precis-ways-"));
  const agent = await serveAgent(sized(program, { window, reply }), folder, { fetch, contentOf });
  try {
    return await agent.call("chat-7", "ask", request);
  } finally {
    await agent.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
const [chat, assistant] = ["Chat", "Assistant"].map((name) => {
  const whole = programs.get(name);
  return { whole, ...without(whole) };
});
/** What Think's documents show for a long turn. */
const own = {
  imports: [
    'import { generateText } from "ai";',
    'import { createCompactFunction } from "agents/sessions";',
    'import { defaultContextOverflowClassifier, type ThinkSession } from "@cloudflare/think";',
  ],
  members: [
    "  override contextOverflow = { reactive: true, proactive: { maxInputTokens: 200_000 - 8_000, maxCompactions: 1_000 } };",
    "  override classifyChatError = defaultContextOverflowClassifier;",
    "  override configureSession(session: ThinkSession) {",
    "    const summarize = async (prompt: string) => (await generateText({ model, prompt })).text;",
    "    return session.onCompaction(createCompactFunction({ summarize, keepRecentTokens: 8_000 }));",
    "  }",
  ],
};
const ofThink = [
  ...own.imports,
  assistant.program.replace("  override getModel", `${own.members.join("\n")}\n$&`),
].join("\n");

/** `[framework, way, whose it is, how it is played, its lines if they are not marked]`. */
export const ways = [
  ["AI SDK", "nothing", null, (given) => sdk(given)],
  [
    "AI SDK",
    "`pruneMessages`",
    "peer",
    async (given) => {
      //>
      const { pruneMessages } = await import("ai");
      const prepareStep = ({ messages }) => ({
        messages: pruneMessages({ messages, toolCalls: "before-last-20-messages", emptyMessages: "remove" }),
      });
      //<
      return sdk(given, { prepareStep });
    },
  ],
  [
    "AI SDK",
    "context-chef",
    "peer",
    async (given) => {
      const { chef, fetch, window } = given;
      const small = createOpenAI({ apiKey, fetch }).chat(name);
      const contextWindow = window - given.reply;
      //>
      const { withContextChef } = chef;
      const model = withContextChef(small, { contextWindow, compress: { model: small } });
      //<
      return sdk(given, { model });
    },
  ],
  [
    "AI SDK",
    "precis, a middleware",
    "precis",
    async (given) => {
      const small = createOpenAI({ apiKey, fetch: given.fetch }).chat(name);
      const { window: contextWindow } = given;
      //>
      const { compaction, summarizeWith } = await import("precis/ai-sdk");
      const c = compaction({ contextWindow, summarize: summarizeWith(generateText, { model: small }) });
      const model = wrapLanguageModel({ model: small, middleware: c.middleware });
      //<
      return sdk(given, { model });
    },
  ],
  [
    "AI SDK",
    "precis, `prepareStep`",
    "precis",
    async (given) => {
      const small = createOpenAI({ apiKey, fetch: given.fetch }).chat(name);
      const { window: contextWindow, reply: maxOutputTokens } = given;
      //>
      const { compaction, summarizeWith } = await import("precis/ai-sdk");
      const summarize = summarizeWith(generateText, { model: small });
      const { prepareStep } = compaction({ contextWindow, maxOutputTokens, summarize });
      //<
      return sdk(given, { prepareStep });
    },
  ],
  ["LangChain", "nothing", null, (given) => langchain(given, [])],
  [
    "LangChain",
    "`summarizationMiddleware`",
    "peer",
    async (given) => {
      const model = chatModel(given);
      //>
      const { summarizationMiddleware } = await import("langchain");
      const middleware = [summarizationMiddleware({ model, trigger: { fraction: 0.8 }, keep: { messages: 20 } })];
      //<
      return langchain(given, middleware);
    },
  ],
  [
    "LangChain",
    "precis",
    "precis",
    async (given) => {
      const model = chatModel(given);
      const { window: contextWindow } = given;
      //>
      const { compactionMiddleware } = await import("precis/langchain");
      const middleware = [compactionMiddleware({ contextWindow, summarize: model })];
      //<
      return langchain(given, middleware);
    },
  ],
  [
    "deep agents",
    "their own",
    "peer",
    async (given) => {
      const create = (options) => createDeepAgent({ ...options, model: chatModel(given) });
      //>
      //<
      return langchain(given, [], create);
    },
  ],
  [
    "deep agents",
    "precis",
    "precis",
    async (given) => {
      const model = chatModel(given);
      const { window: contextWindow } = given;
      //>
      const { compactionMiddleware } = await import("precis/langchain");
      const middleware = [compactionMiddleware({ contextWindow, summarize: model })];
      //<
      return langchain(given, middleware, createDeepAgent);
    },
  ],
  ["OpenAI Agents SDK", "nothing", null, (given) => agents(given)],
  [
    "OpenAI Agents SDK",
    "precis",
    "precis",
    async (given) => {
      const { window: contextWindow } = given;
      return agents(given, await kept());
      async function kept() {
        //>
        const { compaction } = await import("precis/openai-agents");
        return (model) => ({ model: compaction({ contextWindow, summarize: model }).chat().model(model) });
        //<
      }
    },
  ],
  ["pi", "nothing", null, (given) => pi(given)],
  [
    "pi",
    "precis",
    "precis",
    async (given) => {
      const { window: contextWindow, reply: maxOutputTokens } = given;
      //>
      const { compaction } = await import("precis/pi");
      const { transformContext } = compaction({ contextWindow, maxOutputTokens });
      //<
      return pi(given, { transformContext });
    },
  ],
  ["Mastra", "nothing", null, (given) => mastra(given)],
  [
    "Mastra",
    "`TokenLimiterProcessor`",
    "peer",
    async (given) => {
      const limit = given.window - given.reply;
      //>
      const { TokenLimiterProcessor } = await import("@mastra/core/processors");
      const inputProcessors = [new TokenLimiterProcessor({ limit })];
      //<
      return mastra(given, { inputProcessors });
    },
  ],
  [
    "Mastra",
    "precis",
    "precis",
    async (given) => {
      const { window: contextWindow } = given;
      //>
      const { compactionProcessor } = await import("precis/mastra");
      const compaction = compactionProcessor({ contextWindow });
      const inputProcessors = [compaction];
      const errorProcessors = [compaction];
      //<
      return mastra(given, { inputProcessors, errorProcessors });
    },
  ],
  ["Cloudflare `AIChatAgent`", "nothing", null, (given) => cloudflare(given, chat.program)],
  ["Cloudflare `AIChatAgent`", "precis", "precis", (given) => cloudflare(given, chat.whole), chat.lines],
  ["Cloudflare Think", "nothing", null, (given) => cloudflare(given, assistant.program)],
  [
    "Cloudflare Think",
    "their own",
    "peer",
    (given) => cloudflare(given, ofThink),
    own.imports.length + own.members.length,
  ],
  ["Cloudflare Think", "precis", "precis", (given) => cloudflare(given, assistant.whole), assistant.lines],
];

/** How many lines a user writes for a way; null for nothing. */
export function linesOf(play) {
  const [, region] = /\/\/>\n(.*?)\/\/</s.exec(play.toString()) ?? [];
  return region === undefined ? null : region.split("\n").filter((line) => line.trim() !== "").length;
}
