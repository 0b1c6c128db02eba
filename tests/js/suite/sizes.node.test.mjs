// Whatever the sizes of past, window and summarizer, a call ends with a view that a provider accepts, and asks the
// summarizer no more often than it may.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, ok, test } from "./harness.mjs";
import { spread } from "./length.mjs";
import { random } from "./scenarios.mjs";

const WORDS =
  "the order was sent back because it did not fit and now the customer wants to know when the money will be there; la commande est arrivée trop tard; 这个订单已经退款".split(
    " ",
  );

/** A chat of about so many characters in so many messages, and a last question. */
function past(characters, count, next) {
  const messages = [];
  for (let at = 0; at < count; at++) {
    let content = "";
    while (content.length < characters / count) content += `${WORDS[Math.floor(next() * WORDS.length)]} `;
    messages.push({ role: at % 2 ? "assistant" : "user", content });
  }
  messages.push({ role: "user", content: "And now?" });
  return messages;
}

/** Texts as long as they may be, as short as they can be, and some that cannot be used. */
const SUMMARIZERS = {
  long: ({ maxOutputTokens }) => `- ${"the order was sent back ".repeat(Math.max(1, Math.floor(maxOutputTokens / 6)))}`,
  short: () => "- The order was sent back.",
  "cut off": () => ({ text: "- The order", finishReason: "length" }),
  "now and then": ({ id }) =>
    id.length % 3 ? "- The order was sent back." : { text: "- The order", finishReason: "length" },
};

const SIZES = [];
for (const characters of [3_000, 100_000])
  for (const contextWindow of [400, 2_000, 32_000])
    for (const window of [undefined, 50, 200, 700, 4_000]) SIZES.push({ characters, contextWindow, window });
SIZES.push({ characters: 2_000_000, contextWindow: 400 });

for (const [name, answer] of Object.entries(SUMMARIZERS))
  test(`sizes: every past in every window ends with a legal view, summaries that are ${name}`, async () => {
    const next = random(name.length);
    for (const { characters, contextWindow, window } of spread(SIZES, 8)) {
      const messages = past(characters, characters > 100_000 ? 400 : 1 + Math.floor(next() * 60), next);
      const maxCalls = [undefined, 1, 3, 20][Math.floor(next() * 4)];
      let calls = 0;
      const compactor = createCompactor({
        format: openaiChat,
        contextWindow,
        summarizer: { contextWindow: window, maxCalls },
        summarize: async (request) => {
          calls += 1;
          return answer(request);
        },
      });
      const where = JSON.stringify({ characters, contextWindow, window, maxCalls, count: messages.length });
      const { view, report, state } = await compactor.beforeModel({ messages }).catch((error) => {
        throw new Error(`${where}: ${error.message}`, { cause: error });
      });
      deepEqual(check(openaiChat, view), [], where);
      ok(calls <= (maxCalls ?? 8), `${calls} calls: ${where}`);
      equal(report.summarizer.calls, calls, where);
      ok(report.after.tokens < contextWindow, where);
      // What is stored can be used.
      deepEqual((await compactor.beforeModel({ messages, state })).view, view, where);
    }
  });

test("sizes: a plan of any size is taken back, round for round, with as many calls as it takes", () => {
  const next = random(11);
  for (const [characters, contextWindow, window] of [
    [100_000, 20_000, 200],
    [60_000, 400, undefined],
    [200_000, 8_000, 1_000],
    [30_000, 2_000, 50],
  ]) {
    const call = { messages: past(characters, 40, next) };
    const compactor = createCompactor({
      format: openaiChat,
      contextWindow,
      summarizer: { contextWindow: window, maxCalls: 1 },
      summarize: async () => "",
    });
    let plan = compactor.plan(call);
    let calls = 0;
    for (;;) {
      const stored = JSON.parse(JSON.stringify(plan));
      const requests = compactor.requests(call, stored);
      equal(requests.length, stored.requests.length);
      ok(stored.requests.length <= 100);
      calls += requests.length;
      ok(calls <= stored.total, `${calls} of ${stored.total}`);
      const answers = requests.map(({ id }) => `- The order was sent back. ${id.slice(-3)}`);
      const prepared = compactor.commit(call, stored, answers);
      deepEqual(check(openaiChat, prepared.view), []);
      if (!prepared.next) {
        equal(prepared.report.rung, "summarize");
        equal(prepared.report.summarizer.calls, calls);
        break;
      }
      plan = prepared.next;
    }
    ok(calls > 1);
  }
});
