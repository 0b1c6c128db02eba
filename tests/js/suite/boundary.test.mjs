// Plain data between JavaScript and the engine: to the bit, or refused by name.
import { createCompactor, PrecisError, summaryOf } from "precis";
import { openaiChat } from "precis/formats";
import { chat, deepEqual, equal, frozen, ok, test, throws } from "./harness.mjs";

const options = { format: openaiChat, contextWindow: 2_000, maxOutputTokens: 100 };
const compactor = createCompactor(options);
const empty = { version: 1, revision: 3 };
const later = (members) => compactor.afterModel({ ...empty, ...members }, { prompt_tokens: 10 });

const survivors = {
  "fractions, the largest whole number, the smallest fraction": { a: 0.1, b: 2 ** 53 - 1, c: 5e-324, d: -1, e: 1e300 },
  "text of every plane": { text: "é漢🙂\u{10ffff}\u0000", long: "🙂".repeat(500), empty: "" },
  "a byte order mark, first and last": { "\ufeffname": "\ufefftext\ufeff" },
  "names of many lengths": Object.fromEntries([1, 24, 25, 127, 128, 300].map((n) => ["k".repeat(n), "v".repeat(n)])),
  "lists in lists": { list: [[], [null, [true, false]], {}] },
};
for (const [name, member] of Object.entries(survivors)) {
  test(`members of a later version survive: ${name}`, () => {
    deepEqual(JSON.stringify(later({ member }).member), JSON.stringify(member));
  });
}

test("a member called __proto__ stays a member", () => {
  const member = JSON.parse('{"__proto__": {"polluted": true}}');
  const { member: back } = later({ member });
  equal(JSON.stringify(back), JSON.stringify(member));
  equal(back.polluted, undefined);
});

const cyclic = { ...empty };
cyclic.self = cyclic;
const refused = {
  "a cycle": cyclic,
  "a function": { ...empty, later: () => 1 },
  "a symbol": { ...empty, later: Symbol("later") },
  "a BigInt": { ...empty, later: 1n },
  "a typed array": { ...empty, later: new Uint32Array(3) },
  "nesting without end": Array.from({ length: 100 }).reduce((inner) => ({ inner }), empty),
  "a getter that throws": {
    ...empty,
    get later() {
      throw new Error("not today");
    },
  },
};
for (const [name, state] of Object.entries(refused)) {
  test(`a state with ${name} is refused, and the next call is as if nothing had been`, () => {
    const isRefusal = (error) =>
      error instanceof PrecisError && error.code === "invalid-state" && error.path === "state";
    throws(() => compactor.keepFrom(state), isRefusal);
    throws(() => compactor.plan({ messages: chat(3), state }), isRefusal);
    deepEqual(compactor.keepFrom(empty), { index: 0, id: null });
  });
}

test("a getter in a state may call the compactor", () => {
  let inner;
  const state = {
    ...empty,
    get later() {
      inner = compactor.usage({ messages: chat(5) });
      return "x".repeat(10_000);
    },
  };
  equal(compactor.afterModel(state, { prompt_tokens: 10 }).later.length, 10_000);
  deepEqual(inner, compactor.usage({ messages: chat(5) }));
});

test("a format may call the compactor in the middle of a call, and each gets its own answer", async () => {
  const inner = [];
  const nosy = {
    ...openaiChat,
    summary(text, about) {
      inner.push(compactor.usage({ messages: chat(7) }).total);
      return openaiChat.summary(text, about);
    },
  };
  const messages = frozen(chat(60));
  const mine = await createCompactor({ ...options, format: nosy }).beforeModel({ messages });
  const plain = await compactor.beforeModel({ messages });
  ok(inner.length > 0);
  deepEqual(mine, plain);
  deepEqual(new Set(inner), new Set([compactor.usage({ messages: chat(7) }).total]));
});

test("what a format throws in the middle of a call comes out as it was thrown, also from within another call", async () => {
  const thrown = new TypeError("no summary today");
  const failing = {
    ...openaiChat,
    summary() {
      throw thrown;
    },
  };
  const messages = frozen(chat(60));
  const broken = createCompactor({ ...options, format: failing });
  const error = await broken.beforeModel({ messages }).catch((error) => error);
  equal(error, thrown);
  const around = {
    ...openaiChat,
    summary(text, about) {
      throws(
        () => broken.commit({ messages }, broken.plan({ messages }), null),
        (error) => error === thrown,
      );
      return openaiChat.summary(text, about);
    },
  };
  const { view, state } = await createCompactor({ ...options, format: around }).beforeModel({ messages });
  deepEqual(view, (await compactor.beforeModel({ messages })).view);
  ok(summaryOf(state).length > 0);
});
