// node benches/scaling.mjs: draws docs/scaling.svg, what chats of 100 to 100,000 messages cost precis and its peers. Who
// would take over LONGEST milliseconds for the next one is not asked: the line ends there.
import { writeFileSync } from "node:fs";
import { build } from "../js/scripts/build.mjs";
import { at, main, packages } from "../js/scripts/common.mjs";
import { said, session } from "./speed/chats.mjs";
import { typical } from "./speed/measure.mjs";

const LONGEST = 4_000;
const counts = [100, 316, 1_000, 3_162, 10_000, 31_623, 100_000];

main(import.meta.url, async () => {
  await build();
  await packages("benches");
  const lines = {};
  for (const [name, prepare] of Object.entries(await contenders())) {
    lines[name] = [];
    for (const count of counts) {
      const ms = await timed(prepare(session(count), count));
      lines[name].push([count, ms]);
      console.log(`${name}, ${count} messages: ${ms.toPrecision(3)} ms`);
      // As much more as it took more than before.
      if (ms * (ms / (lines[name].at(-2)?.[1] ?? ms)) > LONGEST) break;
    }
  }
  writeFileSync(at("docs/scaling.svg"), drawn(lines));
});

/** By name: what makes of a session the work that is timed. */
async function contenders() {
  const { FakeListChatModel } = await import("@langchain/core/utils/testing");
  const { pruneMessages } = await import("ai");
  const { AIMessage, countTokensApproximately, HumanMessage, summarizationMiddleware, trimMessages } = await import(
    "langchain"
  );
  const { createCompactor } = await import("precis");
  const { aiSdk } = await import("precis/formats");
  const made = (contextWindow) => createCompactor({ format: aiSdk, contextWindow, maxOutputTokens: 256 });
  const theirs = (messages) =>
    messages.map(({ role, content }) => {
      const text = typeof content === "string" ? content : JSON.stringify(content);
      return role === "assistant" ? new AIMessage(text) : new HumanMessage(text);
    });
  return {
    "precis, nothing to do": (messages) => {
      const compactor = made(1e9);
      let state = null;
      return async () => {
        messages.push(said(messages.length, 400));
        ({ state } = await compactor.beforeModel({ messages, state }));
      };
    },
    "precis, compaction": (messages, count) => {
      const compactor = made(Math.max(2_000, count * 10));
      return () => compactor.beforeModel({ messages });
    },
    "AI SDK pruneMessages": (messages) => () =>
      pruneMessages({ messages, toolCalls: "before-last-message", reasoning: "all", emptyMessages: "remove" }),
    "LangChain trimMessages": (messages, count) => {
      const [given, maxTokens] = [theirs(messages), count * 5];
      return () => trimMessages(given, { maxTokens, strategy: "last", tokenCounter: countTokensApproximately });
    },
    "LangChain summarization": (messages, count) => {
      const given = theirs(messages);
      const model = new FakeListChatModel({ responses: ["What was done so far: the parser was mended."] });
      const middleware = summarizationMiddleware({
        model,
        trigger: { tokens: count * 5 },
        keep: { tokens: count * 2 },
      });
      return () => middleware.beforeModel({ messages: given }, { context: {} });
    },
  };
}

/**
 * What one run takes of the processor, in milliseconds: time on the wall would be that of a busy machine too. The first
 * does not count where there is time for more.
 */
async function timed(run) {
  const samples = [];
  for (let spent = 0; samples.length < 15 && spent < (samples.length < 4 ? LONGEST : 500); spent += samples.at(-1)) {
    const from = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(from);
    samples.push((user + system) / 1000);
  }
  return typical(samples.length > 1 ? samples.slice(1) : samples);
}

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT] = [760, 440, 70, 20, 50, 190];
const COLOURS = ["#0b6e4f", "#2ca25f", "#3b6fb6", "#b5542b", "#7a4fa3"];

function drawn(lines) {
  const times = Object.values(lines).flatMap((line) => line.map(([, ms]) => Math.log10(ms)));
  const [least, most] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const x = (count) => round(LEFT + ((Math.log10(count) - 2) / 3) * (WIDTH - LEFT - RIGHT));
  const y = (ms) => round(HEIGHT - BOTTOM - ((Math.log10(ms) - least) / (most - least)) * (HEIGHT - TOP - BOTTOM));
  const parts = [];
  for (let power = 2; power <= 5; power++) {
    parts.push(rule(x(10 ** power), TOP, x(10 ** power), HEIGHT - BOTTOM));
    parts.push(text(x(10 ** power), HEIGHT - BOTTOM + 18, "middle", (10 ** power).toLocaleString("en")));
  }
  for (let power = least; power <= most; power++) {
    parts.push(rule(LEFT, y(10 ** power), WIDTH - RIGHT, y(10 ** power)));
    parts.push(text(LEFT - 8, y(10 ** power) + 4, "end", `${10 ** power} ms`));
  }
  parts.push(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "middle", "messages in the chat"));
  Object.entries(lines).forEach(([name, line], at) => {
    const points = line.map(([count, ms]) => `${x(count)},${y(ms)}`).join(" ");
    parts.push(`<polyline points="${points}" fill="none" stroke="${COLOURS[at]}" stroke-width="2"/>`);
    const [count, ms] = line.at(-1);
    parts.push(`<text x="${x(count) + 8}" y="${y(ms) + 4}" fill="${COLOURS[at]}">${name}</text>`);
  });
  const style = `font-family="sans-serif" font-size="12"`;
  const back = `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" ${style}>\n${back}\n${parts.join("\n")}\n</svg>\n`;
}

const rule = (x1, y1, x2, y2) => `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#ddd"/>`;
const text = (x, y, anchor, words) => `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333">${words}</text>`;
const round = (value) => Math.round(value * 10) / 10;
