// One miniflare, which runs the Worker and its queue, as a process that can be killed:
// node miniflare.mjs FOLDER RECIPE MODEL CONSUMERS.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { append, load, SCHEMA } from "../../../../examples/recipes/many-chats/cloudflare/d1.mjs";

const [folder, recipe, model, consumers] = process.argv.slice(2);
const { Miniflare } = createRequire(`${recipe}/`)("miniflare");
const settings = JSON.parse(readFileSync(join(recipe, "cloudflare/wrangler.json"), "utf8"));
const [database] = settings.d1_databases;
const [producer] = settings.queues.producers;
const [consumer] = settings.queues.consumers;

const miniflare = new Miniflare({
  modules: [
    { type: "ESModule", path: join(folder, "worker.js") },
    { type: "CompiledWasm", path: join(folder, "precis.wasm") },
  ],
  modulesRoot: folder,
  compatibilityDate: settings.compatibility_date,
  d1Databases: { [database.binding]: database.database_name },
  d1Persist: join(folder, "d1"),
  queueProducers: { [producer.binding]: producer.queue },
  queueConsumers: {
    [consumer.queue]: {
      // Where Cloudflare runs many consumers at a time, miniflare runs one: its batch stands for theirs.
      maxBatchSize: consumer.max_batch_size * Number(consumers),
      maxBatchTimeout: consumer.max_batch_timeout,
      maxRetries: consumer.max_retries,
    },
  },
  // What is not done is lost, not under way: nothing else works on the chats when the trigger is pulled here.
  bindings: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: model, MOST_DELAY: "1", LOST_SECONDS: "0" },
});
const db = await miniflare.getD1Database(database.binding);
const worker = await miniflare.getWorker();
const count = async (sql) => (await db.prepare(sql).first()).count;

const verbs = {
  schema: () => db.batch(SCHEMA.map((sql) => db.prepare(sql))).then(() => true),
  fill: async (chats) => {
    for (let at = 0; at < chats.length; at += 10)
      await Promise.all(chats.slice(at, at + 10).map(({ id, messages }) => again(() => written(id, messages))));
  },
  read: (ids) => again(() => Promise.all(ids.map((id) => load(db, id)))),
  sweep: () => again(() => worker.scheduled({ cron: settings.triggers.crons[0] })),
  twice: async () => {
    const queue = await miniflare.getQueueProducer(producer.binding);
    const { results } = await db.prepare("select chat from ahead limit 50").all();
    await queue.sendBatch(results.map((body) => ({ body })));
    return results.length;
  },
  progress: () => again(async () => (await worker.fetch("http://worker/progress")).json()),
  left: () =>
    count("select (select count(*) from answers) + (select count(*) from ahead where plan is not null) as count"),
};

/**
 * The way from here into workerd is a connection of HTTP, which it may close just as a request is sent. And miniflare frees
 * a statement in workerd once nothing here refers to it, even if it is on its way there in a batch: that is its assertion.
 */
async function again(work, tries = 6) {
  try {
    return await work();
  } catch (error) {
    if (tries === 1 || !/fetch failed|false == true/.test(error.message)) throw error;
    await wait(100);
    return again(work, tries - 1);
  }
}

/** Appends once, however often it is tried. */
async function written(id, messages) {
  const { messages: there } = await load(db, id);
  if (JSON.stringify(there.slice(-messages.length)) !== JSON.stringify(messages)) await append(db, id, messages);
}

process.on("message", async ({ id, verb, args }) => {
  try {
    process.send({ id, result: (await verbs[verb](...args)) ?? null });
  } catch (error) {
    process.send({ id, error: inspect(error) });
  }
});
process.send({ ready: true });
