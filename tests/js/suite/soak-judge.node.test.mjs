// The soak's own judge finds each kind of fault: a check that cannot fail would prove nothing.
import { deepEqual, ok } from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, tokensOf } from "../soak/judge.mjs";
import { shapes } from "../soak/shapes.mjs";

const limits = { window: 4_000, reply: 300 };

for (const shape of Object.values(shapes)) {
  const chat = { shape, number: 7, rule: "RULE-7-KEEP" };
  const history = () => [
    shape.say("user", "#7.0# You must never delete RULE-7-KEEP. Look at the parser?"),
    shape.calls(["call_7.1"], "#7.2# I look.", '{"path":"a"}'),
    ...shape.results(["call_7.1"], ["#7.3# found"]),
    shape.say("assistant", "#7.4# It was the date."),
    shape.say("user", "#7.5# And the tests?"),
  ];
  const judged = (view, report = { outcome: "unchanged" }) => faultsOf(chat, history(), { view, report }, limits);
  const kinds = (view) => judged(view).map((fault) => fault.split(":")[0]);
  const without = (at, count = 1) => history().toSpliced(at, count);
  const summary = shape.say("user", "[Summary] #7.0# required RULE-7-KEEP");

  test(`${shape.name}: a history as it is, and one with a summary for what is missing, have no fault`, () => {
    deepEqual(judged(history()), []);
    deepEqual(judged([summary, ...without(0, 3)]), []);
  });

  test(`${shape.name}: each fault is found`, () => {
    ok(kinds(without(2)).includes("illegal"), "a call without its result");
    ok(kinds(without(1)).includes("illegal"), "a result without its call");
    ok(kinds([...history().slice(0, 4), shape.say("user", "")]).includes("illegal"), "an empty message");
    ok(kinds(without(4)).includes("lost"), "the newest message");
    ok(kinds([summary, ...history().slice(3, 4), shape.say("user", "#7.9# what?")]).includes("foreign"));
    ok(kinds(without(0)).includes("lost"), "what was required");
    ok(kinds([...history().slice(0, 4), ...history().slice(3)]).includes("doubled"));
    ok(kinds([3, 0, 1, 2, 4].map((at) => history()[at])).includes("order"));
    ok(kinds([shape.say("user", "[Summary] of #8.3# RULE-7-KEEP"), ...history()]).includes("foreign"));
    const long = shape.say("user", `[Summary] RULE-7-KEEP ${"a long text ".repeat(1_500)}`);
    ok(kinds([long, ...history()]).includes("over"));
    ok(judged(history(), { outcome: "infeasible", reason: "…" })[0].startsWith("infeasible"));
    ok(tokensOf(history()) > 40);
  });
}
