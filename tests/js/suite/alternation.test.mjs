// Endpoints where roles must alternate: what a compaction brings together is one message.
import { createCompactor } from "precis";
import * as formats from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, match, ok, test } from "./harness.mjs";
import { combinations } from "./length.mjs";
import { conversation, everyShape, requestsOf, shapes } from "./scenarios.mjs";
import { twins } from "./twins.mjs";

const { openaiChat, strict } = formats;

const twice = (format, view) => check(format, view).filter(({ rule }) => rule === "alternation").length;

/** Sends a whole conversation, and counts the requests in which two messages of a role follow each other. */
async function refusals(format, history, tune) {
  const compactor = createCompactor({ format, contextWindow: 4_000, maxOutputTokens: 200, tune });
  let [state, refused, merged] = [null, 0, 0];
  for (const at of requestsOf(history)) {
    const messages = history.slice(0, at);
    const prepared = await compactor.beforeModel({ messages, state });
    state = JSON.parse(JSON.stringify(prepared.state));
    refused += Number(twice({ ...format, ...strict }, prepared.view) > 0);
    const text = JSON.stringify(prepared.view);
    if (prepared.report.outcome !== "unchanged")
      merged += Number(text.includes("[Summary of the conversation so far]"));
    ok(text.includes(JSON.stringify(messages.findLast(({ role }) => role === "user").content).slice(1, 40)));
    // The same state says the same.
    const again = await compactor.beforeModel({ messages, state });
    equal(JSON.stringify(again.view), text);
  }
  return { refused, merged };
}

for (const [[title, shape], strategy] of combinations(Object.entries(shapes), ["tail", "full", "sliding-window"])) {
  const { format } = shape;
  test(`${title}, ${strategy}: no two messages of a role follow each other`, async () => {
    // Results are messages of the user in Anthropic's shape: a history of calls alternates by itself.
    const history = frozen(conversation(shape, { messages: 80, size: 500, seed: 5, tools: true, giants: 0 }));
    equal(twice({ ...format, ...strict }, history), 0);
    const free = await refusals(format, history, { strategy });
    const alternating = await refusals({ ...format, ...strict }, history, { strategy });
    ok(free.refused > 0, "without it, some requests would be refused");
    deepEqual(alternating, { refused: 0, merged: free.merged });
  });
}

test("the merged message is new, and says both", () => {
  const [one, other] = frozen([
    { role: "user", content: "One." },
    {
      role: "user",
      content: [
        { type: "text", text: "Two." },
        { type: "image_url", image_url: { url: "https://x/y" } },
      ],
    },
  ]);
  deepEqual(strict.merge(one, one), { role: "user", content: "One.\n\nOne." });
  deepEqual(strict.merge(one, other), { role: "user", content: [{ type: "text", text: "One." }, ...other.content] });
  deepEqual(strict.merge(other, one), { role: "user", content: [...other.content, { type: "text", text: "One." }] });
});

test("what follows each other in the history is the host's", async () => {
  const format = { ...openaiChat, ...strict };
  const messages = [
    { role: "user", content: "One." },
    { role: "user", content: "Two." },
  ];
  const { view, changed } = await createCompactor({ format, contextWindow: 4_000 }).beforeModel({ messages });
  ok(!changed && view[0] === messages[0] && view[1] === messages[1]);
  equal(twice(format, view), 1);
});

// A merged message that comes back in a view is read as what it was made of.

const alternating = {
  gemini: everyShape.gemini,
  "openaiChat, strict": everyShape["openaiChat, strict"],
  "anthropic, strict": { ...shapes.anthropic, format: { ...shapes.anthropic.format, ...strict } },
};

for (const [[title, shape], strategy] of combinations(Object.entries(alternating), ["tail", "full"]))
  test(`${title}, ${strategy}: a view that is passed back is known, with what is merged in it`, async () => {
    const { format } = shape;
    const history = frozen(conversation(shape, { messages: 90, size: 500, seed: 7, tools: true, giants: 0 }));
    const compactor = createCompactor({ format, contextWindow: 4_000, maxOutputTokens: 200, tune: { strategy } });
    const mayDiffer = twins();
    let [raw, state, given, from, merged, compared] = [null, null, [], 0, 0, 0];
    for (const at of requestsOf(
      history.map((message) => ({ role: message.role === "model" ? "assistant" : message.role })),
    )) {
      given = [...given, ...history.slice(from, at)];
      from = at;
      const expected = await compactor.beforeModel({ messages: history.slice(0, at), state: raw });
      const prepared = await compactor.beforeModel({ messages: given, state });
      equal(prepared.report.diverged, null, `at ${at}`);
      const failed = await compactor.beforeModel({ messages: given, state: prepared.state });
      equal(JSON.stringify(failed.view), JSON.stringify(prepared.view), `the same again, at ${at}`);
      const before = raw;
      [raw, state] = [expected, prepared].map((one) => JSON.parse(JSON.stringify(one.state)));
      const last = prepared.view[0];
      merged += Number(/\[End of the summary.*(What|order)/su.test(JSON.stringify(last)));
      if (mayDiffer(before, [raw, state], [expected.report, prepared.report])) [given, state] = [expected.view, raw];
      else {
        equal(JSON.stringify(prepared.view), JSON.stringify(expected.view), `at ${at}`);
        compared += 1;
        given = prepared.view;
      }
      equal(twice(format, prepared.view), 0);
    }
    ok(merged > 3 && compared > 10, `${merged} merged, ${compared} compared`);
  });

test("a message that a format reads though it has no content is merged like any other", () => {
  for (const format of Object.values(formats).filter(({ merge, read }) => merge && read)) {
    const [summary] = frozen([format.summary("So far.")]);
    for (const empty of frozen([{ role: "user" }, { role: "user", content: null, parts: null }])) {
      match(JSON.stringify(format.merge(summary, empty)), /So far\./);
      match(JSON.stringify(format.merge(empty, summary)), /So far\./);
    }
  }
});
