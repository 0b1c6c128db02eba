// `reasoning: "drop-old"`: what the model thought in earlier turns is left out first, in every format, as long as no provider
// checks that it comes back.
import { createCompactor, describe } from "precis";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, match, ok, test, throws } from "./harness.mjs";

const thought = (turn) => `Thinking of ${turn}. ${"Let me see whether that is so. ".repeat(40)}`;
const words = (turn) => ({ asked: `Request ${turn}.`, answered: `Answer ${turn}.` });

/** A turn in each format, its reasoning signed or not; null where a format has none of that kind. */
const formats = {
  "openai-chat": [
    openaiChat,
    (turn, signed) => {
      const { asked, answered } = words(turn);
      const details = signed && { reasoning_details: [{ type: "reasoning.encrypted", data: "secret" }] };
      return [
        { role: "user", content: asked },
        { role: "assistant", reasoning_content: thought(turn), ...details, content: answered },
      ];
    },
  ],
  "ai-sdk": [
    aiSdk,
    (turn, signed) => {
      const { asked, answered } = words(turn);
      const options = signed && { providerOptions: { anthropic: { signature: "signed" } } };
      return [
        { role: "user", content: asked },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: thought(turn), ...options },
            { type: "text", text: answered },
          ],
        },
      ];
    },
  ],
  anthropic: [
    anthropic,
    (turn, signed) => {
      const { asked, answered } = words(turn);
      return [
        { role: "user", content: asked },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: thought(turn), signature: signed ? "signed" : "" },
            { type: "text", text: answered },
          ],
        },
      ];
    },
  ],
  gemini: [
    gemini,
    (turn, signed) => {
      const { asked, answered } = words(turn);
      const signature = signed && { thoughtSignature: "c2lnbmVk" };
      return [
        { role: "user", parts: [{ text: asked }] },
        {
          role: "model",
          parts: [
            { text: thought(turn), thought: true },
            { text: answered, ...signature },
          ],
        },
      ];
    },
  ],
  "openai-responses": [
    openaiResponses,
    (turn, signed) => {
      const { asked, answered } = words(turn);
      if (!signed) return null;
      return [
        { role: "user", content: asked },
        {
          type: "reasoning",
          id: `rs_${turn}`,
          summary: [{ type: "summary_text", text: thought(turn) }],
          encrypted_content: "secret",
        },
        { type: "message", id: `msg_${turn}`, role: "assistant", content: [{ type: "output_text", text: answered }] },
      ];
    },
  ],
};

const thoughtOf = (view) => [...JSON.stringify(view).matchAll(/Thinking of (\d+)\./g)].map(([, turn]) => Number(turn));
const upTo = (count) => Array.from({ length: count }, (_, turn) => turn);

for (const [name, [format, turnOf]] of Object.entries(formats)) {
  const history = (signed) => {
    const turns = upTo(12).flatMap((turn) => turnOf(turn, signed(turn)) ?? []);
    const last = name === "gemini" ? { role: "user", parts: [{ text: "And?" }] } : { role: "user", content: "And?" };
    return frozen([...turns, last]);
  };
  const compactor = createCompactor({
    format,
    contextWindow: 2_600,
    maxOutputTokens: 200,
    reasoning: "drop-old",
    thinking: "free",
  });

  if (turnOf(0, false))
    test(`${name}: reasoning of earlier turns is left out, and nothing else`, async () => {
      const messages = history(() => false);
      const plan = compactor.plan({ messages });
      equal(plan.clears[0].rung, "drop-reasoning");
      match(describe(plan), /Old reasoning in 11 messages is left out/);
      const events = [];
      const { view, report, state } = await compactor.beforeModel({ messages, onEvent: (event) => events.push(event) });
      equal(report.rung, "drop-reasoning");
      deepEqual(
        report.changes.map(({ action, rung, count }) => [action, rung, count]),
        [["clear", "drop-reasoning", 11]],
      );
      equal(events.at(-1).report.changes[0].rung, "drop-reasoning");
      // What the model thought last is not old.
      deepEqual(thoughtOf(view), [11]);
      equal(view.length, messages.length);
      for (const turn of upTo(12)) ok(JSON.stringify(view).includes(words(turn).answered));
      deepEqual(check(format, view), []);
      // The same again, and a turn later, without a look at what was left out.
      deepEqual((await compactor.beforeModel({ messages, state })).view, view);
      const later = [...messages, ...turnOf(99, false)];
      const next = await compactor.beforeModel({ messages: later, state });
      deepEqual(next.view.slice(0, view.length), view);
      deepEqual(thoughtOf(next.view), [11, 99]);
    });

  test(`${name}: what is signed or encrypted stays`, async () => {
    const { view, report } = await compactor.beforeModel({ messages: history(() => true) });
    ok(!report.changes.some(({ rung }) => rung === "drop-reasoning"));
    deepEqual(check(format, view), []);
    if (!turnOf(0, false)) return;
    const mixed = await compactor.beforeModel({ messages: history((turn) => turn === 3) });
    equal(mixed.report.rung, "drop-reasoning");
    deepEqual(thoughtOf(mixed.view), [3, 11]);
  });

  test(`${name}: it stays as long as nobody wishes otherwise`, async () => {
    const messages = history((turn) => !turnOf(turn, false));
    const plain = createCompactor({ format, contextWindow: 2_600, maxOutputTokens: 200 });
    const { report } = await plain.beforeModel({ messages });
    ok(report.changes.length > 0 && !report.changes.some(({ rung }) => rung === "drop-reasoning"));
    const large = createCompactor({ format, contextWindow: 100_000, reasoning: "drop-old" });
    equal((await large.beforeModel({ messages })).changed, false);
  });
}

test("a format of one's own that does not number reasoning, or cannot leave parts out, keeps it", async () => {
  const messages = frozen([
    ...upTo(12).flatMap((turn) => formats["openai-chat"][1](turn, false)),
    { role: "user", content: "And?" },
  ]);
  const { without: _, ...unable } = openaiChat;
  const unnumbered = {
    ...openaiChat,
    read: (message, to) =>
      openaiChat.read(message, { ...bound(to), reasoning: (text, signed) => to.reasoning(text, signed) }),
  };
  for (const format of [unable, unnumbered]) {
    const compactor = createCompactor({ format, contextWindow: 2_600, maxOutputTokens: 200, reasoning: "drop-old" });
    const { report } = await compactor.beforeModel({ messages });
    ok(report.changes.length > 0 && !report.changes.some(({ rung }) => rung === "drop-reasoning"));
  }
});

/** A reader whose methods can be passed on. */
function bound(to) {
  const names = [
    "role",
    "speaker",
    "text",
    "call",
    "result",
    "media",
    "document",
    "opaque",
    "approvalRequest",
    "approvalResponse",
    "compaction",
  ];
  return Object.fromEntries(names.map((name) => [name, (...given) => to[name](...given)]));
}

test("anything but the two words is refused by its name", () => {
  const wrong = { format: openaiChat, contextWindow: 8_000, reasoning: "drop" };
  throws(
    () => createCompactor(wrong),
    ({ code, path }) => code === "invalid-option" && path === "reasoning",
  );
  const preset = { ...wrong, reasoning: "keep", tune: { preset: "contextguard" } };
  throws(
    () => createCompactor(preset),
    ({ path }) => path === "reasoning",
  );
});
