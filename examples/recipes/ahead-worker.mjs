// Summarizes stored chats ahead of time, taken from a queue in PostgreSQL: run as many as you like, on any machine, and stop
// them whenever you like: `DATABASE_URL=postgres://… node ahead-worker.mjs`. It ends when the queue is empty.
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { answersOf, finish, keepAnswer, keepPlan, load, renew, save, take } from "./postgres.mjs";
import { summarize as standIn } from "./support.mjs";

/** A worker that is silent for longer is taken for dead: more than one question takes. */
const LEASE_SECONDS = Number(process.env.LEASE_SECONDS ?? 120);

/** The compactor of the app: the same options as where `beforeModel` is called. */
export const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 8_000,
  maxOutputTokens: 500,
  summarizer: { contextWindow: 16_000 },
  // Plans ask only if there is somebody to ask.
  summarize: standIn,
});

/** Brings one chat to its end, from wherever another worker left it. False if it belongs to another worker by now. */
export async function ahead(pool, { chat, plan }, worker, ask) {
  let call = await load(pool, chat);
  let now = plan ?? compactor.plan({ ...call, threshold: "soft" });
  for (;;) {
    if (now.requests.length === 0) return finish(pool, chat, worker);
    if (!(await keepPlan(pool, chat, worker, LEASE_SECONDS, now))) return false;
    const requests = compactor.requests(call, now);
    if (requests.length === 0) {
      // The chat was changed where the plan covers it, or a summary is stored already: what is left needs a new plan.
      call = await load(pool, chat);
      now = compactor.plan({ ...call, threshold: "soft" });
      continue;
    }
    const known = await answersOf(pool, chat);
    const answers = [];
    for (const request of requests) {
      let answer = known.get(request.id);
      if (!answer) {
        answer = await ask(request);
        await keepAnswer(pool, chat, request.id, answer); // it is paid for: whatever happens, it is not asked again
        if (!(await renew(pool, chat, worker, LEASE_SECONDS))) return false;
      }
      answers.push(answer);
    }
    for (;;) {
      // The chat may be longer by now, and its state another one: the plan holds as long as what it covers is the same.
      call = await load(pool, chat);
      const { state, next } = compactor.commit(call, now, answers);
      const revision = call.state?.revision ?? 0;
      if (next) now = next;
      // Nothing came of it: somebody else has summarized, or what the plan covers was changed.
      else if (state.revision === revision) now = compactor.plan({ ...call, threshold: "soft" });
      else if (await save(pool, chat, state, revision)) return finish(pool, chat, worker);
      else continue;
      break;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
  const worker = `worker-${process.pid}`;
  // Your model in place of the stand-in. ASK_MS makes that as slow as a model is.
  const ask = async (request) => {
    await wait(Number(process.env.ASK_MS ?? 0));
    return standIn(request);
  };
  let done = 0;
  for (;;) {
    const job = await take(pool, worker, LEASE_SECONDS);
    if (job) {
      if (await ahead(pool, job, worker, ask)) done += 1;
      continue;
    }
    const { rows } = await pool.query("select 1 from ahead where not done limit 1");
    if (rows.length === 0) break;
    await wait(100); // what is left is being worked on, or its worker is dead and the lease has yet to run out
  }
  console.log(`${worker}: ${done} chats.`);
  await pool.end();
}
