// A chat that only grew is decided about by what was added. Whatever happens to it: what is answered is what a compactor
// answers that has never seen it.
import { createCompactor } from "precis";
import { aiSdk, openaiChat } from "precis/formats";
import { deepEqual, equal, ok, same, test } from "./harness.mjs";
import { cases } from "./length.mjs";
import { random } from "./scenarios.mjs";

const options = (more) => ({ contextWindow: 3_000, maxOutputTokens: 200, ...more });

/** What happens to a history between two requests. */
const steps = [
  (chat, number) => chat.push({ role: "user", content: `request ${number}; `.repeat(1 + (number % 9)) }),
  (chat, number) => chat.push({ role: "assistant", content: `answer ${number}; `.repeat(1 + (number % 12)) }),
  (chat, number) => {
    chat.push(
      { role: "assistant", content: null, tool_calls: [call(number)] },
      { role: "tool", tool_call_id: `call_${number % 5}`, content: `line ${number}\n`.repeat(1 + ((number * 7) % 90)) },
    );
  },
  (chat, number) => chat.push({ role: "assistant", content: null, tool_calls: [call(number)] }),
  (chat, number) => chat.push({ role: "tool", tool_call_id: `call_${number % 5}`, content: "late, or of no call" }),
  (chat, number) => chat.push({ role: "system", content: `instruction ${number}` }),
  (chat) => chat.splice(Math.max(1, chat.length - 2)),
  (chat, number) => {
    const at = number % chat.length;
    chat[at] = { ...chat[at], content: `edited ${number}` };
  },
  (chat, number) => {
    // In place, which only the text itself can tell.
    const message = chat[number % chat.length];
    if (message.role === "user") message.content = `changed ${number}`;
  },
];
/** Mostly it grows. */
const growing = [0, 1, 2];
const anything = [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7, 8];

const call = (number) => ({
  id: `call_${number % 5}`,
  type: "function",
  function: { name: "shell", arguments: `{"command":"ls ${number}"}` },
});

for (const strategy of ["tail", "full", "sliding-window"]) {
  test(`${strategy}: a chat that was seen before is decided about as one that was not`, async () => {
    for (let seed = 1; seed <= cases(12, 1); seed++) await walk(seed, strategy);
  });
}

async function walk(seed, strategy) {
  const next = random(seed);
  const make = () => createCompactor(options({ format: openaiChat, tune: { strategy } }));
  const known = make();
  const chat = [{ role: "user", content: "the first request" }];
  let state = null;
  for (let number = 0; number < 60; number++) {
    // What is wrong with a history stays wrong: so for long stretches nothing is.
    const kinds = seed % 3 === 0 || number > 50 ? anything : growing;
    for (let more = Math.floor(next() * 2); more >= 0; more--)
      steps[kinds[Math.floor(next() * kinds.length)]](chat, number * 3 + more);
    const given = next() < 0.4 ? extras(next, chat, state) : { messages: chat, state };
    const ours = await known.beforeModel(given);
    const theirs = await make().beforeModel({ ...given, messages: structuredClone(chat) });
    deepEqual(ours.view, theirs.view, `view of seed ${seed}, step ${number}`);
    deepEqual(
      { report: ours.report, state: ours.state, changed: ours.changed },
      { report: theirs.report, state: theirs.state, changed: theirs.changed },
      `seed ${seed}, step ${number}`,
    );
    state = next() < 0.1 ? state : ours.state;
    if (next() < 0.5 && state) {
      const prompt = Math.round(ours.report.after.tokens * (0.8 + next() / 2)) + 40;
      state = known.afterModel(state, { prompt_tokens: prompt, completion_tokens: 5 });
    }
    if (next() < 0.3) state = JSON.parse(JSON.stringify(state));
  }
}

/** What a call carries beside its messages, now and then. */
function extras(next, messages, state) {
  const call = { messages, state };
  if (next() < 0.2) call.system = "Answer shortly.";
  if (next() < 0.1) call.model = "gpt-5";
  if (next() < 0.1) call.threshold = "soft";
  if (next() < 0.1) call.maxOutputTokens = 300;
  if (next() < 0.1) call.mustKeep = ["request 3"];
  if (next() < 0.1) call.pin = (_, index) => index === 2;
  if (next() < 0.1) call.overflow = true;
  return call;
}

for (const older of [() => null, (state) => state]) {
  test(`bound thinking: a state that is ${older({}) ? "an earlier one" : "lost"} does not know what was sent`, async () => {
    const make = () => createCompactor({ format: aiSdk, contextWindow: 1_000 });
    const compactor = make();
    const thought = { type: "reasoning", text: "thought", providerOptions: { anthropic: { signature: "c2ln" } } };
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", content: [thought, { type: "tool-call", toolCallId: "a", toolName: "read", input: {} }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "read",
            output: { type: "text", value: "a line; ".repeat(9) },
          },
        ],
      },
    ];
    const first = await compactor.beforeModel({ messages });
    messages.push({
      role: "assistant",
      content: [
        { ...thought, text: "more" },
        { type: "text", text: "A line." },
      ],
    });
    await compactor.beforeModel({ messages, state: first.state });
    const state = older(first.state);
    messages.push({ role: "user", content: "And now?" });
    const ours = await compactor.beforeModel({ messages, state });
    const theirs = await make().beforeModel({ messages: structuredClone(messages), state: structuredClone(state) });
    deepEqual([ours.view, ours.state, ours.report], [theirs.view, theirs.state, theirs.report]);
  });
}

test("what the host does to a view does not reach the next one", async () => {
  const compactor = createCompactor(options({ format: openaiChat }));
  const messages = [{ role: "user", content: "one" }];
  let { view, state } = await compactor.beforeModel({ messages });
  for (let turn = 0; turn < 4; turn++) {
    view.length = 0;
    messages.push({ role: "assistant", content: `answer ${turn}` });
    ({ view, state } = await compactor.beforeModel({ messages, state }));
    ok(same(view, messages));
  }
  equal(state.revision, 0);
});

test("a state that the host has changed is not taken for the one it was given", async () => {
  const compactor = createCompactor(options({ format: openaiChat }));
  const messages = [{ role: "user", content: "one" }];
  let { state } = await compactor.beforeModel({ messages });
  for (let turn = 0; turn < 3; turn++) {
    messages.push({ role: "user", content: `more ${turn}` });
    state.revision += 7;
    const given = structuredClone(state);
    const ours = await compactor.beforeModel({ messages, state });
    const theirs = await createCompactor(options({ format: openaiChat })).beforeModel({ messages, state: given });
    deepEqual([ours.report, ours.state], [theirs.report, theirs.state]);
    state = ours.state;
  }
});
