// One fresh process: imports the package, asks once, and compacts 400 messages; or does nothing, to be taken off. Prints
// processor time in milliseconds: of the main thread, and of all threads, what these go on doing afterwards included.
import { readFileSync } from "node:fs";

const REST = 300;
const [, , what] = process.argv;
/** Of this thread alone, where the kernel says so. */
const main = () => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
const all = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};
const rest = () => new Promise((done) => setTimeout(done, REST));
const text = (i) => `step ${i}: the build failed again, order ${4_700 + i} in src/main.rs waits. `.repeat(2);
const messages = (count) =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: text(i) }));

const took = {};
async function measured(name, work) {
  const from = [main(), all(), performance.now()];
  await work();
  took[name] = { main: main() - from[0], wall: performance.now() - from[2] };
  await rest();
  took[name].all = all() - from[1];
}

const works = {
  async precis() {
    let precis;
    let formats;
    await measured("first answer", async () => {
      [precis, formats] = [await import("precis"), await import("precis/formats")];
      const compactor = precis.createCompactor({ format: formats.openaiChat, contextWindow: 128_000 });
      await compactor.beforeModel({ messages: messages(20) });
    });
    const history = messages(400);
    await measured("first compaction of 400 messages", async () => {
      const compactor = precis.createCompactor({ format: formats.openaiChat, contextWindow: 8_000 });
      const { report } = await compactor.beforeModel({ messages: history });
      if (report.outcome !== "compacted") throw new Error(report.outcome);
    });
  },
  async "gpt-tokenizer"() {
    await measured("first answer", async () => {
      const { countTokens } = await import("gpt-tokenizer");
      for (const { content } of messages(20)) countTokens(content);
    });
  },
  async nothing() {
    for (const name of ["first answer", "first compaction of 400 messages"]) await measured(name, async () => {});
  },
};
await works[what]();
console.log(JSON.stringify(took));
