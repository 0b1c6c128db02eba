// A meter is asked at every key stroke: it goes on from what it measured, and says what a meter that has seen nothing says.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, ok, test } from "./harness.mjs";
import { conversation, shapes } from "./scenarios.mjs";

const options = { format: openaiChat, contextWindow: 400_000, maxOutputTokens: 500 };
const fresh = (call, given = options) => createCompactor(given).usage(call);
const typed = (text) => ({ role: "user", content: text });
const draft = "Please look at order 4711 again, and at the invoice of May: Rechnung 17, 発注 4712";

function types(compactor, call, given = options) {
  for (let end = 0; end <= draft.length; end += 7) {
    const now = { ...call, messages: [...call.messages, typed(draft.slice(0, end))] };
    deepEqual(compactor.usage(now), fresh(now, given), `${end} characters`);
  }
}

test("while someone types, each measurement is what a new compactor measures", () => {
  for (const messages of [
    chat(3),
    chat(100),
    chat(301),
    conversation(shapes.openaiChat, { messages: 120, seed: 5, tools: true }),
  ])
    types(createCompactor(options), { messages });
});

test("the same with a prompt, tools and a state that has learned or compacted", async () => {
  const messages = chat(200);
  const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }];
  const compactor = createCompactor(options);
  const first = await compactor.beforeModel({ messages, tools, system: "You are a clerk." });
  const learned = compactor.afterModel(
    first.state,
    { prompt_tokens: 12_345, completion_tokens: 50 },
    first.report.request,
  );
  const replied = [...messages, { role: "assistant", content: "It was refunded. ".repeat(10) }];
  for (const state of [null, first.state, learned])
    types(compactor, { messages: replied, tools, system: "You are a clerk.", state });
  const small = { ...options, contextWindow: 8_000 };
  const narrow = createCompactor(small);
  const done = await narrow.beforeModel({ messages });
  ok(done.state.checkpoints.length > 0);
  types(narrow, { messages: replied, state: done.state }, small);
  types(narrow, { messages: replied, state: narrow.afterModel(done.state, { prompt_tokens: 5_000 }) }, small);
});

test("a history that was edited, cut or replaced in place is measured again", () => {
  const compactor = createCompactor(options);
  const messages = chat(150).map((message) => ({ ...message }));
  types(compactor, { messages });
  messages[20].content = "another text";
  types(compactor, { messages });
  types(compactor, { messages: messages.slice(0, 90) });
  types(compactor, { messages: messages.toSpliced(60, 3) });
  types(compactor, {
    messages: [
      ...messages,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "look", arguments: "{}" } }],
      },
    ],
  });
});

test("what makes a difference from call to call is not gone on from", () => {
  const compactor = createCompactor(options);
  const messages = chat(150);
  types(compactor, { messages });
  types(compactor, { messages, pin: (message) => message === messages[3] });
  types(compactor, { messages, isTyped: (_, index) => index === 4 });
  types(compactor, { messages, maxOutputTokens: 100 });
  types(compactor, { messages, toolPolicy: () => "keep" });
  types(compactor, { messages, mustKeep: ["order 4711"] });
  types(compactor, { messages });
});

test("near the limit, and beyond it", () => {
  for (const contextWindow of [4_000, 5_000, 6_000, 7_000, 9_000]) {
    const small = { ...options, contextWindow };
    types(createCompactor(small), { messages: chat(100) }, small);
  }
});
