// Tool loops of the AI SDK through the real packages of providers, whose servers refuse what the providers refuse.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createDeepSeek } from "@ai-sdk/deepseek";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createMistral } from "@ai-sdk/mistral";
import { createMoonshotAI } from "@ai-sdk/moonshotai";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import { compaction } from "precis/ai-sdk";
import { z } from "zod";
import { createServer } from "../../providers/server.mjs";
import { cases } from "../suite/length.mjs";
import { sdks, ways } from "./sdks.mjs";

const WINDOW = 6_000;
const REPLY = 500;
const STEPS = 30;
const apiKey = "a key";

/** Each package, with the model and the options that let it reason. `server`: who judges; `one`: only without streams. */
const PACKAGES = {
  "@ai-sdk/anthropic, claude-fable-5-2": {
    server: "anthropic",
    model: (fetch) => createAnthropic({ apiKey, fetch })("claude-fable-5-2"),
    providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
  },
  "@ai-sdk/anthropic, claude-opus-5-5": {
    server: "anthropic",
    model: (fetch) => createAnthropic({ apiKey, fetch })("claude-opus-5-5"),
    providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
  },
  "@ai-sdk/anthropic, claude-sonnet-4-5 with a budget": {
    server: "anthropic",
    model: (fetch) => createAnthropic({ apiKey, fetch })("claude-sonnet-4-5"),
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } },
  },
  "@ai-sdk/amazon-bedrock": {
    server: "bedrock",
    one: true,
    model: (fetch) =>
      createAmazonBedrock({ region: "eu-central-1", apiKey, fetch })("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
    providerOptions: { bedrock: { reasoningConfig: { type: "enabled", budgetTokens: 1_024 } } },
  },
  "@ai-sdk/google": {
    server: "gemini",
    model: (fetch) => createGoogleGenerativeAI({ apiKey, fetch })("gemini-3.5-flash"),
  },
  "@ai-sdk/openai, Responses": {
    server: "openai-responses",
    model: (fetch) => createOpenAI({ apiKey, fetch }).responses("gpt-6"),
  },
  "@ai-sdk/openai, Responses without a store": {
    server: "openai-responses",
    model: (fetch) => createOpenAI({ apiKey, fetch }).responses("gpt-6"),
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
  },
  "@ai-sdk/openai, Chat Completions": {
    server: "openai",
    model: (fetch) => createOpenAI({ apiKey, fetch }).chat("gpt-5.6"),
  },
  "@ai-sdk/deepseek": { server: "deepseek", model: (fetch) => createDeepSeek({ apiKey, fetch })("deepseek-v4-pro") },
  "@ai-sdk/moonshotai": { server: "kimi", model: (fetch) => createMoonshotAI({ apiKey, fetch })("kimi-k2-thinking") },
  "@ai-sdk/mistral": { server: "mistral", model: (fetch) => createMistral({ apiKey, fetch })("mistral-large-latest") },
  "@openrouter/ai-sdk-provider": {
    server: "openrouter",
    model: (fetch) => createOpenRouter({ apiKey, fetch })("google/gemini-3.5-flash"),
  },
};

/** Reads a file in each step, two in some; each reply thinks and says something. */
const script = (_, n) => {
  if (n >= STEPS - 1) return { thought: "That is all.", text: "Nothing was found." };
  const calls = Array.from({ length: n % 3 === 0 ? 2 : 1 }, (_, i) => ({
    id: `call_${n}_${i}`,
    name: "read",
    input: { path: `src/file-${n}-${i}.ts` },
  }));
  return { thought: `The next is file ${n}.`, text: `Step ${n}: I look.`, calls };
};

/** Texts that name a stored item and are not what is stored there: the provider would use its own, without a word. */
function replaced(messages, { memory }) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return parts.filter(({ type, text, providerOptions }) => {
    const stored = memory.recall("item", providerOptions?.openai?.itemId ?? "");
    return type === "text" && stored && stored.item.content?.[0]?.text !== text;
  });
}

const sdk = sdks.find(({ version }) => version === 7);

for (const [name, { server: judge, one, model, providerOptions }] of Object.entries(PACKAGES)) {
  for (const way of Object.keys(ways).filter((way) => sdk && !(one && way === "streamText"))) {
    for (const reasoning of ["keep", "drop-old"].slice(0, cases(2, 1))) {
      test(`${name}, ${way}, ${reasoning}: ${STEPS} steps, none refused`, async (context) => {
        const server = createServer(judge);
        const sent = [];
        const run = compaction({ contextWindow: WINDOW, maxOutputTokens: REPLY, reasoning, providerOptions }).run();
        const read = sdk.ai.tool({
          description: "Reads a file",
          inputSchema: z.object({ path: z.string() }),
          execute: async ({ path }) => `${path}: ${"the quick brown fox jumps over the lazy dog. ".repeat(12)}`,
        });
        const done = await ways[way](sdk, {
          model: run.model(model(server.fetch(script))),
          system: "You search files.",
          messages: [{ role: "user", content: "Which file mentions the invoice 4711?" }],
          tools: { read },
          maxOutputTokens: REPLY,
          maxRetries: 0,
          stopWhen: sdk.stepCountIs(STEPS),
          prepareStep: async (step) => {
            const prepared = await run.prepareStep(step);
            sent.push(...(prepared?.messages ?? step.messages));
            return prepared;
          },
          onStepFinish: run.onStepFinish,
          ...(providerOptions && { providerOptions }),
        }).catch((error) => ({ error }));
        const refused = server.refused.map(([{ rule, text }]) => ({ rule, text }));
        deepEqual(refused, []);
        equal(done.error ?? done.failure, undefined);
        equal(server.judged, STEPS);
        deepEqual(
          replaced(sent, server),
          [],
          "a text was edited that goes out by reference, so the stored one is used",
        );
        ok(
          run.reports.some(({ outcome }) => outcome === "compacted"),
          "nothing was compacted",
        );
        context.diagnostic(`${judge}: ${server.judged} requests judged, refused: ${server.refused.length}`);
      });
    }
  }
}
