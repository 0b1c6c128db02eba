// Histories go through databases: JSON, and columns that order members as they like. Each stays the same history.
import { createCompactor } from "precis";
import { conversations } from "./fixtures.mjs";
import { deepEqual, equal, frozen, notEqual, ok, test } from "./harness.mjs";
import { spread } from "./length.mjs";
import { reordered } from "./scenarios.mjs";

const fixtures = await conversations();
/** The strategy that covers most. */
const options = { contextWindow: 200_000, maxOutputTokens: 1_000, tune: { strategy: "full" } };

/** Arguments travel as JSON text in some shapes: the same value, written in another way. */
function rewritten(message) {
  if (!Array.isArray(message.tool_calls)) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => {
      if (typeof call.function?.arguments !== "string") return call;
      let text = call.function.arguments;
      try {
        text = JSON.stringify(reordered(JSON.parse(text)), null, 2);
      } catch {}
      return { ...call, function: { ...call.function, arguments: text } };
    }),
  };
}

const copies = {
  "a JSON round trip": (messages) => JSON.parse(JSON.stringify(messages)),
  "reordered members": (messages) => reordered(messages),
  "reordered members of arguments": (messages) => messages.map(rewritten),
  "a structured clone": (messages) => structuredClone(messages),
};

for (const { title, format, messages, system, tools } of spread(fixtures, 8)) {
  test(`${title}: the chain holds through ${Object.keys(copies).join(", ")}`, async () => {
    frozen(messages);
    const compactor = createCompactor({ format, ...options });
    let covered = 0;
    // Two compactions by hand, wherever they find something to cover, and one more of all there is.
    for (const part of [0.5, 0.8, 1]) {
      const end = Math.max(1, Math.floor(messages.length * part));
      const history = messages.slice(0, end);
      const first = await compactor.compact({ messages: history, system, tools });
      const { state } = await compactor.beforeModel({ messages: history, state: first.state, system, tools });
      const { view } = await compactor.beforeModel({ messages, state, system, tools });
      covered = Math.max(covered, first.report.keepFrom, history.length - first.view.length);
      for (const [name, copied] of Object.entries(copies)) {
        const copy = frozen(copied(messages));
        notEqual(copy, messages);
        for (const [given, stored] of [
          [copy, state],
          [copy, JSON.parse(JSON.stringify(state))],
          [copy, reordered(state)],
        ]) {
          const there = createCompactor({ format, ...options });
          const again = await there.beforeModel({ messages: given, state: stored, system, tools });
          equal(again.report.diverged, null, name);
          ok(!again.report.warnings.some(({ code }) => code === "is-a-view"), name);
          if (name !== "reordered members of arguments") deepEqual(again.view, view, name);
          equal(again.view.length, view.length, name);
          // Thinking that is bound to what a summary replaced is left out, of a copy as of the original.
          const isSame = again.view.at(-1) === copy.at(-1);
          ok(isSame || /"(redacted_)?thinking"/.test(JSON.stringify(copy.at(-1))), name);
          equal(isSame, view.at(-1) === messages.at(-1), name);
        }
      }
    }
    // A summary of the shortest would be no shorter.
    ok(covered > 0 || messages.length < 10, `${messages.length} messages, nothing was covered`);
  });

  test(`${title}: an edit anywhere in what is covered is noticed`, async () => {
    const compactor = createCompactor({ format, ...options });
    const { state } = await compactor.compact({ messages, system, tools });
    const { index } = compactor.keepFrom(state);
    const texts = messages.flatMap(({ role, content }, at) =>
      at < index && typeof content === "string" && role !== "tool" && role !== "function" ? [at] : [],
    );
    for (const at of texts) {
      const edited = messages.with(at, { ...messages[at], content: `${messages[at].content} ` });
      notEqual(compactor.plan({ messages: edited, state, system, tools }).report.diverged, null, `message ${at}`);
    }
  });
}

test("there are fixtures", () => {
  ok(fixtures.length > 30, `${fixtures.length}`);
});
