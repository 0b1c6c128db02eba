// A state is bound to what tools returned, whatever the format: to the last byte and to the last pixel.
import { createCompactor } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { deepEqual, equal, ok, test } from "./harness.mjs";

/** How each format writes a call and what it returned; ids are the same for everybody, or there are none. */
const formats = {
  openaiChat: [
    openaiChat,
    (output) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "call_0", type: "function", function: { name: "read", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "call_0", content: output },
    ],
  ],
  anthropic: [
    anthropic,
    (output) => [
      { role: "assistant", content: [{ type: "tool_use", id: "call_0", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "call_0", content: output }] },
    ],
  ],
  aiSdk: [
    aiSdk,
    (output) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "call_0", toolName: "read", input: {} }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "call_0", toolName: "read", output: { type: "json", value: { output } } },
        ],
      },
    ],
  ],
  gemini: [
    gemini,
    (output) => [
      { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output } } }] },
    ],
  ],
  openaiResponses: [
    openaiResponses,
    (output) => [
      { type: "function_call", call_id: "call_0", name: "read", arguments: "{}" },
      { type: "function_call_output", call_id: "call_0", output },
    ],
  ],
};

const ask = (name, text) => (name === "gemini" ? { role: "user", parts: [{ text }] } : { role: "user", content: text });
const chat = (name, outputs) => [
  ...outputs.flatMap((output, at) => [ask(name, `What is in account ${at}?`), ...formats[name][1](output)]),
  ask(name, "And now?"),
];
const of = (tenant) =>
  Array.from({ length: 12 }, (_, at) => `owner: ${tenant}-${at}@mail.example, ${"filler ".repeat(60)}`);
const compactor = (name) => createCompactor({ format: formats[name][0], contextWindow: 2_000, maxOutputTokens: 100 });
const warnings = ({ report }) => report.warnings.map(({ code }) => code);

for (const name of Object.keys(formats)) {
  test(`${name}: nothing of one tenant stands in the view of another who asked the same`, async () => {
    const shared = compactor(name);
    const first = await shared.beforeModel({ messages: chat(name, of("alice")) });
    ok(JSON.stringify(first.state).includes("alice"), "the state holds something of the first one");
    const other = await shared.beforeModel({ messages: chat(name, of("bob")), state: first.state });
    ok(other.report.diverged?.reason.includes("another chat"), JSON.stringify(other.report.diverged));
    ok(!JSON.stringify([other.view, other.state]).includes("alice"));
    // The same result says nothing about who asked.
    const mixed = [...of("bob").slice(0, -2), ...of("alice").slice(-2)];
    mixed[0] = of("alice")[0].replace("alice-0", "nobody");
    const some = await shared.beforeModel({ messages: chat(name, mixed), state: first.state });
    ok(!/alice-[0-9]@/.test(JSON.stringify([some.view.slice(0, 2), some.state])));
  });

  test(`${name}: one byte of one result is enough, and the same history is the same`, async () => {
    const shared = compactor(name);
    const first = await shared.beforeModel({ messages: chat(name, of("alice")) });
    const same = await shared.beforeModel({ messages: structuredClone(chat(name, of("alice"))), state: first.state });
    deepEqual([same.view, same.report.diverged, warnings(same)], [first.view, null, warnings(same)]);
    ok(!warnings(same).includes("outputs-changed"));
    const changed = of("alice");
    changed[1] = `${changed[1].slice(0, -1)}~`;
    const now = await shared.beforeModel({ messages: chat(name, changed), state: first.state });
    ok(warnings(now).includes("outputs-changed"));
    equal(now.report.diverged, null);
    const fresh = await compactor(name).beforeModel({
      messages: chat(name, changed),
      state: structuredClone(first.state),
    });
    deepEqual([fresh.view, fresh.state], [now.view, now.state]);
  });
}

test("one pixel of one picture is enough, however its data are written", async () => {
  const pixels = (last) => {
    const bytes = new Uint8Array(6_000).map((_, at) => (at * 7919) % 251);
    bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    bytes[4_321] = last;
    return bytes;
  };
  const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
  const shot = (data) => ({ type: "content", value: [{ type: "media", data, mediaType: "image/png" }] });
  const json = (data) => ({ type: "json", value: { shot: data } });
  const step = (output, at) => [
    { role: "user", content: `Look at ${at}.` },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output }] },
  ];
  const filler = { type: "text", value: "filler ".repeat(150) };
  const history = (output) => [
    ...step(output, 0),
    ...Array.from({ length: 9 }, (_, at) => step(filler, at + 1)).flat(),
    { role: "user", content: "And now?" },
  ];
  const compactor = createCompactor({ format: aiSdk, contextWindow: 2_000, maxOutputTokens: 100 });
  const [one, two] = [pixels(1), pixels(2)];
  for (const [name, before, same, other] of [
    ["in a result", shot(base64(one)), shot(`data:image/png;base64,${base64(one)}`), shot(base64(two))],
    ["in a value", json(base64(one)), json(base64(one)), json(base64(two))],
    ["bytes in a value", json(one), json(Uint8Array.from(one)), json(two)],
  ]) {
    const first = await compactor.beforeModel({ messages: history(before) });
    equal(first.report.outcome, "compacted", name);
    const again = await compactor.beforeModel({ messages: history(same), state: first.state });
    ok(!warnings(again).includes("outputs-changed") && again.report.diverged === null, `${name}: the same`);
    const changed = await compactor.beforeModel({ messages: history(other), state: first.state });
    ok(warnings(changed).includes("outputs-changed") && changed.report.diverged === null, `${name}: another`);
  }
});

test("a result whose getter never says the same twice is read once", async () => {
  const shared = createCompactor({ format: aiSdk, contextWindow: 2_000, maxOutputTokens: 100 });
  let reads = 0;
  const lies = {
    get owner() {
      reads += 1;
      return `alice-${reads}`;
    },
  };
  const keeps = new Proxy({ owner: "alice", text: "filler ".repeat(200) }, {});
  const messages = [
    { role: "user", content: "Look." },
    ...[lies, keeps, { text: "filler ".repeat(700) }].flatMap((value, at) => [
      { role: "assistant", content: [{ type: "tool-call", toolCallId: `c${at}`, toolName: "look", input: {} }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: `c${at}`, toolName: "look", output: { type: "json", value } }],
      },
      { role: "user", content: `Go on, ${at}.` },
    ]),
  ];
  const first = await shared.beforeModel({ messages });
  const again = await shared.beforeModel({ messages, state: first.state });
  // The host's own objects are known by identity.
  ok(!warnings(again).includes("outputs-changed"));
  deepEqual(again.view, first.view);
});
