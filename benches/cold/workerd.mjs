// A fresh workerd: what its threads take for a first answer and for a first compaction, in milliseconds of processor time.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cache, end } from "../../js/scripts/common.mjs";
import { bundleWorker, serveWorker } from "../../js/scripts/workerd.mjs";

const REST = 300;
const folder = join(cache, "bench-cold");

const program = `
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
const text = (i) => ("step " + i + ": the build failed again, order " + (4700 + i) + " in src/main.rs waits. ").repeat(2);
const messages = (count) => Array.from({ length: count }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: text(i) }));
const works = {
  none: async () => "done",
  first: async () => (await createCompactor({ format: openaiChat, contextWindow: 128_000 }).beforeModel({ messages: messages(20) })).report.outcome,
  compact: async () => (await createCompactor({ format: openaiChat, contextWindow: 8_000 }).beforeModel({ messages: messages(400) })).report.outcome,
};
export default { fetch: async (request) => new Response(await works[new URL(request.url).pathname.slice(1)]()) };
`;

/** Bundles the Worker once. */
export const prepare = () => bundleWorker(folder, program);

/** `{ "first answer": { main, all }, … }` of one fresh process. */
export async function measure(binary) {
  const { child, url } = await serveWorker(binary, folder, { detached: true, stdio: "ignore" });
  const ask = async (name) => (await fetch(`${url}/${name}`)).text();
  try {
    for (let left = 200; (await ask("none").catch(() => "")) !== "done"; left--) {
      if (left === 0) throw new Error("workerd does not answer");
      await pause(25);
    }
    const nothing = await taken(child.pid, () => ask("none"), "done");
    const less = ({ main, all }) => ({ main: main - nothing.main, all: all - nothing.all });
    return {
      "first answer": less(await taken(child.pid, () => ask("first"), "unchanged")),
      "first compaction of 400 messages": less(await taken(child.pid, () => ask("compact"), "compacted")),
    };
  } finally {
    end(child);
  }
}

/** What the threads of a process take for some work; the one that takes the most is the one that answers. */
async function taken(pid, work, expected) {
  await pause(REST);
  const before = threads(pid);
  const got = await work();
  if (got !== expected) throw new Error(`${got} instead of ${expected}`);
  const answered = threads(pid);
  await pause(REST);
  const of = (after) => [...after].map(([id, time]) => time - (before.get(id) ?? 0));
  return { main: Math.max(...of(answered)), all: of(threads(pid)).reduce((sum, one) => sum + one, 0) };
}

function threads(pid) {
  const tasks = `/proc/${pid}/task`;
  return new Map(
    readdirSync(tasks).map((id) => [
      id,
      Number(readFileSync(join(tasks, id, "schedstat"), "utf8").split(" ")[0]) / 1e6,
    ]),
  );
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
