// What providers report as usage, and what afterModel makes of it.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, frozen, notDeepEqual, ok, test } from "./harness.mjs";

const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000, maxOutputTokens: 1_000 });
const messages = chat(6);
const prepared = () => compactor.commit({ messages }, compactor.plan({ messages }));
const after = (usage, request) => compactor.afterModel(frozen(prepared().state), usage, request);

const trusted = {
  "OpenAI chat": {
    prompt_tokens: 800,
    completion_tokens: 50,
    total_tokens: 850,
    prompt_tokens_details: { cached_tokens: 600 },
  },
  "OpenAI Responses": {
    input_tokens: 800,
    input_tokens_details: { cached_tokens: 600 },
    output_tokens: 50,
    total_tokens: 850,
  },
  Anthropic: { input_tokens: 100, cache_read_input_tokens: 600, cache_creation_input_tokens: 100, output_tokens: 50 },
  "Anthropic without cache": {
    input_tokens: 800,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    output_tokens: 50,
  },
  "Anthropic, one pass": { input_tokens: 800, output_tokens: 50, iterations: [{ type: "message", input_tokens: 800 }] },
  Gemini: { promptTokenCount: 800, cachedContentTokenCount: 600, candidatesTokenCount: 30, thoughtsTokenCount: 20 },
  "Gemini's answer": { usageMetadata: { promptTokenCount: 800, candidatesTokenCount: 50 } },
  "AI SDK 5": { inputTokens: 800, outputTokens: 50, totalTokens: 850, cachedInputTokens: 600 },
  "AI SDK 6": { inputTokens: 800, inputTokenDetails: { cacheReadTokens: 700 }, outputTokens: 50 },
  "AI SDK 7": { inputTokens: { total: 800, noCache: 100, cacheRead: 700 }, outputTokens: { total: 50, text: 50 } },
  "a step of the AI SDK 5 with Anthropic, which leaves out what was cached": {
    usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 60 },
    providerMetadata: {
      anthropic: {
        usage: { input_tokens: 100, cache_read_input_tokens: 60, cache_creation_input_tokens: 640, output_tokens: 1 },
      },
    },
  },
  "a step of the AI SDK 6 with Anthropic": {
    usage: { inputTokens: 800, inputTokenDetails: { noCacheTokens: 100 }, outputTokens: 50 },
    providerMetadata: {
      anthropic: { usage: { input_tokens: 100, cache_read_input_tokens: 700, output_tokens: 50 } },
    },
  },
  "a step of the AI SDK with another provider": {
    usage: { inputTokens: 800, outputTokens: 50, totalTokens: 850 },
    providerMetadata: { openai: { responseId: "r1" } },
  },
  Bedrock: { inputTokens: 100, cacheReadInputTokens: 600, cacheWriteInputTokens: 100, outputTokens: 50 },
  "a whole answer": { id: "r1", usage: { prompt_tokens: 800, completion_tokens: 50 } },
  "without output": { prompt_tokens: 800 },
};

for (const [name, usage] of Object.entries(trusted)) {
  test(`${name} is learned from`, () => {
    deepEqual(after(usage), after({ prompt_tokens: 800, completion_tokens: 50 }));
    notDeepEqual(after(usage), after(undefined));
  });
}

const throwing = {
  get prompt_tokens() {
    throw new Error("no");
  },
};
const ignored = {
  nothing: undefined,
  null: null,
  "a number": 800,
  "a string": "800",
  "a list": [],
  "an empty object": {},
  zero: { prompt_tokens: 0, completion_tokens: 0 },
  negative: { prompt_tokens: -800, completion_tokens: 50 },
  NaN: { prompt_tokens: Number.NaN, completion_tokens: 50 },
  infinite: { prompt_tokens: Number.POSITIVE_INFINITY, completion_tokens: 50 },
  "a fraction": { prompt_tokens: 800.5, completion_tokens: 50 },
  text: { prompt_tokens: "800", completion_tokens: "50" },
  "a BigInt": { prompt_tokens: 800n },
  "output alone": { completion_tokens: 50 },
  "partly no numbers": { input_tokens: 100, cache_read_input_tokens: "600", output_tokens: 50 },
  "the AI SDK's unknown": { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
  "a compaction on the server": {
    input_tokens: 800,
    output_tokens: 50,
    iterations: [{ type: "compaction" }, { type: "message" }],
  },
  "the same in a step of the AI SDK": {
    usage: { inputTokens: 800, outputTokens: 50 },
    providerMetadata: {
      anthropic: {
        usage: { input_tokens: 800, output_tokens: 50, iterations: [{ type: "compaction" }, { type: "message" }] },
      },
    },
  },
  "the same through the AI SDK": {
    inputTokens: 800,
    outputTokens: 50,
    raw: { iterations: [{ type: "compaction" }, { type: "message" }] },
  },
  "AI SDK 5 without what was cached": { inputTokens: 40, outputTokens: 50, cachedInputTokens: 760 },
  "a throwing getter": throwing,
  "a throwing getter inside": { usage: throwing },
};

for (const [name, usage] of Object.entries(ignored)) {
  test(`usage is ignored: ${name}`, () => {
    deepEqual(after(usage), after(undefined));
  });
}

test("what was reported is shown by the meter", () => {
  const before = compactor.usage({ messages, state: prepared().state });
  const state = after({ prompt_tokens: 3_000, completion_tokens: 50 });
  const meter = compactor.usage({ messages, state });
  ok(before.source === "estimated" && meter.source === "reported");
  ok(Math.abs(meter.tokens - 3_000) <= 1, `${meter.tokens}`);
});

test("a report for another request is ignored", () => {
  const { state, report } = prepared();
  const usage = { prompt_tokens: 3_000, completion_tokens: 50 };
  deepEqual(compactor.afterModel(state, usage, "some-other"), state);
  notDeepEqual(compactor.afterModel(state, usage, report.request), state);
});

test("a report is taken once", () => {
  const once = after({ prompt_tokens: 3_000 });
  deepEqual(compactor.afterModel(once, { prompt_tokens: 9_000 }), once);
});
