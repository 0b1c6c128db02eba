// Two tenants whose chats ask the same and call the same, without ids or with the same ones: only what the tools returned
// differs. A state of one that is given to the other is another chat's. Where chats are named, not even that has to differ.
import { createCompactor, PrecisError, summaryOf } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { openState, sealState } from "precis/seal";
import { deepEqual, equal, notEqual, ok, rejects, test, throws } from "./harness.mjs";

const LONG = "and so it went on for the rest of the day, as it always had. ".repeat(9);
const input = { path: "a.txt" };

/** A user's message, a call with its result, and an answer, in each form. */
const forms = {
  openaiChat: [
    openaiChat,
    (text) => [{ role: "user", content: text }],
    (output) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_0", type: "function", function: { name: "read", arguments: JSON.stringify(input) } }],
      },
      { role: "tool", tool_call_id: "call_0", content: output },
      { role: "assistant", content: "I have read it." },
    ],
  ],
  anthropic: [
    anthropic,
    (text) => [{ role: "user", content: text }],
    (output) => [
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "read", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: output }] },
      { role: "assistant", content: [{ type: "text", text: "I have read it." }] },
    ],
  ],
  gemini: [
    gemini,
    (text) => [{ role: "user", parts: [{ text }] }],
    (output) => [
      { role: "model", parts: [{ functionCall: { name: "read", args: input } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { result: output } } }] },
      { role: "model", parts: [{ text: "I have read it." }] },
    ],
  ],
  aiSdk: [
    aiSdk,
    (text) => [{ role: "user", content: text }],
    (output) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_0", toolName: "read", input }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "call_0", toolName: "read", output: { type: "text", value: output } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "I have read it." }] },
    ],
  ],
  openaiResponses: [
    openaiResponses,
    (text) => [{ type: "message", role: "user", content: text }],
    (output) => [
      { type: "function_call", call_id: "call_0", name: "read", arguments: JSON.stringify(input) },
      { type: "function_call_output", call_id: "call_0", output },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I have read it." }] },
    ],
  ],
};

const summarize = async ({ prompt }) =>
  `- read so far: ${[...new Set(prompt.match(/\b(alder|birch)-\d+/g))].slice(-30).join(", ")}`;

for (const [name, [format, user, answered]] of Object.entries(forms))
  for (const asks of [true, false])
    test(`${name}${asks ? "" : ", without a summarizer"}: a state of another tenant's chat is not used`, async () => {
      const chatOf = (tenant, turns) => [
        ...Array.from({ length: turns }, (_, turn) => [
          ...user(`What is in file ${turn}?`),
          ...answered(`${tenant}-${turn} is the name; key=${tenant}${turn * 7919}. ${LONG}`),
        ]).flat(),
        ...user("Go on."),
      ];
      const compactor = createCompactor({
        format,
        contextWindow: 6_000,
        maxOutputTokens: 400,
        ...(asks && { summarize }),
      });
      const theirs = await compactor.beforeModel({ messages: chatOf("alder", 40) });
      notEqual(theirs.state.checkpoints ?? theirs.state.cleared, undefined);
      const own = chatOf("birch", 40);
      const { view, state, report } = await compactor.beforeModel({ messages: own, state: theirs.state });
      ok(!JSON.stringify(view).includes("alder"), "the view names what another tenant's tools returned");
      ok(!JSON.stringify(state).includes("alder"), "the state names what another tenant's tools returned");
      ok(JSON.stringify(view).includes("birch-"));
      notEqual(report.diverged, null);
      // What is its own goes on being used.
      const next = await compactor.beforeModel({ messages: own, state });
      equal(JSON.stringify(next.view), JSON.stringify(view));
      equal(next.report.diverged, null);
    });

// Chats that are the same to the last byte, and whose summaries are not: what tells them apart is their names.

const past = (user, answered) => [
  ...Array.from({ length: 40 }, (_, turn) => [
    ...user(`What is in file ${turn}?`),
    ...answered(`name-${turn} is the name. ${LONG}`),
  ]).flat(),
  ...user("Go on."),
];
const by = (tenant) => async () => `- ${tenant} has read the files and wants to go on with the next one`;
const options = (format) => ({ format, contextWindow: 6_000, maxOutputTokens: 400 });

for (const [name, [format, user, answered]] of Object.entries(forms))
  test(`${name}: a state that is bound to one chat is not used for another, by any method`, async () => {
    const messages = past(user, answered);
    const of = (tenant) => createCompactor({ ...options(format), summarize: by(tenant) });
    const theirs = await of("alder").beforeModel({ messages, chat: "alder" });
    ok(JSON.stringify(theirs.view).includes("alder"));
    ok(!JSON.stringify(theirs.state.chat).includes("alder"), "the name stands in the state");
    const stored = () => JSON.parse(JSON.stringify(theirs.state));
    const birch = of("birch");
    const call = { messages, chat: "birch", state: stored() };
    const fresh = { messages, chat: "birch", state: null };
    for (const method of ["beforeModel", "compact"]) {
      const own = await birch[method](call);
      ok(!JSON.stringify([own.view, own.state]).includes("alder"), method);
      ok(own.report.diverged.reason.includes("another chat"), method);
      equal(own.state.revision, theirs.state.revision + 1, "a host that compares revisions stores it");
      equal(own.state.chat, (await birch[method](fresh)).state.chat);
      // From now on it is its own.
      const next = await birch.beforeModel({ messages, chat: "birch", state: own.state });
      deepEqual([JSON.stringify(next.view), next.report.diverged], [JSON.stringify(own.view), null]);
    }
    deepEqual(birch.usage(call), birch.usage(fresh));
    const plan = birch.plan(call);
    ok(plan.report.diverged.reason.includes("another chat"));
    ok(birch.requests(call, plan).every(({ prompt }) => !prompt.includes("alder")));
    const late = birch.commit(call, plan);
    ok(!JSON.stringify([late.view, late.state]).includes("alder"));
    // A plan that was made for the other one holds nothing of its text.
    const other = of("alder").plan({ messages, chat: "alder", state: stored(), threshold: "soft" });
    ok(!JSON.stringify(birch.commit(call, other).state).includes("alder"));
    const found = birch.recall({ ...call, query: "name-3", maxTokens: 200 });
    deepEqual(found, birch.recall({ ...fresh, query: "name-3", maxTokens: 200 }));
    throws(() => birch.recall({ ...call, messages: messages.slice(8), offset: 8, query: "name-3" }), {
      code: "history-gap",
    });
  });

test("a state goes on being used where no chat is named, by its own, and once it is bound", async () => {
  const [format, user, answered] = forms.openaiChat;
  const messages = past(user, answered);
  const compactor = createCompactor({ ...options(format), summarize: by("alder") });
  const unnamed = await compactor.beforeModel({ messages });
  equal(unnamed.state.chat, undefined);
  const named = await compactor.beforeModel({ messages, state: unnamed.state, chat: "alder" });
  deepEqual([named.view, named.report.diverged], [unnamed.view, null]);
  const silent = await compactor.beforeModel({ messages, state: named.state });
  deepEqual([silent.view, silent.state.chat], [unnamed.view, named.state.chat]);
  const learned = compactor.afterModel(named.state, { prompt_tokens: 4_000 });
  equal(learned.chat, named.state.chat);
  const other = await compactor.beforeModel({ messages, state: silent.state, chat: "birch" });
  notEqual(other.report.diverged, null);
  // The same call but for the name is another call, also where nothing has to be done.
  const short = user("Hello.");
  const first = await compactor.beforeModel({ messages: short, chat: "alder" });
  await compactor.beforeModel({ messages: short, chat: "alder", state: first.state });
  const mixed = await compactor.beforeModel({ messages: short, chat: "birch", state: first.state });
  notEqual(mixed.report.diverged, null);
  notEqual(mixed.state.chat, first.state.chat);
});

test("names that look alike are other chats, and what is no name is refused", async () => {
  const [format, user] = forms.openaiChat;
  const compactor = createCompactor(options(format));
  const names = [
    "a",
    "A",
    "a ",
    "a\u0000",
    "\u00e4",
    "a\u0308",
    "\ud800",
    "\ud801",
    "\ufffd",
    "main:a",
    "[object Object]",
  ];
  const bound = new Set();
  for (const chat of names) bound.add((await compactor.beforeModel({ messages: user("Hello."), chat })).state.chat);
  equal(bound.size, names.length);
  for (const chat of ["", 7, {}, ["a"], true])
    await rejects(compactor.beforeModel({ messages: user("Hello."), chat }), { code: "invalid-call", path: "chat" });
});

test("a seal opens for no chat that the state in it is not bound to", async () => {
  const [format, user, answered] = forms.openaiChat;
  const compactor = createCompactor({ ...options(format), summarize: by("alder") });
  const { state } = await compactor.beforeModel({ messages: past(user, answered), chat: "alder" });
  ok(summaryOf(state).includes("alder"));
  const key = "a secret of the server, long enough";
  const refused = (error) => error instanceof PrecisError && error.code === "other-chat";
  await rejects(sealState(state, key, "birch"), refused);
  deepEqual(await openState(await sealState(state, key, "alder"), key, "alder"), state);
  await rejects(openState(await sealState(state, key, "alder"), key, "birch"), { code: "seal-broken" });
  const { chat: _, ...unbound } = state;
  await rejects(openState(await sealState(unbound, key, "\ud800"), key, "\ud801"), { code: "seal-broken" });
  // Sealed for no chat by one program, and opened as the own state of a client by another.
  const sealed = await sealState({ ...state, chat: state.chat.replace(/^./, "0") }, key);
  deepEqual((await openState(sealed, key)).revision, state.revision);
});
