// node tests/js/stores/run.mjs: each store of `precis/stores` against the real thing. Two writers add to one state at the same
// time, one of them is killed again and again, and in the end everything that was said to be saved is there, once.
import { deepEqual, equal } from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import { chromium } from "playwright-core";
import { at, main, packages } from "../../../js/scripts/common.mjs";
import { chromium as chromiumPath, node, npmBinary } from "../../../js/scripts/tools.mjs";
import { storeHoldsRaces } from "../examples/queued/store-races.mjs";
import { startPostgres, startRedis, startUpstash } from "./servers.mjs";
import { CHAT, faultsOf, write } from "./writing.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const WRITERS = ["a", "b"];
/** Entries of each writer, and after which of them the first writer is killed. */
const COUNT = 60;
const KILLS = [7, 23, 41];

main(import.meta.url, async () => {
  await packages("examples/recipes/many-chats");
  await packages("tests/js/stores");
  const folder = mkdtempSync(join(tmpdir(), "precis-stores-"));
  chmodSync(folder, 0o777);
  const ends = [];
  try {
    const database = await startPostgres(folder);
    ends.push(database.stop);
    for (const client of ["pg", "postgres"]) await inNode(client, database.where);
    const redis = await startRedis(folder);
    ends.push(redis.stop);
    for (const client of ["ioredis", "redis"]) await inNode(client, redis.where);
    const upstash = await startUpstash(redis.where);
    ends.push(upstash.stop);
    await inNode("@upstash/redis", upstash.where);
    await inNode("node:sqlite", join(folder, "states.db"));
    await inNode("bun:sqlite", join(folder, "states-of-bun.db"));
    await inMiniflare(folder);
    await inChromium();
  } finally {
    for (const end of ends.reverse()) end();
    rmSync(folder, { recursive: true, force: true });
  }
});

function report(name, state, told, kills) {
  deepEqual(faultsOf(state, WRITERS, COUNT, told), []);
  console.log(`${name}: ${state.revision} saves of two writers at once, one killed ${kills} times: 0 lost, 0 twice`);
}

/** What runs a client. node:sqlite came with Node 22. */
const binaries = { "node:sqlite": () => node(22), "bun:sqlite": () => npmBinary("bun") };

/** Writers that are processes of Node, or of Bun. */
async function inNode(client, where) {
  const binary = (await binaries[client]?.()) ?? process.execPath;
  const start = (...what) =>
    spawn(binary, [here("client.mjs"), client, where, ...what.map(String)], { stdio: ["ignore", "pipe", "inherit"] });
  equal((await ended(start("prepare"))).code, 0);
  const told = new Set();
  const writing = (writer, line = () => {}) => {
    const child = start("write", writer, COUNT);
    createInterface({ input: child.stdout }).on("line", (entry) => {
      told.add(entry);
      line(entry, child);
    });
    return ended(child);
  };
  const due = new Set(KILLS.map((count) => `a${count}`));
  let kills = 0;
  const untilDone = async () => {
    for (;;) {
      const { code, signal } = await writing("a", (entry, child) => due.delete(entry) && child.kill("SIGKILL"));
      if (signal !== "SIGKILL") return equal(code, 0);
      kills += 1;
    }
  };
  const [, other] = await Promise.all([untilDone(), writing("b")]);
  equal(other.code, 0);
  const reader = start("read");
  const [text] = await Promise.all([readAll(reader.stdout), ended(reader)]);
  report(client, JSON.parse(text), told, kills);
}

/** Both stores of Cloudflare, whose process is killed while writers wait for its answers. */
async function inMiniflare(folder) {
  let [server, address] = await startMiniflare(folder);
  const stopping = [];
  try {
    for (const kind of ["d1", "durable-object"]) {
      /** Asks until there is an answer: what a dead process did not answer may be stored, and is looked for. */
      const ask = async (method, args) => {
        for (let left = 100; ; left--) {
          try {
            const body = JSON.stringify({ method, args });
            const answer = await fetch(new URL(kind, address), { method: "POST", body });
            if (!answer.ok) throw new Error(await answer.text());
            return await answer.json();
          } catch (error) {
            if (left === 0) throw error;
            if (method === "save") return false;
            await new Promise((next) => setTimeout(next, 100));
          }
        }
      };
      const store = { load: (...args) => ask("load", args), save: (...args) => ask("save", args) };
      await ask("createTable", []);
      await storeHoldsRaces(store);
      const told = new Set();
      let kills = 0;
      const due = new Set(KILLS.map((count) => `a${count}`));
      const saved = (entry) => {
        told.add(entry);
        if (!due.delete(entry)) return;
        kills += 1;
        server.kill("SIGKILL");
        stopping.push(
          startMiniflare(folder).then((started) => {
            [server, address] = started;
          }),
        );
      };
      await Promise.all(WRITERS.map((writer) => write(store, writer, COUNT, saved)));
      await Promise.all(stopping);
      report(kind, await store.load(CHAT), told, kills);
    }
  } finally {
    await Promise.allSettled(stopping);
    server.kill("SIGKILL");
  }
}

/** The process of a miniflare, and its address. The process group dies with it: workerd is its child. */
async function startMiniflare(folder) {
  const child = spawn(process.execPath, [here("cloudflare.mjs"), folder], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const address = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, url] = line.match(/^ready (.+)/) ?? [];
      if (url) resolve(url);
    });
    child.on("exit", () => reject(new Error("miniflare ended")));
  });
  const group = {
    kill(signal) {
      try {
        process.kill(-child.pid, signal);
      } catch {}
    },
  };
  return [group, await address];
}

/** Two tabs of a browser, one of which is closed again and again. */
async function inChromium() {
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `import { fromIndexedDb } from "precis/stores";
        import { storeHoldsRaces } from "./examples/queued/store-races.mjs";
        import { write, CHAT } from "./stores/writing.mjs";
        Object.assign(globalThis, { store: fromIndexedDb(indexedDB), storeHoldsRaces, write, CHAT });`,
      resolveDir: at("tests/js"),
    },
    ...{ bundle: true, write: false, format: "esm", target: "es2022" },
    alias: { "node:assert/strict": at("tests/js/runtimes/node-assert.mjs") },
  });
  const browser = await chromium.launch({ executablePath: await chromiumPath(), args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext();
    await context.route("https://stores.test/*", (route) =>
      route.request().url().endsWith(".js")
        ? route.fulfill({ contentType: "text/javascript", body: outputFiles[0].text })
        : route.fulfill({ contentType: "text/html", body: "<script type=module src=/stores.js></script>" }),
    );
    const told = new Set();
    const due = new Set(KILLS.map((count) => `a${count}`));
    let kills = 0;
    const tab = async () => {
      const page = await context.newPage();
      await page.exposeFunction("saved", (entry) => {
        told.add(entry);
        if (!due.delete(entry)) return;
        kills += 1;
        void page.close();
      });
      await page.goto("https://stores.test/");
      return page;
    };
    const first = await tab();
    await first.evaluate("storeHoldsRaces(store)");
    const writing = async (writer) => {
      for (;;) {
        const page = await tab();
        try {
          return await page.evaluate(`write(store, ${JSON.stringify(writer)}, ${COUNT}, (entry) => saved(entry))`);
        } catch (error) {
          if (!page.isClosed()) throw error;
        }
      }
    };
    await Promise.all(WRITERS.map(writing));
    report("IndexedDB", await first.evaluate("store.load(CHAT)"), told, kills);
  } finally {
    await browser.close();
  }
}

const ended = (child) => new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));

async function readAll(stream) {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}
