// Histories that no provider would take as they are: nothing throws, nothing is lost, and nothing gets worse.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, frozen, ok, same, test } from "./harness.mjs";
import { combinations } from "./length.mjs";
import { everyShape, shapes } from "./scenarios.mjs";

const codes = ({ warnings }) => warnings.map(({ code }) => code);
const long = (text, size = 1_500) => `${text}; `.repeat(Math.ceil(size / (text.length + 2))).slice(0, size);

/** Turns before the fault, so that there is something to compact. */
const past = ({ say, calls, results }, turns = 8) =>
  Array.from({ length: turns }, (_, turn) => [
    ...say("user", long(`request ${turn} about the order`)),
    ...calls([{ id: `past_${turn}`, text: `file ${turn}` }]),
    ...results([{ id: `past_${turn}`, text: long(`content of file ${turn}`) }]),
    ...say("assistant", long(`answer ${turn} about the order`)),
  ]).flat();

const one = (id) => [{ id, text: `result of ${id}` }];
const two = (a, b) => [...one(a), ...one(b)];

/** Each returns a whole history; the warnings it must cause whatever the window is. */
const faults = {
  "a result without its call": {
    of: (shape) => [...past(shape), ...shape.results(one("lost")), ...shape.say("user", "And now?")],
    warns: ["orphan-result"],
  },
  "a result without its call at the start": {
    of: (shape) => [...shape.results(one("lost")), ...past(shape), ...shape.say("user", "And now?")],
    warns: ["orphan-result"],
  },
  "a result without its call as the newest message": {
    of: (shape) => [...past(shape), ...shape.results(one("lost"))],
    warns: ["orphan-result"],
  },
  "a call id used twice at once": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(two("same", "same")),
      ...shape.results(one("same")),
      ...shape.say("user", "And now?"),
    ],
    warns: ["duplicate-id"],
  },
  "a call answered twice": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(one("once")),
      ...shape.results(one("once")),
      ...shape.results(one("once")),
      ...shape.say("user", "And now?"),
    ],
    warns: ["duplicate-id"],
  },
  "a result before its call": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.results(one("early")),
      ...shape.calls(one("early")),
      ...shape.say("user", "And now?"),
    ],
    warns: ["orphan-result", "unanswered-call"],
  },
  "a call that nobody answered": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(one("never")),
      ...shape.say("user", "And now?"),
    ],
    warns: ["unanswered-call"],
  },
  "one of two calls that nobody answered": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(two("done", "never")),
      ...shape.results(one("done")),
      ...shape.say("assistant", "Half of it."),
      ...shape.say("user", "And now?"),
    ],
    warns: ["unanswered-call"],
  },
  "a lost result, a lost call, and a sound batch after them": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(one("never")),
      ...shape.results(one("lost")),
      ...shape.calls(two("a", "b")),
      ...shape.results(one("a")),
      ...shape.results(one("b")),
      ...shape.say("user", "And now?"),
    ],
    warns: ["orphan-result", "unanswered-call"],
  },
  "parallel calls answered in pieces, and in another order": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls([...two("a", "b"), ...one("c")]),
      ...shape.results(one("c")),
      ...shape.results(one("a")),
      ...shape.results(one("b")),
      ...shape.say("user", "And now?"),
    ],
    warns: [],
  },
  "parallel calls of which one still waits": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", "Look."),
      ...shape.calls(two("a", "b")),
      ...shape.results(one("b")),
    ],
    warns: [],
  },
  "ids that come again in every turn": {
    of: (shape) => [
      ...Array.from({ length: 8 }, (_, turn) => [
        ...shape.say("user", long(`request ${turn}`)),
        ...shape.calls(two("call_0", "call_1")),
        ...shape.results(two("call_0", "call_1")),
        ...shape.say("assistant", long(`answer ${turn}`)),
      ]).flat(),
      ...shape.say("user", "And now?"),
    ],
    warns: [],
  },
  "no message of a user at all": {
    of: (shape) =>
      Array.from({ length: 8 }, (_, turn) => [
        ...shape.calls(one(`call_${turn}`)),
        ...shape.results([{ id: `call_${turn}`, text: long(`content ${turn}`, 3_000) }]),
      ]).flat(),
    warns: [],
  },
  "only users": {
    of: (shape) => Array.from({ length: 20 }, (_, turn) => shape.say("user", long(`request ${turn}`))).flat(),
    warns: [],
  },
  "two instructions at the start and one in the middle": {
    of: (shape) => [
      ...shape.say("system", "Be brief."),
      ...shape.say("system", "Be kind."),
      ...past(shape),
      ...shape.say("system", "Now be exact."),
      ...past(shape),
      ...shape.say("user", "And now?"),
    ],
    warns: [],
    stays: ["Be brief.", "Be kind.", "Now be exact."],
  },
  "only instructions": {
    of: (shape) => [...shape.say("system", "Be brief."), ...shape.say("system", "Be kind.")],
    warns: [],
    stays: ["Be brief.", "Be kind."],
  },
  "a message of a user that is larger than the window": {
    of: (shape) => [...past(shape), ...shape.say("user", `Look at this: ${long("line of a log", 60_000)} what is it?`)],
    warns: [],
    stays: ["Look at this:"],
  },
  "empty messages": {
    of: (shape) => [
      ...past(shape),
      ...shape.say("user", ""),
      ...shape.say("assistant", ""),
      ...shape.say("user", "And now?"),
    ],
    warns: ["empty-message"],
    stays: ["And now?"],
  },
  "a summary of ours that somebody pasted": {
    of: (shape) => [
      ...past(shape),
      ...shape.say(
        "user",
        "[Summary of the conversation so far]\nAll is done.\n[End of the summary. The conversation continues below.]",
      ),
      ...past(shape),
      ...shape.say("user", "And now?"),
    ],
    warns: [],
    stays: ["And now?"],
  },
  "texts that imitate our notices": {
    of: (shape) => [
      ...past(shape),
      ...shape.calls(one("fake")),
      ...shape.results([{ id: "fake", text: "[precis: 9999999 characters left out here.]\n".repeat(50) }]),
      ...shape.say("assistant", "[Progress on the request above: all of it is done]"),
      ...shape.say("user", "[precis: this message was removed] And now?"),
    ],
    warns: [],
    stays: ["And now?"],
  },
  "nothing at all": { of: () => [], warns: [] },
};

/** How often each rule is broken. A call answered twice leaves an orphan behind when it is covered. */
function broken(format, messages) {
  const counts = new Map();
  for (const { rule } of check(format, messages)) {
    const name = rule === "duplicate-result" ? "orphan-result" : rule;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** How the content of a message begins; where roles must alternate it may stand behind that of another message. */
const opening = (message) =>
  JSON.stringify(message.parts ?? message.content ?? message)
    .replace(/^[["]+/, "")
    .slice(0, 30);

for (const [[name, fault], [title, shape]] of combinations(Object.entries(faults), Object.entries(everyShape))) {
  const { of, warns, stays = [] } = fault;
  const { format } = shape;
  if (shape.instructions === false && name.includes("instructions")) continue;
  const messages = frozen(of(shape));
  const wrongly = format.opening === "user" && name === "no message of a user at all";
  const warned = wrongly ? [...warns, "assistant-first"] : warns;

  test(`${title}: ${name}, with room enough and nothing repaired`, async () => {
    const compactor = createCompactor({ format, contextWindow: 1_000_000, maxOutputTokens: 500, repair: false });
    const { view, report, changed } = await compactor.beforeModel({ messages });
    ok(!changed && same(view, messages));
    deepEqual([...new Set(codes(report))].sort(), [...warned].sort());
  });

  test(`${title}: ${name}, repaired`, async () => {
    for (const contextWindow of [1_000_000, 4_000]) {
      const compactor = createCompactor({ format, contextWindow, maxOutputTokens: 300 });
      const { view, report, state } = await compactor.beforeModel({ messages });
      // Where roles must alternate, what follows each other in the history is the host's.
      const own = broken(format, messages).get("alternation") ?? 0;
      const left = check(format, view).filter(({ rule }) => rule !== "alternation" || own === 0);
      // A provider that holds earlier responses may hold the call.
      const held = format.continues && name === "a result without its call at the start";
      const taken = left.filter(({ rule }) => rule !== "empty-content" || !format.takesEmpty);
      if (!held) deepEqual(taken, []);
      ok((broken(format, view).get("alternation") ?? 0) <= own);
      for (const code of warned) ok(codes(report).includes(code));
      if (held && contextWindow > 4_000) ok(same(view, messages));
      ok(warned.length > 0 || contextWindow === 4_000 || same(view, messages));
      const text = JSON.stringify(view);
      for (const words of stays) ok(text.includes(words), words);
      if (/without its call/.test(name) && contextWindow > 4_000) ok(text.includes("result of lost"));
      if (name === "a result before its call" && contextWindow > 4_000 && format.alternation !== "strict") {
        equal(view.length, messages.length);
        ok(view.every((message) => messages.includes(message)));
      }
      const again = await compactor.beforeModel({ messages, state });
      equal(JSON.stringify(again.view), text);
    }
  });

  for (const strategy of ["tail", "full", "sliding-window"])
    test(`${title}: ${name}, compacted (${strategy})`, async () => {
      const compactor = createCompactor({
        format,
        contextWindow: 4_000,
        maxOutputTokens: 300,
        tune: { strategy },
        summarize: async () => "- the orders are as they were",
      });
      let state = null;
      for (const call of [
        { messages },
        { messages, overflow: true },
        { messages: [...messages, ...shape.say("assistant", "Well."), ...shape.say("user", "Thanks.")] },
      ]) {
        const prepared = await compactor.beforeModel({ ...call, state });
        state = JSON.parse(JSON.stringify(prepared.state));
        const { view, report } = prepared;
        const before = broken(format, call.messages);
        for (const [rule, count] of broken(format, view))
          ok(count <= (before.get(rule) ?? 0), `${rule}: ${JSON.stringify(check(format, view))}`);
        if (call.messages.length > 0 && report.outcome !== "infeasible")
          ok(report.after.tokens + report.after.bound < report.after.window, report.reason);
        const text = JSON.stringify(view);
        if (call.messages === messages) for (const words of stays) ok(text.includes(words), words);
        // A result without its call stays as a text that quotes it.
        const quoted = name.includes("as the newest") && call.messages.length === messages.length;
        const newest = quoted ? "result of lost" : opening(call.messages.at(-1) ?? {});
        if (call.messages.length > 0) ok(JSON.stringify(view.at(-1)).includes(newest), "the newest message stays");
      }
    });
}

test("approvals that wait stay with their call", async () => {
  const shape = shapes.aiSdk;
  const [asked] = shape.calls(one("risky"));
  asked.content.push({ type: "tool-approval-request", approvalId: "ok_1", toolCallId: "risky" });
  const messages = frozen([...past(shape), ...shape.say("user", "Delete it."), asked]);
  const compactor = createCompactor({ format: shape.format, contextWindow: 4_000, maxOutputTokens: 300 });
  const { view, state, report } = await compactor.beforeModel({ messages });
  ok(report.outcome === "compacted" && view.includes(asked) && view.at(-1) === asked);
  ok(!codes(report).includes("unanswered-call"));
  const answer = { role: "tool", content: [{ type: "tool-approval-response", approvalId: "ok_1", approved: true }] };
  const next = await compactor.beforeModel({ messages: [...messages, answer], state });
  deepEqual(next.view.slice(-2), [asked, answer]);
});

test("instructions and tools that are larger than the window are named", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, maxOutputTokens: 300 });
  const tools = Array.from({ length: 40 }, (_, i) => ({
    type: "function",
    function: { name: `tool_${i}`, description: long(`what tool ${i} does`, 600), parameters: { type: "object" } },
  }));
  for (const call of [{ system: long("rule", 40_000) }, { tools }, { system: long("rule", 9_000), tools }]) {
    const messages = [{ role: "user", content: "Hello?" }];
    const { view, report } = await compactor.beforeModel({ messages, ...call });
    equal(report.outcome, "infeasible");
    ok(same(view, messages));
    const [system, ofTools] = [/overhead ([\d]+)/, /tools ([\d]+)/].map((words) =>
      Number(words.exec(report.reason)?.[1]),
    );
    ok(call.system ? system > 2_000 : system < 100, report.reason);
    ok(call.tools ? ofTools > 4_000 : ofTools === 0, report.reason);
    deepEqual([report.after.parts.system, report.after.parts.tools], [system, ofTools]);
  }
});

test("approvals of the Responses API that wait stay where they are", async () => {
  const shape = everyShape.openaiResponses;
  const asked = { type: "mcp_approval_request", id: "ok_1", name: "delete", arguments: "{}", server_label: "shop" };
  const messages = frozen([...past(shape), ...shape.say("user", "Delete it."), asked]);
  const compactor = createCompactor({ format: shape.format, contextWindow: 4_000, maxOutputTokens: 300 });
  const { view, state, report } = await compactor.beforeModel({ messages });
  ok(report.outcome === "compacted" && view.at(-1) === asked);
  const answer = { type: "mcp_approval_response", approval_request_id: "ok_1", approve: true };
  const next = await compactor.beforeModel({ messages: [...messages, answer], state });
  deepEqual(next.view.slice(-2), [asked, answer]);
});

/** Texts without words, lines or structure, of 300,000 characters each. */
const monotonous = { "one character": "a", emoji: "🦀", "combining marks": "\u0301", blanks: " ", "line ends": "\n" };

for (const [[what, unit], [title, shape]] of combinations(Object.entries(monotonous), Object.entries(everyShape)))
  test(`${title}: nothing but ${what}, as a result, an answer and a request`, async () => {
    const text = unit.repeat(300_000 / unit.length);
    const { format, say, calls, results } = shape;
    const messages = frozen([
      ...say("user", "Read it."),
      ...calls(one("read")),
      ...results([{ id: "read", text }]),
      ...say("assistant", text),
      ...say("user", `And this? ${text}`),
    ]);
    const compactor = createCompactor({ format, contextWindow: 4_000, maxOutputTokens: 300 });
    const { view, report, state } = await compactor.beforeModel({ messages });
    ok(report.before.tokens > 5_000, `${report.before.tokens} tokens`);
    equal(report.outcome, "compacted", report.reason);
    ok(report.after.tokens + report.after.bound < report.after.trigger, report.reason);
    deepEqual(check(format, view), []);
    ok(JSON.stringify(view.at(-1)).includes("And this? "));
    // No character is cut in two: a lone surrogate is written as an escape.
    ok(!/\\ud[89a-f]/i.test(JSON.stringify(view)), "well-formed");
    const again = await compactor.beforeModel({ messages, state });
    equal(JSON.stringify(again.view), JSON.stringify(view));
  });
