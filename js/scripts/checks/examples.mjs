// Checks that run the examples as their users would.
import { must } from "../common.mjs";
import { chromium, postgres, redisServer } from "../tools.mjs";
import { quiet, testPackages, total } from "./common.mjs";

/** A small run of what `node tests/js/examples/durable-objects.mjs` does at length. Counts the turns. */
export async function durableObjects() {
  await testPackages();
  const size = ["--chats", "20", "--turns", "300", "--kills", "3", "--minutes", "3"];
  const output = await must(process.execPath, ["tests/js/examples/durable-objects.mjs", ...size], quiet);
  return total(output, /(\d+) turns answered/g);
}

/** A small run of what `node tests/js/examples/many-chats.mjs` does at length. Counts the chats. */
export async function manyChats() {
  if (!(await postgres())) return { missing: "apt-get install postgresql" };
  await testPackages();
  const output = await must(process.execPath, ["tests/js/examples/many-chats.mjs"], { ...quiet, timeout: 600_000 });
  return total(output, /^(\d+) chats, one of .* none lost/gm);
}

/** A small run of what `node tests/js/examples/queued-chats.mjs` does at length. Counts the chats. */
export async function queuedChats() {
  if (!(await redisServer())) return { missing: "apt-get install redis-server, or REDIS_SERVER=/path/to/redis-server" };
  await testPackages();
  const args = ["tests/js/examples/queued-chats.mjs", "bullmq", "cloudflare"];
  const output = await must(process.execPath, args, { ...quiet, timeout: 600_000 });
  return total(output, /^\w+: (\d+) chats, one of .* none lost/gm);
}

/** Counts the saves that were looked for. */
export async function storesOfOthers() {
  if (!(await postgres())) return { missing: "apt-get install postgresql" };
  if (!(await redisServer())) return { missing: "apt-get install redis-server, or REDIS_SERVER=/path/to/redis-server" };
  if (!(await chromium())) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  await testPackages();
  const output = await must(process.execPath, ["tests/js/stores/run.mjs"], { ...quiet, timeout: 600_000 });
  return total(output, /^\S+: (\d+) saves .* 0 lost/gm);
}

export async function browserExample(...program) {
  if (!(await chromium())) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  return example(...program);
}

/** Counts the messages of all the chats. */
export async function example(program, ...args) {
  await testPackages();
  const output = await must(process.execPath, [`tests/js/examples/${program}`, ...args], {
    ...quiet,
    timeout: 600_000,
  });
  return total(output, /^.*?\b(\d+) messages/gm);
}
