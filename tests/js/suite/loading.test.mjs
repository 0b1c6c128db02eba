// The package as it is installed: each entry loads, in whatever way and place the run chose.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMeter, load } from "precis";
import { aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";

// What is measured here is what the engine says.
await load();

for (const format of [aiSdk, aiSdkUI, anthropic, gemini, openaiChat, openaiResponses]) {
  test(`the engine answers at the first call, nothing to initialize (${format.name})`, () => {
    const text = "How many planets are there?";
    // Each format finds the text where its messages have it.
    const messages = [
      { role: "user", content: text, parts: format === gemini ? [{ text }] : [{ type: "text", text }] },
    ];
    const meter = createMeter({ format, contextWindow: 8_000 });
    assert.ok(meter.usage({ messages }).tokens > 0);
    assert.deepEqual(check(format, messages), []);
  });
}
