// What is asked often must cost next to nothing: a meter at each key stroke, a chat that a server loads for each request,
// the middleware with nothing new, recall, what is kept of each message. One process, in turn, the lower quartile.
// `node benches/quick.bench.mjs --update` writes them into docs/speed.md as well.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createCompactor } from "precis";
import { compaction } from "precis/ai-sdk";
import { aiSdk, openaiChat } from "precis/formats";
import { chat, said, session, text } from "./speed/chats.mjs";
import { inTurn, typical } from "./speed/measure.mjs";
import { writeTable } from "./speed/table.mjs";

const table = [];

if (process.argv[2] === "kept") await kept();
else {
  await keyStrokes();
  await loaded();
  await middleware(1_000, 1);
  await middleware(10_000, null);
  await recall();
  memory();
  if (process.argv.includes("--update")) writeTable("quick", ["| what | measured | goal |", "|---|--:|---|"], table);
}

/** A person types into a chat of 10,000 messages: the last one is another object each time. */
async function keyStrokes() {
  const messages = chat(10_000, 200);
  const compactor = createCompactor({ format: openaiChat, contextWindow: 10_000_000, maxOutputTokens: 4_096 });
  compactor.usage({ messages });
  let typed = "";
  const samples = await inTurn(
    {
      usage: {
        prepare: () => {
          typed += "a";
          return [...messages, { role: "user", content: typed }];
        },
        run: (messages) => compactor.usage({ messages }),
      },
    },
    { rounds: 100, warm: 50 },
  );
  row("usage() at a key stroke, 10,000 messages", typical(samples.usage), "ms", 2);
}

/** The same chat as a server has it: in memory, and parsed again for each request. */
async function loaded() {
  const of = async (workload, messages, options, call, goal) => {
    const json = JSON.stringify(messages);
    const compactor = createCompactor(options);
    compactor.usage({ messages });
    const samples = await inTurn(
      {
        known: { run: () => call(compactor, messages) },
        loaded: { prepare: () => JSON.parse(json), run: (messages) => call(compactor, messages) },
      },
      { rounds: 20, warm: 8 },
    );
    const [known, again] = [typical(samples.known), typical(samples.loaded)];
    row(`${workload}: new objects with known texts, beside known objects`, again / known, "times its time", goal, {
      precisMs: again,
      peerMs: known,
    });
  };
  const decide = (compactor, messages) => compactor.beforeModel({ messages });
  const wide = { format: openaiChat, contextWindow: 100_000_000, maxOutputTokens: 4_096 };
  await of(
    "compaction of 10,000 messages",
    session(10_000),
    { format: aiSdk, contextWindow: 100_000, maxOutputTokens: 256 },
    decide,
    1.5,
  );
  await of("a decision about 1,000 messages of 1 kB", chat(1_000, 1_000), wide, decide, 1.5);
}

/** A chat of so many messages of 1 kB in the AI SDK, one new, nothing to do. `goal`: milliseconds of the middleware. */
async function middleware(count, goal) {
  const options = { contextWindow: 2_000 * count, maxOutputTokens: 4_096 };
  const past = chat(count, 1_000);
  const own = () => past.map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
  const { middleware } = compaction(options);
  const run = compaction(options).run({ state: null });
  const usage = { inputTokens: 250 * count, outputTokens: 9 };
  const model = {
    modelId: "m",
    doGenerate: async () => ({ content: [], usage }),
  };
  const messages = own();
  const samples = await inTurn(
    {
      middleware: {
        prepare: () => {
          past.push(said(past.length, 1_000));
          return { params: { prompt: own(), maxOutputTokens: 4_096 }, model };
        },
        run: (options) => middleware.wrapGenerate(options),
      },
      prepareStep: {
        prepare: () => {
          const { role, content } = said(messages.length, 1_000);
          messages.push({ role, content: [{ type: "text", text: content }] });
          return { messages: messages.slice(), steps: [], stepNumber: 0 };
        },
        // As the middleware does, it learns from the usage of the step.
        run: async (step) => {
          await run.prepareStep(step);
          run.onStepEnd({ content: [], usage });
        },
      },
    },
    { rounds: 40, warm: 20 },
  );
  const what = `the AI SDK's middleware, ${count.toLocaleString("en")} messages of 1 kB, one new`;
  row(what, typical(samples.middleware), "ms", goal);
  row("prepareStep and onStepEnd of the same", typical(samples.prepareStep), "ms", null);
}

/** A question about a compacted chat of 10,000 messages. */
async function recall() {
  const messages = session(10_000);
  const compactor = createCompactor({ format: aiSdk, contextWindow: 100_000, maxOutputTokens: 256 });
  const { state } = await compactor.beforeModel({ messages });
  const samples = await inTurn(
    { recall: { run: () => compactor.recall({ messages, state, query: "which fixture expects UTC in date.rs" }) } },
    { rounds: 15, warm: 5 },
  );
  row("recall in 10,000 messages", typical(samples.recall), "ms", 20);
}

/** In a process of its own, which may ask for a collection. */
function memory() {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", fileURLToPath(import.meta.url), "kept"],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  row("kept of a message that was read", Number(stdout), "bytes", 400);
}

async function kept() {
  const count = 20_000;
  const messages = Array.from({ length: count }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: text(200, i),
  }));
  const compactor = createCompactor({ format: openaiChat, contextWindow: 100_000_000 });
  compactor.usage({ messages: messages.slice(0, 100) });
  const used = () => {
    for (let i = 0; i < 4; i++) globalThis.gc();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  compactor.usage({ messages });
  const after = used();
  // Both are still there.
  if (messages.length + Object.keys(compactor).length < count) throw new Error("lost");
  console.log((after - before) / count);
}

function row(workload, value, unit, goal, more = {}) {
  const ok = goal === null || value <= goal;
  const aim = goal === null ? "–" : `≤ ${goal}${ok ? "" : ", **missed**"}`;
  table.push(`| ${workload} | ${Number(value.toPrecision(2))} ${unit} | ${aim} |`);
  console.log(JSON.stringify({ workload, peer: null, ratio: value, unit, goal, ok, ...more }));
}
