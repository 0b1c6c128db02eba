// What `precis/models` knows of models, by whatever name a platform gives them, and what it refuses to guess.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { auto, limitsOf, modelsDate } from "precis/models";

const source = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("a model is found by its id, whatever stands before it and whenever it was made", () => {
  const names = {
    "claude-opus-4-8": [
      "claude-opus-4-8",
      "claude-opus-4.8",
      "Claude-Opus-4-8",
      "anthropic/claude-opus-4.8",
      "openrouter/anthropic/claude-opus-4.8",
      "us.anthropic.claude-opus-4-8-20260512-v1:0",
      "anthropic.claude-opus-4-8-v1",
      "arn:aws:bedrock:us-east-1:1234567890:inference-profile/us.anthropic.claude-opus-4-8-20260512-v1:0",
      "claude-opus-4-8@20260512",
      "publishers/anthropic/models/claude-opus-4-8@latest",
      "claude-opus-4-8-latest",
    ],
    "gpt-5.4": ["openai/gpt-5.4", "gpt-5.4-2026-03-05", "azure/gpt-5-4", "ft:gpt-5.4-2026-03-05:my-org:mine:abc123"],
    "gpt-5.4-mini": ["gpt-5.4-mini", "openai/gpt-5.4-mini-2026-03-17"],
    "gemini-2.5-pro": ["models/gemini-2.5-pro", "gemini-2.5-pro-preview-05-06", "google/gemini-2.5-pro-002"],
    "claude-sonnet-4-0": ["claude-sonnet-4", "anthropic/claude-sonnet-4", "claude-sonnet-4-20250514"],
    "deepseek-chat": ["deepseek/deepseek-chat"],
  };
  for (const [id, others] of Object.entries(names)) {
    const limits = limitsOf(id);
    ok(limits, id);
    for (const other of others) deepEqual(limitsOf(other), limits, other);
  }
  deepEqual(limitsOf("gpt-5.4"), {
    ...{ contextWindow: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000 },
    ...{ cliffs: [272_000], bindsThinking: false },
  });
  deepEqual(limitsOf("claude-haiku-5-5").cliffs, [100_000]);
  equal(limitsOf("claude-opus-5-5").bindsThinking, true);
  equal(limitsOf("claude-opus-4-8").bindsThinking, false);
});

test("another model is no model that is known, however much its name has in common with one", () => {
  const unknown = [
    "gpt-7",
    "gpt-5.4-micro",
    "claude-opus-4-9",
    "claude-opus-6",
    "my-model",
    "",
    "llama3:8b",
    "gpt",
    "4o",
  ];
  unknown.push(
    "gpt-4o-audio-preview",
    "not-gpt-4o",
    "mygpt-4o",
    "claude",
    "opus-4-8",
    "-",
    "/",
    "a".repeat(10_000),
    "💥",
  );
  for (const model of unknown) equal(limitsOf(model), null, model.slice(0, 40));
  for (const model of [undefined, null, 7, {}]) equal(limitsOf(model), null);
});

test("every id of the table is found by itself, and by itself alone", () => {
  const table = [
    ...source("js/src/models/table.ts").matchAll(/^ {2}\["([^"]+)", (\d+),(\d+),(\d+),([01])((?:,\d+)*)\],$/gm),
  ];
  ok(table.length > 50);
  let count = 0;
  for (const [, ids, window, output, input, , cliffs] of table)
    for (const id of ids.split(" ")) {
      const limits = limitsOf(id);
      equal(limits?.contextWindow, Number(window), id);
      equal(limits.maxOutputTokens, Number(output), id);
      equal(limits.maxInputTokens ?? 0, Number(input), id);
      deepEqual(limits.cliffs, cliffs.split(",").slice(1).map(Number), id);
      count += 1;
    }
  ok(count > 150, `${count} ids`);
  ok(/^\d{4}-\d{2}-\d{2}$/.test(modelsDate));
  ok(source("js/scripts/models.newer.json").includes(`"date": "${modelsDate}"`));
});

test("the window of a call is that of its model; where the request alone is limited, that limit", () => {
  const { contextWindow, trigger } = auto();
  equal(contextWindow("claude-haiku-4-5-20251001"), 200_000);
  equal(contextWindow("gpt-5.4"), 922_000);
  equal(trigger, undefined);
});

test("a model of yours is known under each of its names, and wins over the table", () => {
  const { contextWindow } = auto({ models: { "my-model": 32_000, "gpt-4o": { contextWindow: 64_000 } } });
  equal(contextWindow("my-model"), 32_000);
  equal(contextWindow("lab/my-model-20260101"), 32_000);
  equal(contextWindow("openai/gpt-4o-2024-08-06"), 64_000);
  equal(contextWindow("gpt-4o-mini"), 128_000);
});

test("a model that nobody knows is refused, with what to write", async () => {
  const { contextWindow } = auto();
  throws(() => contextWindow("gpt-5.4-micro"), {
    ...{ name: "PrecisError", code: "invalid-window", path: "contextWindow" },
    message: /it knows gpt-5\.4[^)]*\)\. Write auto\(\{ models: \{ "gpt-5\.4-micro": 128_000 \} \}\)/,
  });
  throws(() => contextWindow(undefined), { code: "invalid-window", message: /Pass `model`/ });
  for (const given of [0, -1, 1.5, "128k", null, {}, { contextWindow: "1" }, { contextWindow: 1, cliffs: [0] }])
    throws(() => auto({ models: { m: given } }), { code: "invalid-option", path: 'models["m"]' });
  const compactor = createCompactor({ format: openaiChat, ...auto() });
  const messages = [{ role: "user", content: "Hello." }];
  await rejects(compactor.beforeModel({ messages, model: "nobody" }), { code: "invalid-window" });
  await rejects(compactor.beforeModel({ messages }), { code: "invalid-window" });
  throws(() => createCompactor({ format: openaiChat, contextWindow: "auto" }), {
    ...{ code: "invalid-window", message: /precis\/models/ },
  });
});

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(40);
const past = (turns) =>
  Array.from({ length: turns * 2 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}: ${LONG}`,
  }));

test("a compaction begins below the price cliff of a model where you ask for it, and only there", async () => {
  // About 600 tokens a message: more than 100,000, far below 1,000,000.
  const messages = [...past(110), { role: "user", content: "And now?" }];
  const before = async (options, model) => {
    const compactor = createCompactor({ format: openaiChat, ...options });
    return (await compactor.beforeModel({ messages, model })).report;
  };
  const cheap = await before(auto({ cliffs: true }), "claude-haiku-5-5");
  equal(cheap.outcome, "compacted");
  ok(cheap.before.tokens > 100_000 && cheap.after.tokens + cheap.after.bound < 100_000);
  equal(cheap.after.window, 1_000_000);
  equal((await before(auto(), "claude-haiku-5-5")).outcome, "unchanged");
  equal((await before(auto({ cliffs: true }), "claude-opus-4-8")).outcome, "unchanged");
  // What a call says itself wins.
  const compactor = createCompactor({ format: openaiChat, ...auto({ cliffs: true }) });
  const trigger = { tokens: 900_000 };
  equal((await compactor.beforeModel({ messages, model: "claude-haiku-5-5", trigger })).report.outcome, "unchanged");
});

test("a call with nothing to do costs no more with a table than with a number", async () => {
  const compactor = createCompactor({ format: openaiChat, ...auto({ cliffs: true }) });
  const messages = past(3);
  messages.push({ role: "user", content: "One." });
  const first = await compactor.beforeModel({ messages, model: "claude-haiku-5-5" });
  messages.push({ role: "assistant", content: "Two." }, { role: "user", content: "Three." });
  const second = await compactor.beforeModel({ messages, model: "claude-haiku-5-5", state: first.state });
  equal(second.report.outcome, "unchanged");
  // The fast path hands on what it was given.
  equal(second.report.rung, "pass");
});

test("a window that a refusal revealed wins over the table", async () => {
  const compactor = createCompactor({ format: openaiChat, ...auto() });
  const messages = [...past(60), { role: "user", content: "And now?" }];
  const model = "claude-opus-4-8";
  const first = await compactor.beforeModel({ messages, model });
  equal(first.report.outcome, "unchanged");
  const overflow = new Error("prompt is too long: 36512 tokens > 20000 maximum");
  const second = await compactor.beforeModel({ messages, model, state: first.state, overflow });
  ok(second.report.after.tokens < 20_000);
  messages.push({ role: "assistant", content: LONG }, { role: "user", content: "Go on." });
  const third = await compactor.beforeModel({ messages, model, state: second.state });
  ok(third.report.after.window <= 20_000, String(third.report.after.window));
  ok(third.report.after.tokens < 20_000);
});
