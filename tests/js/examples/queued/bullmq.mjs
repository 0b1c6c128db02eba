// examples/recipes/many-chats/bullmq.mjs on a Redis of its own, with several workers.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { append, load, stateStore } from "../../../../examples/recipes/redis.mjs";
import { at, freePort, must } from "../../../../js/scripts/common.mjs";
import { redisServer } from "../../../../js/scripts/tools.mjs";
import { storeHoldsRaces } from "./store-races.mjs";

const recipe = at("examples/recipes/many-chats");
const WORKERS = 3;

export async function bullmq({ folder, model }) {
  const require = createRequire(`${recipe}/`);
  const { Redis } = require("ioredis");
  const { Queue } = require("bullmq");
  const { progress } = await import("../../../../examples/recipes/many-chats/bullmq.mjs");
  const port = await freePort();
  const server = spawn(
    await redisServer(),
    ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", folder],
    { stdio: "ignore" },
  );
  const env = {
    ...process.env,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    LOCK_MS: "5000",
    BACKOFF_MS: "200",
    OPENAI_BASE_URL: model.url,
  };
  const redis = new Redis(env.REDIS_URL, { maxRetriesPerRequest: null });
  const queue = new Queue("ahead", { connection: redis });
  const command = (verb) => must(process.execPath, ["bullmq.mjs", verb], { cwd: recipe, env, quiet: true });
  const running = new Map();
  const failures = [];
  let last = 0;
  let again = 0;
  let killed = 0;
  const start = () => {
    last += 1;
    const key = `worker-${last}`;
    const worker = spawn(process.execPath, ["bullmq.mjs", "work"], {
      cwd: recipe,
      env: { ...env, OPENAI_API_KEY: key },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    worker.stderr.on("data", (data) => {
      said += data;
    });
    worker.on("exit", (code, signal) => {
      running.delete(key);
      again += said.match(/handed out again/g)?.length ?? 0;
      if (signal !== "SIGKILL" && code !== 0) failures.push(`a worker ended with ${code ?? signal}:\n${said}`);
    });
    running.set(key, worker);
  };
  return {
    fill: (chats) => Promise.all(chats.map(({ id, messages }) => append(redis, id, messages))),
    append: (id, messages) => append(redis, id, messages),
    read: (ids) => Promise.all(ids.map((id) => load(redis, id))),
    async begin() {
      await storeHoldsRaces(stateStore(redis));
      // Twice: what is in the queue is not put there again.
      await command("add");
      await command("add");
      for (let at = 0; at < WORKERS; at++) start();
    },
    async progress() {
      if (failures.length > 0) throw new Error(failures[0]);
      const { failed, ...counts } = await progress(queue);
      if (failed > 0) throw new Error(`${failed} chats were given up`);
      return counts;
    },
    /** Kills a worker that waits for a summary. False if none does. */
    async kill() {
      const victim = [...running.keys()].find((key) => model.held.get(key) > 0);
      if (!victim) return false;
      const gone = new Promise((done) => running.get(victim).once("exit", done));
      running.get(victim).kill("SIGKILL");
      await gone;
      killed += 1;
      start();
      return true;
    },
    /** Most answers that may have been asked for twice: a chat that is handed out again has one question out. */
    mostTwice: () => again + killed,
    /** The workers end by themselves when they are asked to; nothing but the chats is left behind. */
    async end() {
      for (const worker of running.values()) worker.kill("SIGTERM");
      for (let left = 200; running.size > 0 && left > 0; left--) await wait(50);
      if (running.size > 0) throw new Error("a worker did not end when it was asked to");
      if (failures.length > 0) throw new Error(failures[0]);
      const notes = await redis.keys("chat:*:ahead");
      if (notes.length > 0) throw new Error(`left behind: ${notes[0]}`);
      const { done, total } = await progress(queue);
      const said = await command("progress");
      if (said !== `${done} of ${total} chats, 0 under way, 0 failed.\n`) throw new Error(said);
    },
    async stop() {
      for (const worker of running.values()) worker.kill("SIGKILL");
      await queue.close().catch(() => {});
      redis.disconnect();
      server.kill("SIGKILL");
    },
  };
}
