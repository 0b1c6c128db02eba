// A meter before the engine is loaded: what it counts is rough and says so, and once the engine is there the engine counts.
// In a file of its own, because one compactor in the process is enough to load the engine.
import { createCompactor, createMeter, load, PrecisError, summaryOf } from "precis";
import { aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { chat, deepEqual, equal, ok, test, throws } from "./harness.mjs";

const messages = chat(40);
const refusal = (code, path) => (error) =>
  error instanceof PrecisError && error.code === code && error.path === path && error.advice.length > 20;

const windows = [500, 8_000, 128_000, 1_000_000].flatMap((contextWindow) =>
  [{}, { maxOutputTokens: 100 }, { tune: { reserve: 50 } }, { tune: { maxInputTokens: 400 } }].map((more) => ({
    format: openaiChat,
    contextWindow,
    ...more,
  })),
);
/** What is asked before the engine is there, and again once it is. */
const calls = [
  { messages },
  { messages, system: "You are a clerk. ".repeat(200) },
  {
    messages: chat(3, 3_000),
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
  },
  { messages: [] },
  { messages: [{ role: "user", content: "把这个文件里的所有日期都改成世界协调时，然后运行测试。".repeat(20) }] },
  { messages: [{ role: "user", content: "Где лежит отчёт о заказе 4711? Пришлите его, пожалуйста.".repeat(20) }] },
];
const meters = windows.map((options) => createMeter(options));
const before = meters.map((meter) => calls.map((call) => meter.usage(call)));

test("before the engine is loaded a meter counts a quarter of the bytes, and says that this is rough", () => {
  const { tokens, source, bound, fraction, window, parts, raw } = before.at(-1)[0];
  const bytes = messages.reduce((sum, { content }) => sum + content.length, 0);
  equal(source, "rough");
  equal(tokens, messages.length * 4 + bytes / 4);
  equal(raw, tokens);
  equal(fraction, tokens / window);
  equal(
    Object.values(parts).reduce((sum, part) => sum + part, 0),
    tokens,
  );
  ok(bound > tokens / 2 && parts.user > 0 && parts.assistant > 0);
});

test("every format can be measured so, and what it holds is counted", () => {
  const text = "How many planets are there?";
  for (const format of [aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses]) {
    const own = [{ role: "user", content: text, parts: format === gemini ? [{ text }] : [{ type: "text", text }] }];
    const { tokens, source } = createMeter({ format, contextWindow: 8_000 }).usage({ messages: own });
    deepEqual([tokens, source], [4 + Math.ceil(text.length / 4), "rough"], format.name);
  }
  const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(400_000) } };
  const input = { path: "src/main.rs", lines: [1, 2] };
  const { parts } = createMeter({ format: anthropic, contextWindow: 8_000 }).usage({
    messages: [
      { role: "user", content: [picture] },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "fn main() {}" }] },
    ],
  });
  ok(parts.media === 1_000 && parts.toolResults === 3 && parts.assistant > 10, JSON.stringify(parts));
});

test("a text that is replaced in place, or in another object, is counted again", () => {
  const meter = createMeter({ format: aiSdk, contextWindow: 8_000 });
  const own = [1, 2, 3].map((i) => ({ role: "user", content: [{ type: "text", text: `message ${i}` }] }));
  const before = meter.usage({ messages: own }).tokens;
  own[1].content[0].text = "a much longer message than it was before";
  const after = meter.usage({ messages: own }).tokens;
  equal(after, createMeter({ format: aiSdk, contextWindow: 8_000 }).usage({ messages: structuredClone(own) }).tokens);
  ok(after > before);
  own[1].content.push({ type: "text", text: "and one more" });
  own[0] = { role: "assistant", content: "x" };
  deepEqual(
    meter.usage({ messages: own }).parts,
    createMeter({ format: aiSdk, contextWindow: 8_000 }).usage({ messages: structuredClone(own) }).parts,
  );
});

test("what a meter cannot know without the engine is refused, and says what to do", () => {
  const { usage } = createMeter({ format: openaiChat, contextWindow: 8_000 });
  const state = { version: 1, revision: 3, checkpoints: [{ summary: { text: "- a" } }] };
  throws(() => usage({ messages, state }), refusal("needs-engine", "state"));
  throws(() => usage({ messages, offset: 3 }), refusal("needs-engine", "offset"));
  throws(() => usage({ messages, state: { version: 2 } }), refusal("newer-state", "state.version"));
  throws(() => usage({ messages, state: "{}" }), refusal("invalid-state", "state"));
  equal(usage({ messages, state: { version: 1, revision: 0 } }).source, "rough");
});

test("wrong input is refused as the engine refuses it", () => {
  const { usage } = createMeter({ format: openaiChat, contextWindow: 8_000 });
  throws(() => usage({ messages: "none" }), refusal("messages-not-array", "messages"));
  throws(() => usage({ messages: [messages[0], null] }), refusal("message-hole", "messages[1]"));
  throws(() => usage({ messages, sate: {} }), refusal("invalid-call", "sate"));
  throws(
    () => usage({ messages: [{ role: "user", parts: [{ type: "text", text: "x" }] }] }),
    refusal("wrong-format", "messages"),
  );
  for (const contextWindow of [0, -1, 1.5, Number.NaN, "8k", undefined])
    throws(
      () => createMeter({ format: openaiChat, contextWindow }).usage({ messages }),
      refusal("invalid-window", "contextWindow"),
    );
  throws(
    () => createMeter({ format: openaiChat, contextWindow: () => 0 }).usage({ messages }),
    refusal("invalid-window", "contextWindow"),
  );
  throws(
    () => createMeter({ format: openaiChat, contextWindow: 8_000, maxOutputTokens: "9" }),
    refusal("invalid-option", "maxOutputTokens"),
  );
  throws(
    () => createMeter({ format: openaiChat, contextWindow: 8_000, tune: { reserve: -1 } }),
    refusal("invalid-option", "tune.reserve"),
  );
  throws(() => createMeter({ format: {}, contextWindow: 8_000 }), refusal("invalid-option", "format"));
  const cycle = { role: "user", content: "x", extra: {} };
  cycle.extra.self = cycle;
  ok(usage({ messages: [cycle] }).tokens > 0);
});

test("a summary can be read where there is no engine", () => {
  const text =
    "[Summary of the conversation so far]\n- order 4711\n[End of the summary. The conversation continues below.]";
  equal(
    summaryOf({ version: 1, revision: 1, checkpoints: [{ summary: { text: "old" } }, { summary: { text } }] }),
    "- order 4711",
  );
  equal(summaryOf({ version: 1, revision: 1 }), null);
  throws(
    () => summaryOf({ version: 1, revision: 1, checkpoints: [{}] }),
    refusal("invalid-state", "state.checkpoints[0].summary"),
  );
});

test("once the engine is loaded it measures, also for a meter that was made before", async () => {
  deepEqual(await load(), { problem: null });
  windows.forEach((options, at) => {
    const exact = createCompactor(options);
    calls.forEach((call, which) => {
      const engine = exact.usage(call);
      deepEqual(meters[at].usage(call), engine);
      const rough = before[at][which];
      const where = JSON.stringify([options.contextWindow, which]);
      // What is fixed may be tight by one count and not by the other.
      if (which !== 1) equal(rough.trigger, engine.trigger, where);
      equal(rough.window, engine.window, where);
    });
  });
});

test("what is counted roughly is within its bound of what the engine counts", async () => {
  for (const [at, usages] of before.entries())
    for (const [which, { tokens, bound }] of usages.entries()) {
      const engine = meters[at].usage(calls[which]).tokens;
      ok(engine <= tokens + bound + 20 && engine >= tokens / 2 - 20, `${which}: ${tokens} for ${engine}`);
    }
});
