// Retrieved context of each turn, as system messages among the others: by a policy, what is old can leave.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { deepEqual, equal, ok, rejects, test } from "./harness.mjs";

const instructions = { role: "system", content: "You answer questions about contracts." };
const context = (turn) =>
  `Context of turn ${turn}: ${`paragraph ${turn} of the contract says what it says. `.repeat(30)}`;
const turn = (at) => [
  { role: "system", content: context(at) },
  { role: "user", content: `What does paragraph ${at} say?` },
  { role: "assistant", content: `Paragraph ${at} says that the parties agree on ${at}.` },
];
const history = (turns) => [instructions, ...Array.from({ length: turns }, (_, at) => turn(at)).flat()];
const systems = (view) => view.filter(({ role }) => role === "system").map(({ content }) => content);

test("by default all system messages stay", async () => {
  const messages = history(6);
  const { view } = await createCompactor({ format: openaiChat, contextWindow: 3_000 }).beforeModel({ messages });
  equal(systems(view).length, 7);
});

test("old context leaves with its turn; instructions and the newest context stay", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, systemMessages: "drop-old" });
  let state;
  let reached = 0;
  for (let turns = 1; turns <= 40; turns++) {
    const messages = history(turns);
    const prepared = await compactor.beforeModel({ messages, state });
    ({ state } = prepared);
    ok(prepared.report.outcome !== "infeasible", `turn ${turns}`);
    const shown = systems(prepared.view);
    equal(shown[0], instructions.content);
    equal(shown.at(-1), context(turns - 1));
    deepEqual(check(openaiChat, prepared.view), []);
    reached = Math.max(reached, turns + 1 - shown.length);
  }
  ok(reached > 30, `${reached}`);
});

test("a loop that feeds its views back keeps the same of it", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 4_000, systemMessages: "drop-old" });
  let [messages, state] = [[instructions], undefined];
  for (let at = 0; at < 30; at++) {
    messages = [...messages, ...turn(at)];
    const prepared = await compactor.beforeModel({ messages, state });
    ({ state } = prepared);
    ok(prepared.report.outcome !== "infeasible", `turn ${at}`);
    const shown = systems(prepared.view);
    equal(shown[0], instructions.content);
    equal(shown.at(-1), context(at));
    messages = prepared.view;
  }
  ok(systems(messages).length < 8);
});

test("a call may say so for itself, and nothing else is taken for it", async () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 3_000 });
  const messages = history(12);
  const { view, report } = await compactor.beforeModel({ messages, systemMessages: "drop-old" });
  ok(report.outcome === "compacted" && systems(view).length < 8);
  await rejects(() => compactor.beforeModel({ messages, systemMessages: "drop" }), { code: "invalid-call" });
});
