// examples/recipes/ahead-worker.mjs under load: stored chats in a PostgreSQL of its own are summarized ahead of time by
// several workers, which are killed again and again while a summary is out, while people go on writing. Every chat is
// summarized once, and none is lost. `node tests/js/examples/many-chats.mjs --chats 10000` is the full run.
import { deepEqual, equal, ok } from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "../../../js/scripts/common.mjs";
import { queueEndsClean } from "./queued/queue-ends.mjs";
import { storeHoldsRaces } from "./queued/store-races.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: {
    chats: { type: "string", default: "500" },
    workers: { type: "string", default: "3" },
    kills: { type: "string", default: "12" },
  },
});
const [chats, workers, kills] = [values.chats, values.workers, values.kills].map(Number);
/** One of them is long: its summary takes several rounds. */
const LONG = 5_000;

const programs = postgresPrograms();
if (!programs) {
  console.log("missing: PostgreSQL (`apt-get install postgresql`).");
  process.exit(3);
}

const folder = mkdtempSync(join(tmpdir(), "many-chats-"));
chmodSync(folder, 0o777);
cpSync(here("../../../examples/recipes"), folder, { recursive: true, filter: (path) => !/node_modules/.test(path) });
symlinkSync(here("../node_modules"), join(folder, "node_modules"), "junction");
const { default: pg } = await import(pathToFileURL(here("../node_modules/pg/esm/index.mjs")).href);
const recipe = await import(pathToFileURL(join(folder, "postgres.mjs")).href);
const { append, enqueueAll, progress, SCHEMA, stateStore } = recipe;
const { compactor } = await import(pathToFileURL(join(folder, "ahead-worker.mjs")).href);
const { chat } = await import(pathToFileURL(join(folder, "support.mjs")).href);

const server = await startPostgres();
const pool = new pg.Pool({ connectionString: server.url, max: 4 });
try {
  await run();
} finally {
  await pool.end();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function run() {
  await pool.query(SCHEMA);
  await storeHoldsRaces(stateStore(pool));
  await queueEndsClean(pool, recipe);
  await fill();
  await enqueueAll(pool);
  const began = performance.now();
  const { killed, wrote } = await worked();
  const { done, total } = await progress(pool);
  deepEqual([done, total], [chats, chats]);
  await judge(wrote);
  const seconds = (performance.now() - began) / 1_000;
  console.log(
    `${chats} chats, one of ${LONG} messages: all summarized, each once, none lost; ${killed} workers killed, ${wrote.size} chats written to meanwhile; ${seconds.toFixed(0)} s.`,
  );
}

/** Chats of a few lengths, the long one among them. */
async function fill() {
  const batch = 100;
  for (let from = 0; from < chats; from += batch) {
    const rows = Array.from({ length: Math.min(batch, chats - from) }, (_, at) => {
      const number = from + at;
      return [
        `chat-${number}`,
        JSON.stringify(chat(number === 1 ? LONG : 80 + (number % 7) * 2, number === 1 ? 120 : 420)),
      ];
    });
    const places = rows.map((_, at) => `($${at * 2 + 1}, $${at * 2 + 2})`).join(", ");
    await pool.query(`insert into chats (id, messages) values ${places}`, rows.flat());
  }
}

/** Runs workers, kills some of them while they wait for a summary, and starts others in their place. */
async function worked() {
  const running = new Set();
  const failures = [];
  const start = () => {
    const env = { ...process.env, DATABASE_URL: server.url, LEASE_SECONDS: "3", ASK_MS: "15" };
    const worker = spawn(process.execPath, [join(folder, "ahead-worker.mjs")], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    worker.stderr.on("data", (data) => {
      said += data;
    });
    worker.on("exit", (code, signal) => {
      running.delete(worker);
      if (signal !== "SIGKILL" && code !== 0) failures.push(said);
    });
    running.add(worker);
  };
  for (let at = 0; at < workers; at++) start();
  let killed = 0;
  let shown = 0;
  const wrote = new Set();
  let answers = 0;
  while (running.size > 0 || (await progress(pool)).done < chats) {
    await wait(250);
    if (failures.length > 0) throw new Error(failures[0]);
    const { done, total, underway } = await progress(pool);
    if (done - shown >= chats / 10) {
      shown = done;
      console.log(`${done} of ${total} chats, ${underway} under way`);
    }
    // Somebody writes to a chat that may be under way.
    const id = `chat-${(wrote.size * 37) % chats}`;
    if (!wrote.has(id)) {
      await append(pool, id, [
        { role: "assistant", content: "Is there anything else?" },
        { role: "user", content: `Yes: ${id}.` },
      ]);
      wrote.add(id);
    }
    // Finished chats leave none.
    const { rows } = await pool.query("select count(*)::int as count from ahead_answers where chat = 'chat-1'");
    answers = Math.max(answers, rows[0].count);
    if (killed < kills && underway > 0 && done < total && done >= (killed / (kills + 1)) * chats) {
      const [victim] = running;
      victim?.kill("SIGKILL");
      killed += 1;
      start();
    }
    if (running.size === 0 && done < total) start();
  }
  equal(killed, kills);
  ok(answers > 5, "the long chat took several questions");
  return { killed, wrote };
}

/** Every chat is whole, was summarized once, and its next request asks nobody. */
async function judge(wrote) {
  let seen = 0;
  for (let from = 0; from < chats; from += 100) {
    const ids = Array.from({ length: Math.min(100, chats - from) }, (_, at) => `chat-${from + at}`);
    const { rows } = await pool.query("select id, messages, state, revision from chats where id = any($1)", [ids]);
    for (const { id, messages, state, revision } of rows) {
      seen += 1;
      const number = Number(id.slice(5));
      const given = number === 1 ? LONG : 80 + (number % 7) * 2;
      equal(messages.length, given + (wrote.has(id) ? 2 : 0), id);
      equal(revision, 1, `${id} was stored ${revision} times`);
      equal(state.checkpoints.length, 1, id);
      equal(state.checkpoints[0].kind, "summary", id);
      const { report } = await compactor.beforeModel({ messages, state });
      equal(report.summarizer.calls, 0, id);
      equal(report.outcome, "reused", id);
    }
  }
  equal(seen, chats);
  const { rows } = await pool.query(
    "select (select count(*) from ahead_answers) + (select count(*) from ahead where plan is not null) as count",
  );
  equal(Number(rows[0].count), 0, "answers or plans are left behind");
}

/** Where Debian has them. */
function postgresPrograms() {
  const folder = "/usr/lib/postgresql";
  const versions = existsSync(folder) ? readdirSync(folder).sort((one, other) => Number(one) - Number(other)) : [];
  const newest = versions.at(-1);
  return newest && join(folder, newest, "bin");
}

/** A server of its own on a free port; as another user if we are root, which it refuses. */
async function startPostgres() {
  const data = join(folder, "data");
  const asUser = (command) =>
    process.getuid?.() === 0 ? ["su", ["postgres", "-s", "/bin/sh", "-c", command]] : ["sh", ["-c", command]];
  execFileSync(...asUser(`${programs}/initdb -D ${data} -A trust -U precis --no-sync`), {
    stdio: "ignore",
    cwd: folder,
  });
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=60`;
  const pgctl = (words) =>
    execFileSync(...asUser(`${programs}/pg_ctl -D ${data} -l ${data}/log ${words}`), { stdio: "ignore", cwd: folder });
  pgctl(`-w -o "${options}" start`);
  return {
    url: `postgres://precis@127.0.0.1:${port}/postgres`,
    stop: async () => pgctl("-m immediate stop"),
  };
}
