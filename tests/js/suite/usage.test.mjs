// What providers report as usage, and what afterModel makes of it.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, match, notDeepEqual, ok, test } from "./harness.mjs";

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
  Gemini: { promptTokenCount: 800, cachedContentTokenCount: 600, candidatesTokenCount: 50 },
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
  "a stream of Anthropic's": [
    {
      type: "message_start",
      message: { usage: { input_tokens: 100, cache_read_input_tokens: 700, output_tokens: 1 } },
    },
    { type: "content_block_delta", delta: { text: "…" } },
    { type: "message_delta", usage: { output_tokens: 20 } },
    { type: "message_delta", usage: { output_tokens: 50 } },
  ],
  "a stream of OpenAI's": [{ choices: [], usage: null }, { usage: { prompt_tokens: 800, completion_tokens: 50 } }],
  "a stream whose usage grows": [
    { usageMetadata: { promptTokenCount: 800, candidatesTokenCount: 3 } },
    { usageMetadata: { promptTokenCount: 800, candidatesTokenCount: 50 } },
  ],
  "a stream of Bedrock's": [
    { contentBlockDelta: { delta: { text: "…" }, contentBlockIndex: 0 } },
    { messageStop: { stopReason: "end_turn" } },
    {
      metadata: { usage: { inputTokens: 100, cacheReadInputTokens: 700, outputTokens: 50 }, metrics: { latencyMs: 9 } },
    },
  ],
  "a stream of Cohere's": [
    { type: "content-delta", index: 0, delta: { message: { content: { text: "…" } } } },
    {
      type: "message-end",
      delta: { usage: { billed_units: { input_tokens: 9 }, tokens: { input_tokens: 800, output_tokens: 50 } } },
    },
  ],
  "the newest of several steps": {
    totalUsage: { inputTokens: 1_500, outputTokens: 90 },
    steps: [{ usage: { inputTokens: 700, outputTokens: 40 } }, { usage: { inputTokens: 800, outputTokens: 50 } }],
  },
  Cohere: { usage: { billed_units: { input_tokens: 9 }, tokens: { input_tokens: 800, output_tokens: 50 } } },
  Ollama: { prompt_eval_count: 800, eval_count: 50 },
};

const thoughtful = {
  "OpenAI chat": { prompt_tokens: 800, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 30 } },
  "OpenAI Responses": { input_tokens: 800, output_tokens: 50, output_tokens_details: { reasoning_tokens: 30 } },
  Gemini: { promptTokenCount: 800, candidatesTokenCount: 20, thoughtsTokenCount: 30 },
  "AI SDK 5": { inputTokens: 800, outputTokens: 50, reasoningTokens: 30 },
  "AI SDK 6": { inputTokens: 800, outputTokens: 50, outputTokenDetails: { textTokens: 20, reasoningTokens: 30 } },
  "AI SDK 7": { inputTokens: { total: 800 }, outputTokens: { total: 50, text: 20, reasoning: 30 } },
};

for (const [name, usage] of Object.entries(thoughtful)) {
  test(`reasoning is told apart: ${name}`, () => {
    deepEqual(after(usage), after(thoughtful["OpenAI chat"]));
    notDeepEqual(after(usage), after({ prompt_tokens: 800, completion_tokens: 50 }));
  });
}

test("without output the prompt is learned all the same", () => {
  const state = after({ prompt_tokens: 800 });
  ok(compactor.usage({ messages, state }).tokens === 800);
  ok(compactor.usage({ messages, state: after({ prompt_tokens: 800, completion_tokens: -5 }) }).tokens === 800);
});

test("the reply counts as the provider counted it", () => {
  const reply = {
    role: "assistant",
    content: "The build failed in the linker: two crates define one symbol. ".repeat(8),
  };
  const tune = { tokens: { estimator: "bytes4" } };
  const steep = createCompactor({ format: openaiChat, contextWindow: 100_000, tune });
  const grown = (usage) => {
    const state = steep.afterModel(steep.commit({ messages }, steep.plan({ messages })).state, usage);
    const history = [...messages, reply];
    return steep.usage({ messages: history, state }).tokens - steep.usage({ messages, state }).tokens;
  };
  const alone = grown({ prompt_tokens: 800 });
  for (const output of [100, 130, 170]) {
    const added = grown({ prompt_tokens: 800, completion_tokens: output });
    ok(added >= output && added <= output + 12, `${added} for ${output}`);
  }
  // Neither what is far too little (a stream cut off) nor what is far too much (reasoning nobody sees again) is the reply.
  ok(grown({ prompt_tokens: 800, completion_tokens: 3 }) === alone);
  ok(grown({ prompt_tokens: 800, completion_tokens: 9_000 }) === alone);
  const details = { completion_tokens_details: { reasoning_tokens: 8_900 } };
  const visible = grown({ prompt_tokens: 800, completion_tokens: 9_000, ...details });
  ok(visible >= 100 && visible <= 112, `${visible}`);
});

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
/** Usage that nothing is learned from. */
const untrusted = {
  zero: { prompt_tokens: 0, completion_tokens: 0 },
  "the AI SDK's unknown": { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
  "the unknown of the AI SDK 7": { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
  "an answer whose usage is null": { id: "r1", choices: [], usage: null },
  "a stream whose usage is null": [{ choices: [], usage: null }, { choices: [] }],
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
  "a compaction in a stream": [
    { usage: { input_tokens: 800, output_tokens: 50, iterations: [{ type: "compaction" }, { type: "message" }] } },
  ],
  "a placeholder of Claude Code's": { input_tokens: 0, output_tokens: 1 },
};

/** What a host passes where there is no usage. */
const nothing = { nothing: undefined, null: null, "a list": [], "an empty object": {} };

/** What nobody knows, or what is no count: the host thinks that it reported something. */
const unread = {
  "a number": 800,
  "a string": "800",
  negative: { prompt_tokens: -800, completion_tokens: 50 },
  NaN: { prompt_tokens: Number.NaN, completion_tokens: 50 },
  infinite: { prompt_tokens: Number.POSITIVE_INFINITY, completion_tokens: 50 },
  "a fraction": { prompt_tokens: 800.5, completion_tokens: 50 },
  text: { prompt_tokens: "800", completion_tokens: "50" },
  "a BigInt": { prompt_tokens: 800n },
  "output alone": { completion_tokens: 50 },
  "partly no numbers": { input_tokens: 100, cache_read_input_tokens: "600", output_tokens: 50 },
  "a stream of other things": [null, 7, {}],
  "an answer without usage": { id: "r1", choices: [{ message: { role: "assistant", content: "Done." } }] },
  "names of its own": { tokensIn: 800, tokensOut: 50 },
  "names of its own within an answer": { usage: { tokensIn: 800, tokensOut: 50 } },
  "a throwing getter": throwing,
  "a throwing getter inside": { usage: throwing },
  "what cannot be looked into": new Proxy(
    {},
    {
      ownKeys() {
        throw new Error("no");
      },
    },
  ),
};

const warns = (state) => {
  const { report } = compactor.commit({ messages, state }, compactor.plan({ messages, state }));
  return report.warnings.filter(({ code }) => code === "usage-unread");
};

for (const [name, usage] of Object.entries({ ...nothing, ...untrusted })) {
  test(`usage is ignored: ${name}`, () => {
    deepEqual(after(usage), after(undefined));
    deepEqual(warns(after(usage)), []);
  });
}

for (const [name, usage] of Object.entries(unread)) {
  test(`usage is ignored, and the next report says so: ${name}`, () => {
    const { unread, ...rest } = after(usage);
    deepEqual(rest, after(undefined));
    const [{ path, advice }] = warns(after(usage));
    equal(path, "usage");
    match(advice, /`afterModel`.*nothing was learned.*\{ prompt_tokens: 1234 \}/);
  });
}

test("usage that cannot be read is reported by every call until one can be, also on the fast path", async () => {
  const history = chat(6);
  let state = null;
  const told = [];
  for (const usage of [{ tokensIn: 800 }, undefined, { tokensIn: 900 }, { prompt_tokens: 900 }, undefined]) {
    const next = await compactor.beforeModel({ messages: history, state });
    told.push(next.report.warnings.some(({ code }) => code === "usage-unread"));
    state = compactor.afterModel(next.state, usage, next.report.request);
    history.push({ role: "assistant", content: "Done." }, { role: "user", content: "And the next?" });
  }
  deepEqual(told, [false, true, true, true, false]);
});

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

test("a total of usage in place of one request's is not believed, and the past stays in the view", async () => {
  const small = createCompactor({ format: openaiChat, contextWindow: 20_000, maxOutputTokens: 1_000 });
  const talk = chat(30);
  let state = null;
  let own = 0;
  for (const prompt_tokens of [60_000, 62_000, 64_000]) {
    const { view, report, ...next } = await small.beforeModel({ messages: talk, state });
    own ||= report.after.tokens;
    deepEqual(view, talk);
    ok(report.after.tokens === own && report.outcome === "unchanged", `${report.after.tokens}, not ${own}`);
    ok(state === null || report.warnings.some(({ code }) => code === "usage-doubted"));
    state = small.afterModel(next.state, { prompt_tokens, completion_tokens: 50 }, report.request);
  }
  const { report, ...last } = await small.beforeModel({ messages: talk, state });
  state = small.afterModel(last.state, { prompt_tokens: own + 20, completion_tokens: 50 }, report.request);
  const right = await small.beforeModel({ messages: talk, state });
  ok(right.report.after.tokens === own + 20 && right.report.after.source === "reported");
  ok(!right.report.warnings.some(({ code }) => code === "usage-doubted"));
});
