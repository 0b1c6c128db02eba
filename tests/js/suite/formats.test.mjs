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
  return calls.map(trimmed);
}

/** A call without the arguments at its end that say nothing, beyond those that are always given. */
function trimmed(call) {
  let { length } = call;
  while (length > 4 && call[length - 1] === undefined) length -= 1;
  return call.slice(0, length);
}

const NUMBERED = ["text", "result"];
/** Where a text or result has its text. */
const TEXT = { text: 2, result: 3 };

for (const { title, format, message, said: expected, output = "text" } of cases) {
  test(`${title} is read`, () => {
    deepEqual(said(format, frozen(message)), expected);
  });

  for (const [, , , input, part] of expected.filter(([name, , , , part]) => name === "call" && part !== undefined)) {
    test(`${title}: the input of call ${part} is replaced`, () => {
      const shorter = typeof input === "string" ? `${input}…` : { ...input, path: "…" };
      const copy = format.replace(frozen(message), part, JSON.stringify(shorter));
      deepEqual(
        said(format, copy),
        expected.map((call) => (call[0] === "call" && call[4] === part ? call.with(3, shorter) : call)),
      );
      for (const name of Object.keys(message))
        if (!["content", "tool_calls", "toolCalls", "function_call"].includes(name)) equal(copy[name], message[name]);
      for (const name of ["content", "tool_calls", "toolCalls"])
        message[name]?.forEach?.((one, index) => {
          if (JSON.stringify(one) === JSON.stringify(copy[name][index])) equal(copy[name][index], one);
        });
    });
  }

  const results = expected.filter(([name]) => name === "result").map(([, part]) => part);
  for (const [, , , , part] of expected.filter(([name, , , , part]) => name === "media" && part !== undefined)) {
    test(`${title}: medium ${part} is replaced by a text`, () => {
      const copy = format.replace(frozen(message), part, "NEW");
      const told = said(format, copy);
      if (results.includes(part)) {
        // What is inside a result goes with it.
        equal(told.find(([name, own]) => name === "result" && own === part)[3], "NEW");
        ok(!told.some(([name, , , , own]) => name === "media" && own === part));
      } else {
        deepEqual(
          told,
          expected.map((call) => (call[0] === "media" && call[4] === part ? ["text", part, "NEW"] : call)),
        );
        copy.content.forEach((one, index) => {
          if (index !== part) equal(one, message.content[index]);
        });
      }
    });
  }

  // There is nothing to replace in an empty result; a provider's own tools have theirs behind one.
  for (const call of expected.filter((call) => NUMBERED.includes(call[0]) && call[TEXT[call[0]]] !== "")) {
    const [kind, part] = call;
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

      // Some formats have a text beside their content.
      for (const name of Object.keys(message))
        if (name !== "content") equal(copy[name], message[name] === call[TEXT[kind]] ? "NEW" : message[name]);
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
    const compactor = createCompactor({ format, contextWindow: 100_000, maxOutputTokens: 1_000, repair: false });
    for (const { title, message } of cases.filter((one) => one.format === format)) {
      const call = { messages: [format.summary("Hello.", { id: "c1", covers: 1 }), frozen(message)] };
      const empty = compactor.usage({ messages: call.messages.slice(0, 1) });
      ok(compactor.usage(call).raw >= empty.raw, title);
      const { view, changed } = compactor.commit(call, compactor.plan(call));
      // An approval that nobody asked for is never sent.
      if (title.includes("approval given")) {
        equal(view.length, 1);
        continue;
      }
      equal(changed, false, title);
      equal(view[1], message, title);
    }
  });

  test(`${format.name}: what is no message is told, not thrown`, () => {
    const compactor = createCompactor({ format, contextWindow: 100_000, maxOutputTokens: 1_000, repair: false });
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
