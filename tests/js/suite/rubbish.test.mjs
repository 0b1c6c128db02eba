// Summarizers that answer rubbish, each in its own way. It is never stored, the history stays as it is, and the digest that
// takes its place is a good one.
import { createCompactor, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, match, ok, same, test, wait } from "./harness.mjs";

const RULE = "Never refund more than 200 EUR without asking me.";
const turn = (number) => [
  { role: "user", content: `Please look at order ${4700 + number} and tell me what the customer wants with it.` },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      {
        id: `call_${number}`,
        type: "function",
        function: { name: "find_order", arguments: `{"order":"${4700 + number}"}` },
      },
    ],
  },
  {
    role: "tool",
    tool_call_id: `call_${number}`,
    content: `order ${4700 + number}: ${"the article was sent back, the customer waits for the money; ".repeat(4)}`,
  },
  {
    role: "assistant",
    content: `The customer of order ${4700 + number} wants the money back. ${"It was paid by card and is open. ".repeat(8)}`,
  },
];
const messages = frozen([
  { role: "user", content: `Hello, you handle the returns of our shop. ${RULE}` },
  { role: "assistant", content: "Understood, I will ask you first." },
  ...Array.from({ length: 24 }, (_, number) => turn(number)).flat(),
  { role: "user", content: "And what is with order 4711?" },
]);
const GOOD =
  "## Current state\n- The user has the returns of the shop handled, order by order.\n## Next steps\n- Order 4711 is still open.";

const say = (text, finishReason = "stop") => ({ text, finishReason });
const fail = (error) => {
  throw error;
};
async function* stream(...items) {
  for (const item of items) {
    await null;
    if (item instanceof Error) throw item;
    yield item;
  }
}

/** What they do with a request; `MARK` must never be seen again. */
const MARK = "Rübezahl";
const rubbish = {
  "an empty text": () => say(""),
  "white space": () => say(" \n\t \u00a0\u2003 "),
  "what nobody sees": () => say("\u200b\u200b\ufeff\u2060"),
  "dashes and dots": () => say("... --- ..."),
  "a text that is cut off": () => say(`${GOOD} ${MARK}`, "length"),
  "a text that a filter ended": () => say(`${GOOD} ${MARK}`, "content_filter"),
  "a text before a tool call": () => say(`${GOOD} ${MARK}`, "tool_calls"),
  "a text with an unknown end": () => say(`${GOOD} ${MARK}`, "who knows"),
  "a text that does not say how it ended": () => ({ text: `${GOOD} ${MARK}` }),
  "a refusal": () => say(`I'm sorry, but I can't help with that. ${MARK}`),
  "a refusal with a typographic apostrophe": () => say(`I can’t assist with this request, ${MARK}.`),
  "a refusal in bold": () => say(`**I cannot** continue this conversation. ${MARK}`),
  "a refusal after a beginning": () => say(`The user asks for refunds. ${MARK}\n\nI'm sorry, but I cannot go on.`),
  "a German refusal": () => say(`Es tut mir leid, dabei kann ich nicht helfen. ${MARK}`),
  "a French refusal": () => say(`Je suis désolé, je ne peux pas vous aider. ${MARK}`),
  "a Spanish refusal": () => say(`Lo siento, no puedo ayudar con eso. ${MARK}`),
  "a Japanese refusal": () => say(`申し訳ありませんが、お手伝いできません。${MARK}`),
  "a Chinese refusal": () => say(`抱歉，我无法协助处理。${MARK}`),
  "a Russian refusal": () => say(`Извините, я не могу помочь с этим. ${MARK}`),
  "an Arabic refusal": () => say(`عذراً، لا أستطيع المساعدة. ${MARK}`),
  "an echo of the prompt": ({ prompt }) => say(`${MARK} ${prompt}`),
  "an echo of a part of the prompt": ({ prompt }) =>
    say(`${MARK} ${prompt.slice(0, Math.min(900, prompt.length / 2))}`),
  "an echo of the instructions": ({ system }) => say(`${system} ${MARK}`),
  "a tool call in XML": () => say(`<tool_call>\n{"name": "read", "why": "${MARK}"}\n</tool_call>`),
  "a tool call in JSON": () => say(`{"name": "read", "arguments": {"path": "${MARK}"}}`),
  "a tool call after a text": () => say(`Let me look at ${MARK} first.\n<invoke name="read">`),
  "a tool call in tokens of a model": () => say(`<|tool_calls_begin|>read ${MARK}`),
  "thoughts without an end": () => say(`<think>The user wants me to sum up. ${MARK}`),
  "a text larger than its source": () => say(`${MARK} and more. `.repeat(4_000)),
  "a text in another script": () => say(`Пользователь хочет, чтобы заказы были проверены один за другим. ${MARK}`),
  "a text in another language": () =>
    say(`Der Kunde und die Bestellung: das ist nicht klar, und ich warte für die Antwort mit der Rechnung. ${MARK}`),
  "a number": () => 5,
  "a list": () => [GOOD, MARK],
  null: () => null,
  "an object without text": () => ({ finishReason: "stop", content: `${GOOD} ${MARK}` }),
  "an object whose text is none": () => ({ text: { toString: () => `${GOOD} ${MARK}` }, finishReason: "stop" }),
  "an object that throws": () =>
    new Proxy({}, { get: (_, name) => (name === "then" ? undefined : fail(new Error(MARK))) }),
  "an error at once": () => fail(new Error("overloaded")),
  "an error of no kind": () => fail(undefined),
  "a rejection": () => Promise.reject(new Error("overloaded")),
  "a rejection with nothing": () => Promise.reject(null),
  "nothing, ever": () => new Promise(() => {}),
  "a stream that breaks": () => stream(GOOD, MARK, new Error("connection lost")),
  "a stream without an end": () => stream(GOOD, MARK),
  "a stream that is cut off": () => stream(GOOD, MARK, { finishReason: "length" }),
  "a stream that goes on after its end": () => stream(GOOD, { finishReason: "stop" }, MARK),
  "a stream of numbers": () => stream(1, 2, MARK),
  "a stream that never goes on": () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  "a stream that refuses": () => stream("I'm sorry, ", `but I cannot help with ${MARK}.`, { finishReason: "stop" }),
};
/** Milliseconds for those that never answer, and a window for the whole past. */
const patient = { timeoutMs: 60, contextWindow: 32_000 };

const make = (summarize, summarizer = {}) =>
  createCompactor({
    format: openaiChat,
    contextWindow: 4_000,
    maxOutputTokens: 300,
    summarize,
    summarizer: { ...patient, ...summarizer },
  });

async function ask(summarize, summarizer, history = messages) {
  const before = JSON.stringify(history);
  const prepared = await make(summarize, summarizer).beforeModel({ messages: history, state: null });
  equal(JSON.stringify(history), before);
  equal(prepared.view.at(-1), history.at(-1));
  ok(prepared.report.after.tokens < prepared.report.after.trigger);
  deepEqual(check(openaiChat, prepared.view), []);
  return prepared;
}

/** The digest stands in the view, and with it one could go on. */
function digested({ view, state, report }) {
  equal(report.rung, "digest");
  equal(typeof report.summarizer.failed, "string");
  ok(report.warnings.some(({ code }) => code === "summary-failed"));
  ok(!JSON.stringify([view, state]).includes(MARK), "it was stored");
  const summary = summaryOf(state);
  ok(summary.includes(RULE), summary);
  // Who asked, what was called for it, what it returned, and what was concluded, each naming an order.
  match(summary, /^User: Please look at order 47\d\d/m);
  match(summary, /^\S+ find_order\b.*\b47\d\d$/m);
  match(summary, /^\S+ order 47\d\d: the article was sent back/m);
  match(summary, /^Assistant: The customer of order 47\d\d wants the money back/m);
  match(summary, /\b4700\b/);
}

const small = { contextWindow: 2_400 };

for (const [name, answer] of Object.entries(rubbish)) {
  test(`${name} is no summary`, async () => {
    digested(await ask(answer));
  });

  // A stream shows what it is worth only in its middle, or at its end.
  if (typeof answer === "function" && !/stream|nothing, ever|object|list|number|null/.test(name))
    test(`${name}, bit by bit`, async () => {
      let streamed = 0;
      digested(
        await ask(async (request) => {
          const { text, finishReason } = await answer(request);
          const bits = text.match(/.{1,7}/gsu) ?? [];
          streamed += 1;
          return stream(...bits, ...(finishReason ? [{ finishReason }] : []));
        }),
      );
      equal(streamed > 0, !/error|rejection/.test(name));
    });

  test(`${name} is no merge of pieces`, async () => {
    const kinds = new Set();
    const merges = new Set();
    const asked = (request) => {
      kinds.add(request.kind);
      if (request.kind === "merge") merges.add(request.prompt);
      const merging = request.kind === "merge" || (request.kind === "correction" && request.prompt.includes("<piece>"));
      return merging ? answer(request) : say(GOOD);
    };
    digested(await ask(asked, small));
    ok(kinds.has("chunk") && merges.size > 0);
  });

  test(`${name} for one piece is corrected, and all others are not asked again`, async () => {
    let first;
    const asked = [];
    const summarize = (request) => {
      first ??= request.prompt;
      asked.push(request.kind);
      return request.kind === "chunk" && request.prompt === first ? answer(request) : say(GOOD);
    };
    const { report, state } = await ask(summarize, small);
    equal(report.rung, "summarize");
    ok(summaryOf(state).startsWith(GOOD) && !JSON.stringify(state).includes(MARK));
    deepEqual([...new Set(asked)], ["chunk", "correction", "merge"]);
    equal(asked.filter((kind) => kind === "correction").length, 1);
  });
}

test("what can be said better is asked for once more, with the reason", async () => {
  for (const [name, answer] of Object.entries(rubbish)) {
    const requests = [];
    const summarize = (request) => {
      requests.push(request);
      return requests.length === 1 ? answer(request) : say(GOOD);
    };
    const { report, state } = await ask(summarize);
    if (requests.length === 1) {
      // Who is down is not asked again at once.
      equal(report.rung, "digest", name);
      continue;
    }
    equal(report.rung, "summarize", name);
    deepEqual(
      requests.map(({ kind }) => kind),
      ["summary", "correction"],
    );
    ok(requests[1].prompt.startsWith(requests[0].prompt.slice(0, 2_000)), name);
    match(requests[1].prompt, /could not be used: The summarizer/);
    ok(summaryOf(state).startsWith(GOOD) && summaryOf(state).includes(RULE), name);
  }
});

test("a correction that is rubbish of another kind ends with the digest", async () => {
  const names = Object.keys(rubbish);
  for (let at = 0; at < names.length; at++) {
    const answers = [rubbish[names[at]], rubbish[names[(at + 7) % names.length]]];
    let calls = 0;
    const prepared = await ask((request) => answers[Math.min(calls++, 1)](request));
    digested(prepared);
    ok(calls <= 2, names[at]);
    equal(prepared.report.summarizer.calls, calls);
  }
});

test("the summary before it, again, is no summary of what came since", async () => {
  const earlier = `${GOOD}\n## Key information\n- ${"The customer of the first orders was told that the money is on its way. ".repeat(7)}`;
  const compactor = make(() => say(earlier));
  const first = await compactor.beforeModel({ messages: messages.slice(0, 60), state: null });
  equal(first.report.rung, "summarize");
  const longer = frozen([...messages, ...Array.from({ length: 24 }, (_, number) => turn(number + 40)).flat()]);
  const { report, state } = await compactor.beforeModel({ messages: [...longer, messages[0]], state: first.state });
  equal(report.rung, "digest");
  ok(summaryOf(state).includes("4740"));
});

test("a summarizer that asks for a compaction of its own and answers with that is none", async () => {
  let depth = 0;
  const compactor = make(async () => {
    depth += 1;
    if (depth > 3) return say("");
    const { view } = await compactor.beforeModel({ messages, state: null });
    return view;
  });
  digested(await compactor.beforeModel({ messages, state: null }));
});

test("an abort between two rounds changes nothing", async () => {
  const controller = new AbortController();
  let rounds = 0;
  const compactor = make((request) => {
    if (request.kind !== "chunk") controller.abort("enough");
    rounds += 1;
    return wait(1).then(() => say(GOOD));
  }, small);
  const before = JSON.stringify(messages);
  const error = await compactor
    .beforeModel({ messages, state: null, signal: controller.signal })
    .catch((error) => error);
  equal(error, "enough");
  ok(rounds > 2);
  equal(JSON.stringify(messages), before);
});

test("after rubbish the next compaction asks again, and after three failures nobody does", async () => {
  let state = null;
  const asked = [];
  for (let round = 1; round <= 6; round++) {
    const history = frozen(Array.from({ length: 24 * round }, (_, number) => turn(number)).flat());
    let calls = 0;
    const compactor = make(
      () => {
        calls += 1;
        return fail(new Error("overloaded"));
      },
      { contextWindow: 64_000 },
    );
    const prepared = await compactor.beforeModel({ messages: history, state });
    ok(same(prepared.view.slice(-1), history.slice(-1)));
    equal(prepared.report.rung, "digest");
    asked.push(calls);
    state = prepared.state;
  }
  deepEqual(asked, [1, 1, 1, 0, 0, 0]);
});
