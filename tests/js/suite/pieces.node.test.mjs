// A past of half a million tokens for summarizers with small windows: nothing is left out, every request fits.
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, test } from "./harness.mjs";
import { spread } from "./length.mjs";
import { random } from "./scenarios.mjs";

const WORDS =
  "the order was sent back because it did not fit and now the customer wants to know when the money will be there; la commande est arrivée trop tard; 这个订单已经退款; der Server antwortet nicht mehr auf Anfragen".split(
    " ",
  );
const next = random(7);
let number = 0;
/** A text of so many words that says of itself which one it is, at its beginning, in its middle, and at its end. */
function text(words) {
  const mark = number++;
  const all = Array.from({ length: words }, () => WORDS[Math.floor(next() * WORDS.length)]);
  all[0] = `#${mark}a#`;
  all[words >> 1] = `#${mark}b#`;
  all[words - 1] = `#${mark}c#`;
  return all.join(" ");
}

const compactor = (more = {}) =>
  createCompactor({
    format: openaiChat,
    contextWindow: 900_000,
    maxOutputTokens: 8_000,
    // All but the question is covered.
    tune: { shares: { tail: 0 } },
    ...more,
  });
const tokens = (content) => compactor().usage({ messages: [{ role: "user", content }] }).tokens;

const messages = [];
/** Texts, and results of which the beginning is enough. */
const marks = [];
for (let size = 0; size < 660_000; ) {
  const say = (role, words) => {
    const content = text(words);
    messages.push({ role, content });
    marks.push(...["a", "b", "c"].map((part) => `#${number - 1}${part}#`));
    size += words * 1.6;
  };
  say("user", 20 + Math.floor(next() * 200));
  for (let call = 0; call < 2; call++) {
    const id = `call_${number}`;
    const args = JSON.stringify({ path: `src/${id}.rs` });
    messages.push({
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "read", arguments: args } }],
    });
    messages.push({ role: "tool", tool_call_id: id, content: text(200 + Math.floor(next() * 3_000)) });
    marks.push(`src/${id}.rs`, `#${number - 1}a#`);
    size += 2_700;
  }
  // Now and then something far longer than any of the windows.
  say("assistant", next() < 0.02 ? 30_000 : 50 + Math.floor(next() * 500));
}
frozen(messages);
const question = { role: "user", content: "And now?" };

for (const window of spread([8_000, 2_000, 32_000], 1)) {
  test(`a past of half a million tokens for a summarizer with ${window}`, async () => {
    ok(tokens(messages.map(({ content }) => content).join("\n")) > 500_000);
    const told = new Set();
    const kinds = {};
    let largest = 0;
    let notes = 0;
    let last;
    const summarize = (request) => {
      const { kind, system, prompt, maxOutputTokens } = request;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
      largest = Math.max(largest, tokens(system + prompt) + maxOutputTokens);
      if (kind === "chunk") {
        for (const [mark] of prompt.matchAll(/#\d+[abc]#|src\/call_\d+\.rs/g)) told.add(mark);
      } else {
        // What was noted arrives.
        ok(prompt.includes("<piece>"), kind);
        for (const [note] of prompt.matchAll(/note \d+ ends/g)) told.add(note);
      }
      last = request;
      // As long as it may be.
      const name = `note ${notes++}`;
      const words = Math.floor(maxOutputTokens / 1.6);
      return `- ${name}: ${Array.from({ length: words }, (_, at) => WORDS[(notes * 7 + at ** 3) % 22]).join(" ")}\n- ${name} ends`;
    };
    const made = compactor({ summarize, summarizer: { contextWindow: window, maxCalls: 10_000 } });
    const prepared = await made.compact({ messages: [...messages, question], state: null });
    deepEqual(
      marks.filter((mark) => !told.has(mark)),
      [],
    );
    for (let note = 0; note < notes - 1; note++) ok(told.has(`note ${note} ends`), `note ${note}`);
    ok(largest <= window, `${largest} tokens`);
    equal(prepared.report.rung, "summarize");
    equal(last.kind, "merge");
    ok(last.maxOutputTokens <= window / 5);
    ok(tokens(summaryOf(prepared.state).split("\n\n## ")[0]) <= last.maxOutputTokens * 1.5);
    deepEqual(check(openaiChat, prepared.view), []);
    console.log(`# ${window}: ${JSON.stringify(kinds)}, the largest request ${largest}`);
  });
}

test("one text that is far longer than the summarizer's window goes on from piece to piece", async () => {
  const words = Array.from({ length: 100_000 }, (_, at) => `word${at}`);
  const messages = [
    { role: "user", content: words.join(" ") },
    { role: "assistant", content: "I have read it." },
    { role: "user", content: "And now?" },
  ];
  for (const contextWindow of [16_000, 64_000]) {
    const told = new Set();
    const compactor = createCompactor({
      format: openaiChat,
      contextWindow: 4_000_000,
      maxOutputTokens: 4_000,
      summarizer: { contextWindow, maxCalls: 1_000 },
      tune: { shares: { tail: 0, typed: 0 } },
      summarize: ({ kind, system, prompt, maxOutputTokens }) => {
        const { tokens } = compactor.usage({ messages: [{ role: "user", content: system + prompt }] });
        ok(tokens + maxOutputTokens <= contextWindow, `${kind}: ${tokens} tokens`);
        if (kind === "chunk") for (const [word] of prompt.matchAll(/word\d+/g)) told.add(word);
        return "- The user sent a hundred thousand words, each with a number behind it.";
      },
    });
    const { report } = await compactor.compact({ messages });
    equal(report.summarizer.failed, null);
    equal(report.rung, "summarize");
    // Only where a piece ends may a word be cut in two.
    ok(words.filter((word) => !told.has(word)).length <= 60);
  }
});
