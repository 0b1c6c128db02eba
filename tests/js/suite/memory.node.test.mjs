// The engine's memory: what large chats needed is used again, and nothing piles up. Wasm never gives memory back.
import { after, test } from "node:test";
import { equal, ok } from "./harness.mjs";
import { conversation, shapes } from "./scenarios.mjs";
import { instrumented } from "./trapping.mjs";

const engine = await instrumented();
after(() => engine.close());
const { createCompactor, PrecisError } = engine.precis;
const MEBIBYTE = 1 << 20;

test("1,200 calls for chats of every size take no more memory than the first round of them", async () => {
  const shape = { ...shapes.openaiChat, format: engine.formats.openaiChat };
  const chats = Array.from({ length: 12 }, (_, seed) =>
    conversation(shape, { messages: 40 + 60 * seed, seed, tools: seed % 2 === 0 }),
  );
  const round = async () => {
    for (const [number, messages] of chats.entries()) {
      const compactor = createCompactor({
        format: shape.format,
        contextWindow: 4_000 + 900 * number,
        summarize: async () => "- all is well",
      });
      let state = null;
      for (let part = 1; part <= 4; part++) {
        const call = { messages: messages.slice(0, Math.ceil((messages.length * part) / 4)), state };
        const prepared = await compactor.beforeModel(call);
        state = compactor.afterModel(prepared.state, { prompt_tokens: prepared.report.after.tokens });
        compactor.usage({ ...call, state });
        try {
          compactor.usage({ ...call, state: { version: 99 } });
        } catch (error) {
          ok(error instanceof PrecisError);
        }
      }
    }
  };
  await round();
  const once = engine.memory();
  for (let again = 0; again < 5; again++) await round();
  equal(engine.memory(), once);
  ok(once <= 16 * MEBIBYTE, `${once} bytes`);
});

test("a chat of 20,000 messages and a text of eight megabytes stay within bounds, and are paid for once", async () => {
  const compactor = () => createCompactor({ format: engine.formats.openaiChat, contextWindow: 100_000 });
  const many = Array.from({ length: 20_000 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: `message ${at}`,
  }));
  const large = [{ role: "user", content: "one long text, ".repeat(560_000) }];
  const all = async () => {
    for (const messages of [many, large]) await compactor().beforeModel({ messages });
  };
  await all();
  const once = engine.memory();
  for (let again = 0; again < 3; again++) await all();
  equal(engine.memory(), once);
  ok(once <= 64 * MEBIBYTE, `${once} bytes`);
  equal(engine.instances, 1);
});
