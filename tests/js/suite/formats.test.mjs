// Every format reads what it writes, and touches nothing else.
import { createCompactor } from "precis";
import { check } from "precis/testing";
import { cases, formats } from "./formats.cases.mjs";
import { deepEqual, equal, frozen, notEqual, ok, test } from "./harness.mjs";

/** What a format says of a message, call by call. */
function said(format, message) {
  const calls = [];
  const to = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...given) =>
          void calls.push([name, ...given]),
    },
  );
  format.read(message, to);
  return calls;
}

const NUMBERED = ["text", "result"];
/** Where a text or result has its text. */
const TEXT = { text: 2, result: 3 };

for (const { title, format, message, said: expected, output = "text" } of cases) {
  test(`${title} is read`, () => {
    deepEqual(said(format, frozen(message)), expected);
  });

  // There is nothing to replace in an empty result; a provider's own tools have theirs behind one.
  for (const [kind, part] of expected.filter((call) => NUMBERED.includes(call[0]) && call[TEXT[call[0]]] !== "")) {
    test(`${title}: part ${part} is replaced`, () => {
      const copy = format.replace(frozen(message), part, "NEW");
      notEqual(copy, message);
      const told = said(format, copy).filter(([name]) => NUMBERED.includes(name));
      deepEqual(
        told.map((call) => call.slice(0, 3)),
        expected
          .filter(([name]) => NUMBERED.includes(name))
          .map((call) => (call[1] === part ? call.with(TEXT[kind], "NEW") : call).slice(0, 3)),
      );

      for (const name of Object.keys(message)) if (name !== "content") equal(copy[name], message[name]);
      if (!Array.isArray(copy.content)) return;
      equal(copy.content.length, message.content.length);
      copy.content.forEach((one, index) => {
        if (index !== part) equal(one, message.content[index]);
        else if (format.name === "ai-sdk" && kind === "result") equal(one.output.type, output);
        else if (one.is_error !== undefined) equal(one.is_error, message.content[index].is_error);
      });
    });
  }
}

for (const format of formats) {
  test(`${format.name}: a summary is a message of the user`, () => {
    const message = format.summary("So far: nothing.", { id: "c1", covers: 7 });
    deepEqual(said(format, message), [
      ["role", "user"],
      ["text", 0, "So far: nothing."],
    ]);
    deepEqual(JSON.parse(JSON.stringify(message)), message);
  });

  test(`${format.name}: every message is taken by the engine, counted and left as it is`, () => {
    const compactor = createCompactor({ format, contextWindow: 100_000, maxOutputTokens: 1_000 });
    for (const { title, message } of cases.filter((one) => one.format === format)) {
      const call = { messages: [format.summary("Hello.", { id: "c1", covers: 1 }), frozen(message)] };
      const empty = compactor.usage({ messages: call.messages.slice(0, 1) });
      ok(compactor.usage(call).raw >= empty.raw, title);
      const { view, changed } = compactor.commit(call, compactor.plan(call));
      equal(changed, false, title);
      equal(view[1], message, title);
    }
  });

  test(`${format.name}: what is no message is told, not thrown`, () => {
    const compactor = createCompactor({ format, contextWindow: 100_000, maxOutputTokens: 1_000 });
    const odd = [
      {},
      { role: 5, content: [] },
      { role: "user" },
      { role: "user", content: 5 },
      { role: "user", content: [null, 5, "x", [], {}] },
    ];
    for (const content of [
      null,
      [null],
      [[]],
      [{ type: "text" }],
      [{ type: "image" }],
      [{ type: "tool-result" }],
      [{ type: "tool_result" }],
      [{ type: "tool_use" }],
    ])
      for (const role of ["user", "assistant", "tool"]) odd.push({ role, content });
    for (const message of odd) {
      const messages = [format.summary("Hello.", { id: "c1", covers: 1 }), frozen(message)];
      const call = { messages };
      equal(compactor.commit(call, compactor.plan(call)).view[1], message, JSON.stringify(message));
    }
  });
}

test("a view of every shape passes the check", () => {
  for (const format of formats) deepEqual(check(format, [format.summary("Hello.", { id: "c1", covers: 1 })]), []);
});
