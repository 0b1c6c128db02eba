// Many stored chats, summarized ahead of time through BullMQ on Redis: `REDIS_URL=redis://… node bullmq.mjs add` once, then
// `node bullmq.mjs work` as often as you like, on any machine; `node bullmq.mjs progress` says how far it is.
import { pathToFileURL } from "node:url";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { aheadStore, chats } from "../redis.mjs";
import { ahead } from "./ahead.mjs";
import { summarizer } from "./ask.mjs";

const NAME = "ahead";
/** A worker that is silent for longer is taken for dead, and its chats are handed out again. Workers renew it by themselves. */
const LOCK_MS = Number(process.env.LOCK_MS ?? 30_000);
/** Chats at a time in one worker: it mostly waits for the model. */
const AT_ONCE = Number(process.env.AT_ONCE ?? 8);

// Workers wait for Redis as long as it takes.
const connect = () => new Redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379", { maxRetriesPerRequest: null });

/** Puts chats into the queue. One that is there already, or was done within a week, is not put there again. */
export const add = (queue, ids) =>
  queue.addBulk(
    ids.map((chat) => ({
      name: "chat",
      data: { chat },
      opts: {
        jobId: chat,
        // The model may be overloaded for a while.
        attempts: 20,
        backoff: { type: "exponential", delay: Number(process.env.BACKOFF_MS ?? 1_000), jitter: 0.5 },
        removeOnComplete: { age: 7 * 24 * 3_600 },
      },
    })),
  );

/** How far it is: for a page or a log. */
export async function progress(queue) {
  const { completed, active, failed, ...open } = await queue.getJobCounts();
  const waiting = Object.values(open).reduce((sum, count) => sum + count, 0);
  return { done: completed, underway: active, failed, total: completed + active + failed + waiting };
}

function work(redis) {
  const store = aheadStore(redis);
  const ask = summarizer(process.env);
  const worker = new Worker(
    NAME,
    async (job) => {
      // A long chat takes many questions: each is progress, which `job.progress` shows anywhere.
      const done = await ahead(store, job.data.chat, ask, (done, total) => job.updateProgress({ done, total }));
      // If the other worker has finished it, as it should, trying again does nothing.
      if (!done) throw new Error("another worker has it");
    },
    {
      connection: redis,
      concurrency: AT_ONCE,
      lockDuration: LOCK_MS,
      stalledInterval: LOCK_MS / 2,
      // By default a job is given up when its worker has died twice. A chat is not at fault for that.
      maxStalledCount: 1_000,
    },
  );
  // Also when a worker was only too busy to renew: then two have the chat, and compare-and-set decides.
  worker.on("stalled", (chat) => console.error(`${chat} is handed out again: its worker fell silent`));
  worker.on("error", (error) => console.error(error.message));
  // A deployment ends workers gently: what is under way is finished, nothing new is taken.
  process.once("SIGTERM", () => worker.close().then(() => redis.quit()));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const redis = connect();
  const [verb] = process.argv.slice(2);
  if (verb === "work") work(redis);
  else {
    const queue = new Queue(NAME, { connection: redis });
    if (verb === "add") for await (const some of chats(redis)) await add(queue, some);
    const { done, underway, failed, total } = await progress(queue);
    console.log(`${done} of ${total} chats, ${underway} under way, ${failed} failed.`);
    await queue.close();
    await redis.quit();
  }
}
