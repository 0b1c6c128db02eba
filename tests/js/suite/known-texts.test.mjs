// A chat that was loaded again is recognized by what it holds: its new objects are not read again, they are what is sent, and
// every decision is that of a compactor that has never seen them.
import { createCompactor, input } from "precis";
import { aiSdk, openaiChat } from "precis/formats";
import { deepEqual, equal, ok, same, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { conversation, everyShape, random } from "./scenarios.mjs";

const again = (value) => JSON.parse(JSON.stringify(value));
const make = (format, contextWindow = 1_000_000) =>
  createCompactor({ format, contextWindow, maxOutputTokens: 200, tune: { strategy: "tail" } });

/** A format that counts how often it is asked. */
function counting(format) {
  const counted = { ...format, reads: 0 };
  counted.read = (message, to) => {
    counted.reads += 1;
    format.read(message, to);
  };
  return counted;
}

for (const [name, shape] of Object.entries(everyShape)) {
  const { format } = shape;
  test(`${name}: new objects of a known chat are decided like those of an unknown one`, async () => {
    for (let seed = 1; seed <= cases(12, 3); seed++) {
      const history = conversation(shape, { messages: 40, size: 300, seed, tools: seed % 2 === 0 });
      const known = make(format, 3_000);
      let state = null;
      for (let count = 2; count <= history.length; count += 1 + Math.floor(random(seed * 1_000 + count)() * 5)) {
        const messages = again(history.slice(0, count));
        const one = await known.beforeModel({ messages, state: again(state) });
        const other = await make(format, 3_000).beforeModel({ messages, state: again(state) });
        deepEqual([one.report, one.state, one.changed], [other.report, other.state, other.changed]);
        deepEqual(one.view, other.view);
        const own = new Set(messages);
        const given = JSON.stringify(messages);
        for (const message of one.view)
          ok(own.has(message) || !given.includes(JSON.stringify(message)), "an object of an earlier request was sent");
        ({ state } = one);
      }
    }
  });
}

const plain = (count) =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `message ${i} of it` }));

test("what is known is not read again, and what was added is", async () => {
  const format = counting(openaiChat);
  const compactor = make(format);
  const history = plain(100);
  await compactor.beforeModel({ messages: history });
  const messages = again(history);
  messages.push({ role: "user", content: "new" });
  format.reads = 0;
  const { view } = await compactor.beforeModel({ messages });
  // The first two tell which chat it is.
  equal(format.reads, 3);
  ok(same(view, messages));
});

test("the fast path sends the objects of the newest request", async () => {
  const compactor = make(openaiChat);
  let { state, view } = await compactor.beforeModel({ messages: plain(50) });
  for (let count = 51; count < 60; count++) {
    const messages = again(plain(count));
    ({ state, view } = await compactor.beforeModel({ messages, state }));
    ok(same(view, messages), `${count} messages`);
  }
});

// They were compared with the objects of the request before: each call and result was another one, and read again.
test("no call reads the objects of a loaded chat again, and a change in them is noticed", async () => {
  const shapes = Object.values(everyShape);
  for (const shape of shapes) {
    const counted = { texts: 0 };
    const estimator = (text) => {
      counted.texts += 1;
      return Math.ceil(text.length / 4);
    };
    const compactor = createCompactor({
      format: shape.format,
      contextWindow: 1_000_000,
      tune: { tokens: { estimator } },
    });
    const history = conversation(shape, { messages: 40, size: 300, seed: 7, tools: true });
    compactor.usage({ messages: history });
    const messages = again(history);
    counted.texts = 0;
    for (let call = 0; call < 3; call++) await compactor.beforeModel({ messages });
    equal(counted.texts, 0, shape.format.name);
    for (const at of [3, 20, 39]) {
      messages[at] = again(history[at > 20 ? 2 : at + 1]);
      for (let call = 0; call < 2; call++) {
        const { report } = await compactor.beforeModel({ messages });
        const fresh = createCompactor({
          format: shape.format,
          contextWindow: 1_000_000,
          tune: { tokens: { estimator } },
        });
        const { before } = (await fresh.beforeModel({ messages })).report;
        deepEqual(report.before, before);
      }
    }
  }
});

test("a text that is replaced in an object of a loaded chat is read", () => {
  const compactor = make(openaiChat);
  compactor.usage({ messages: plain(50) });
  const messages = again(plain(50));
  for (let call = 0; call < 3; call++) {
    compactor.usage({ messages });
    messages[10 + call].content += " and more of it".repeat(100);
    deepEqual(compactor.usage({ messages }), make(openaiChat).usage({ messages }));
  }
});

test("a text that differs in one letter is read, wherever it stands", async () => {
  for (const at of [0, 1, 2, 25, 49]) {
    const compactor = make(openaiChat);
    const first = await compactor.usage({ messages: plain(50) });
    const messages = again(plain(50));
    messages[at].content = `${"x".repeat(4_000)}`;
    const second = compactor.usage({ messages });
    ok(second.tokens > first.tokens + 300, `message ${at}`);
    deepEqual(second, make(openaiChat).usage({ messages }));
    // And the chat as it was.
    deepEqual(compactor.usage({ messages: again(plain(50)) }), first);
  }
});

test("of the arguments of a call, all is compared", () => {
  const chat = (input) => [
    { role: "user", content: "Do it." },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "run", input }] },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "a", toolName: "run", output: { type: "text", value: "ok" } }],
    },
    { role: "user", content: "And now?" },
  ];
  const inputs = [
    { a: { b: [1, 2, { c: "x".repeat(900) }] } },
    { a: { b: [1, 2, { c: "y".repeat(2_900) }] } },
    { a: { b: [1, 2, { d: "x".repeat(900) }] } },
    { a: { b: [1, 2] } },
    { a: { b: [1, 2, { c: "x".repeat(900) }], more: "z".repeat(500) } },
    { a: [1, 2, { c: "x".repeat(900) }] },
    [{ a: { b: 1 } }],
    { a: new Date(0) },
    { a: { toJSON: () => "w".repeat(1_000) } },
    { 0: 1 },
    null,
  ];
  const compactor = make(aiSdk);
  for (const input of [...inputs, ...inputs])
    deepEqual(compactor.usage({ messages: chat(input) }), make(aiSdk).usage({ messages: chat(input) }));
});

test("chats that begin alike keep what is theirs", async () => {
  const compactor = make(openaiChat, 3_000);
  const start = [
    { role: "system", content: "You are helpful." },
    { role: "assistant", content: "Hello! How can I help you?" },
  ];
  const chats = [1, 2, 3].map((seed) => ({ history: [...start], state: null, seed }));
  for (let turn = 0; turn < 30; turn++)
    for (const chat of chats) {
      const said = `turn ${turn} of chat ${chat.seed}: ${"and so on ".repeat(20)}`;
      chat.history.push({ role: "user", content: said }, { role: "assistant", content: said });
      // One of them keeps its objects, the others are loaded.
      const messages = chat.seed === 1 ? chat.history : again(chat.history);
      const prepared = await compactor.beforeModel({ messages, state: chat.state });
      const alone = await make(openaiChat, 3_000).beforeModel({ messages, state: chat.state });
      deepEqual(prepared, alone);
      ({ state: chat.state } = prepared);
    }
});

test("a member that its format would lose is noticed in a new object", async () => {
  const compactor = make(openaiChat);
  await compactor.beforeModel({ messages: plain(4) });
  const messages = again(plain(4));
  for (const message of messages) message.toolCalls = [{ id: "a" }];
  let code;
  try {
    await compactor.beforeModel({ messages });
  } catch (error) {
    ({ code } = error);
  }
  equal(code, "wrong-format");
});

test("more texts than are kept are read again, and decided the same", () => {
  const compactor = make(openaiChat);
  const of = (seed) => [
    { role: "user", content: `${seed}: ${"long ".repeat(200_000)}` },
    { role: "assistant", content: "Yes." },
  ];
  const first = compactor.usage({ messages: of(0) });
  for (let seed = 0; seed < 20; seed++) equal(compactor.usage({ messages: of(seed) }).raw > 100_000, true);
  deepEqual(compactor.usage({ messages: of(0) }), first);
});

test("a message that nobody changes is not looked at again; another one in its place is, also once it is changed", () => {
  const parts = (i) => [{ type: "text", text: `part ${i} of it` }];
  const make = () => Array.from({ length: 60 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: parts(i) }));
  const format = counting(openaiChat);
  const compactor = createCompactor({ format, contextWindow: 1_000_000, maxOutputTokens: 200 });
  const readsOf = (messages) => {
    format.reads = 0;
    const { tokens } = compactor.usage({ messages });
    return [format.reads, tokens];
  };
  const owned = make().map((message) => input.unchanging(message));
  const [first, tokens] = readsOf(owned);
  equal(first, owned.length);
  // The newest message may be one that is being written.
  ok(readsOf([...owned])[0] <= 1, "it was asked again");

  const others = make();
  deepEqual(readsOf(others)[1], tokens);
  others[30].content[0].text = "much longer than it was before. ".repeat(20);
  ok(readsOf(others)[1] > tokens + 50, "the change was not seen");
});
