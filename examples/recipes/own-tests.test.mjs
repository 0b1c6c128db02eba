// Tests of an app of your own that uses precis: `node --test own-tests.test.mjs`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { check, history, replay, scriptedSummarizer } from "precis/testing";

/** As your app makes it: give the summarizer as an argument, so that a test can give another. */
const appCompactor = (summarize) =>
  createCompactor({
    format: openaiChat,
    contextWindow: 8_000,
    maxOutputTokens: 800,
    summarize,
    summarizer: { contextWindow: 128_000 },
  });

test("every request of many made-up chats is one that a provider takes", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const { problems } = await replay(appCompactor(), openaiChat, history(openaiChat, { seed, turns: 12 }));
    assert.deepEqual(problems, [], `seed ${seed}`);
  }
});

test("the summary reaches the model, and a summarizer that fails costs nobody a request", async () => {
  const summarize = scriptedSummarizer(["- order 4711 was refunded", new Error("overloaded")]);
  const compactor = appCompactor(summarize);
  const messages = history(openaiChat, { seed: 3, turns: 12 });
  const first = await compactor.compact({ messages });
  assert.match(JSON.stringify(first.view), /order 4711 was refunded/);
  const longer = [...messages, ...history(openaiChat, { seed: 4, turns: 12 })];
  const second = await compactor.compact({ messages: longer, state: first.state });
  assert.equal(second.report.summarizer.failed !== null, true);
  assert.deepEqual(check(openaiChat, second.view), []);
});
