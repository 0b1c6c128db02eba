// Random chats, held with servers that sign what they reply, bind it and remember it: no request is refused.
import fc from "fast-check";
import { clients } from "../../providers/clients.mjs";
import { replay } from "../../providers/replay.mjs";
import { equal, ok, test } from "./harness.mjs";
import { cases } from "./length.mjs";

const numRuns = Number(process.env.PRECIS_CASES ?? cases(40, 8));
const seed = process.env.CI ? { seed: 20261127 } : {};

const KINDS = [
  "the order and the invoice are as they were; ",
  "订单已经发货。🦀",
  '{"id": 4711, "paid": true},\n',
  "12:04 ERROR no such file\n",
];
const size = fc.oneof(
  { weight: 5, arbitrary: fc.nat(200) },
  { weight: 2, arbitrary: fc.nat(3_000) },
  { weight: 1, arbitrary: fc.nat(20_000) },
);
const body = fc.record({ size, kind: fc.nat(KINDS.length - 1) });
const thought = fc.option(body, { freq: 2 });
/** What happens in a chat; a person may speak twice, and tools may be called by ids that come again. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("user"), body }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("assistant"), body, thought }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("tools"),
      thought,
      said: fc.option(body),
      batch: fc.array(fc.record({ body, write: fc.option(body, { freq: 5 }), failed: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
      again: fc.boolean(),
      turned: fc.boolean(),
      beside: fc.option(body, { freq: 8 }),
    }),
  },
);
const setup = fc.record({
  strategy: fc.constantFrom("tail", "full", "sliding-window", "last-tool-batch"),
  reasoning: fc.constantFrom("keep", "drop-old"),
  contextWindow: fc.constantFrom(2_000, 4_000, 8_000),
  summarize: fc.boolean(),
});

const GO_ON = { size: 10, kind: 0 };

const text = ({ size, kind }, number) =>
  `#${number}# ${KINDS[kind].repeat(Math.ceil(size / KINDS[kind].length)).slice(0, size)}`;
const said = (body, number) => (body ? [{ kind: "text", text: text(body, number) }] : []);
const thinks = (body, number) => (body ? [{ kind: "reasoning", text: text(body, number) }] : []);

/** The turns of a chat, which a person begins. */
function turnsOf(events) {
  const turns = [{ role: "user", parts: [{ kind: "text", text: "Begin." }] }];
  events.forEach((event, number) => {
    // A model is not asked again before somebody says something.
    if (event.type !== "user" && turns.at(-1).role === "assistant")
      turns.push({ role: "user", parts: said(GO_ON, number) });
    if (event.type === "user") turns.push({ role: "user", parts: said(event.body, number) });
    if (event.type === "assistant")
      turns.push({ role: "assistant", parts: [...thinks(event.thought, number), ...said(event.body, number)] });
    if (event.type !== "tools") return;
    const calls = event.batch.map(({ write }, at) => ({
      kind: "call",
      id: event.again ? `call_${at}` : `call_${number}_${at}`,
      name: "read",
      input: { path: `${number}.txt`, ...(write && { content: text(write, number) }) },
    }));
    const results = calls.map(({ id, name }, at) => {
      const { body, failed } = event.batch[at];
      return { kind: "result", id, name, output: text(body, number), failed };
    });
    turns.push({ role: "assistant", parts: [...thinks(event.thought, number), ...said(event.said, number), ...calls] });
    turns.push({
      role: "tool",
      parts: [...(event.turned ? results.reverse() : results), ...said(event.beside, number)],
    });
  });
  return turns;
}

for (const name of Object.keys(clients).filter((name) => name !== "local")) {
  test(`random chats with ${name}: no request is refused`, async () => {
    let judged = 0;
    await fc.assert(
      fc.asyncProperty(setup, fc.array(event, { minLength: 3, maxLength: 25 }), async (setup, events) => {
        const { summarize, contextWindow, reasoning, strategy } = setup;
        const session = { system: "You are a patient librarian.", tools: ["read"], turns: turnsOf(events) };
        const options = { contextWindow, maxOutputTokens: 250, reasoning, tune: { strategy } };
        const found = await replay(session, name, { options, summarize });
        judged += found.judged;
        const refused = found.refusals.map(({ findings: [{ rule, text }] }) => `${rule}: ${text}`);
        equal(refused.join("\n"), "");
      }),
      { numRuns, ...seed, endOnFailure: false },
    );
    ok(judged >= numRuns);
  });
}
