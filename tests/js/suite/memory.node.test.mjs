// The engine's memory: what large chats needed is used again, and nothing piles up. Wasm never gives memory back.
import { after, test } from "node:test";
import { equal, ok } from "./harness.mjs";
import { cases, spread } from "./length.mjs";
import { conversation, shapes } from "./scenarios.mjs";
import { instrumented } from "./trapping.mjs";

const engine = await instrumented();
after(() => engine.close());
const { createCompactor, PrecisError } = engine.precis;
const MEBIBYTE = 1 << 20;

test("calls for chats of every size, again and again, take no more memory than the first of each", async () => {
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
  for (let again = 0; again < cases(5, 1); again++) await round();
  equal(engine.memory(), once);
  ok(once <= 16 * MEBIBYTE, `${once} bytes`);
});

test("a chat of 20,000 messages and a text of eight megabytes stay within bounds, however often they come", async () => {
  const compactor = () => createCompactor({ format: engine.formats.openaiChat, contextWindow: 100_000 });
  const many = Array.from({ length: 20_000 }, (_, at) => ({
    role: at % 2 ? "assistant" : "user",
    content: `message ${at}`,
  }));
  const large = [{ role: "user", content: "one long text, ".repeat(560_000) }];
  await compactor().beforeModel({ messages: many.slice(0, 1) });
  const least = engine.memory();
  const all = async () => {
    for (const messages of [many, large]) await compactor().beforeModel({ messages });
  };
  await all();
  const once = engine.memory();
  for (let again = 0; again < cases(3, 1); again++) await all();
  equal(engine.memory(), once);
  // A build that only tests use takes more for itself than the one that is shipped.
  ok(once - least <= 3 * 8.4e6 + 15 * MEBIBYTE, `${once} bytes, ${least} without a chat`);
});

test("a text of any kind takes three times its size and 16 MB at most, and its instance is replaced", async () => {
  const size = 8 * MEBIBYTE;
  const filled = (text) => text.repeat(Math.floor(size / Buffer.byteLength(text)));
  const texts = {
    words: filled("one long text, "),
    é: filled("é"),
    lines: filled("one line\n"),
    "line ends": filled("\n"),
    JSON: `[${filled('{"a":1},')}1]`,
    names: Array.from({ length: 700_000 }, (_, at) => `file${at}.rs`).join(" "),
  };
  const called = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
  const pasts = (content) => ({
    "as a request": [{ role: "user", content }],
    "as a result": [
      { role: "user", content: "Go." },
      { role: "assistant", content: null, tool_calls: [called] },
      { role: "tool", tool_call_id: "c", content },
    ],
  });
  const compactor = createCompactor({ format: engine.formats.openaiChat, contextWindow: 100_000 });
  for (const [kind, content] of spread(Object.entries(texts), 2)) {
    for (const [where, messages] of Object.entries(pasts(content))) {
      const before = engine.instances;
      const { report, state } = await compactor.beforeModel({ messages });
      equal(report.outcome, "compacted");
      const [most, peak] = [3 * Buffer.byteLength(content) + 16 * MEBIBYTE, engine.memory()];
      ok(
        peak <= most,
        `${kind} ${where}: ${peak} bytes, ${(peak / Buffer.byteLength(content)).toFixed(1)} times its size`,
      );
      // What comes next is served by a small one.
      compactor.usage({ messages: [...messages, { role: "assistant", content: "Done." }], state });
      ok(engine.memory() <= 32 * MEBIBYTE, `${kind} ${where}: ${engine.memory()} bytes are kept`);
      ok(engine.instances - before <= 2, `${kind} ${where}: ${engine.instances - before} instances`);
    }
  }
});
