// examples/recipes/many-chats/cloudflare in miniflare, with what wrangler.json says. Its D1 lies on disk; its queue is in
// memory, so a kill of the process takes the queue along, and the cron trigger has to bring back what is not done.
import { fork } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { at, end } from "../../../../js/scripts/common.mjs";
import { node } from "../../../../js/scripts/tools.mjs";

const BATCH = 6;
const CONSUMERS = 5;
const recipe = at("examples/recipes/many-chats");

export async function cloudflare({ folder, model }) {
  await bundle(folder);
  const execPath = await node(22);
  let child;
  let calls;
  const start = async () => {
    calls = new Map();
    child = fork(at("tests/js/examples/queued/miniflare.mjs"), [folder, recipe, model.url, String(CONSUMERS)], {
      execPath,
      detached: true, // so that workerd, which it starts, is killed with it
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const ready = new Promise((done, fail) => calls.set(undefined, { done, fail }));
    child.on("message", ({ id, error, result }) => {
      const { done, fail } = calls.get(id);
      calls.delete(id);
      if (error) fail(new Error(error));
      else done(result);
    });
    const waiting = calls;
    child.on("exit", (code, signal) => {
      for (const { fail } of waiting.values()) fail(new Error(`miniflare ended with ${code ?? signal}`));
    });
    await ready;
  };
  let last = 0;
  let killed = 0;
  let twice = 0;
  const call = (verb, ...args) =>
    new Promise((done, fail) => {
      last += 1;
      calls.set(last, { done, fail });
      child.send({ id: last, verb, args });
    });
  await start();
  await call("schema");
  return {
    fill: (chats) => call("fill", chats),
    append: (id, messages) => call("fill", [{ id, messages }]),
    read: (ids) => call("read", ids),
    async begin() {
      await call("sweep");
      // Queues deliver at least once: some chats come twice.
      twice = await call("twice");
    },
    progress: () => call("progress"),
    /** Kills the process while it waits for a summary. False if it does not. */
    async kill() {
      if (!(model.held.get("none") > 0)) return false;
      const gone = new Promise((done) => child.once("exit", done));
      end(child);
      await gone;
      await start();
      await call("sweep");
      killed += 1;
      return true;
    },
    /** Most answers that may have been asked for twice: batches are lost with each kill, and some chats came twice at once. */
    mostTwice: () => killed * BATCH * CONSUMERS + twice,
    async end() {
      const left = await call("left");
      if (left > 0) throw new Error(`${left} answers or plans are left behind`);
    },
    async stop() {
      end(child);
    },
  };
}

/** As wrangler builds it. */
async function bundle(folder) {
  mkdirSync(join(folder, "d1"));
  await build({
    absWorkingDir: recipe,
    entryPoints: ["cloudflare/worker.mjs"],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd"],
    // Above it lies this repository, whose tsconfig.json says where precis has its sources.
    tsconfigRaw: {},
    external: ["./precis.wasm"],
    logLevel: "warning",
  });
  cpSync(at("pkg/precis.wasm"), join(folder, "precis.wasm"));
}
