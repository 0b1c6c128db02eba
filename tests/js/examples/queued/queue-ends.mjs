// What examples/recipes/postgres.mjs has to hold when a chat is finished: whoever dies or comes late then leaves nothing
// behind.
import { deepEqual, equal, ok } from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";

/**
 * @param pool - of a database with the recipe's schema.
 * @param recipe - the module postgres.mjs.
 */
export async function queueEndsClean(pool, recipe) {
  await endsAtOnce(pool, recipe);
  await lateAnswerIsSeen(pool, recipe);
  await answerAfterTheEndIsDropped(pool, recipe);
  await pool.query("delete from chats");
}

/** Stopped before any of its statements, `finish` has either done nothing or everything. */
async function endsAtOnce(pool, { finish }) {
  let last = 0;
  for (let statement = 1; ; statement++) {
    const chat = `ends-${statement}`;
    await underWay(pool, chat);
    const died = await finish(dyingBefore(pool, statement), chat, "one").then(
      () => false,
      (error) => {
        equal(error.message, "killed");
        return true;
      },
    );
    const { done, left } = await standing(pool, chat);
    ok(done === (left === 0), `stopped before statement ${statement}: done ${done}, ${left} left behind`);
    last = statement;
    if (!died) {
      ok(done);
      break;
    }
  }
  ok(last > 1, "it was stopped at least once");
}

/** An answer that is being stored while the chat is finished goes with the others. */
async function lateAnswerIsSeen(pool, { finish, keepAnswer }) {
  await underWay(pool, "late");
  const late = await pool.connect();
  await late.query("begin");
  await keepAnswer(late, "late", "r9", { text: "late" });
  const finishing = finish(pool, "late", "one");
  await wait(100);
  await late.query("commit");
  late.release();
  equal(await finishing, true);
  deepEqual(await standing(pool, "late"), { done: true, left: 0 });
}

/** An answer that arrives while the end is being stored is not stored after it. */
async function answerAfterTheEndIsDropped(pool, { keepAnswer }) {
  await underWay(pool, "after");
  const ending = await pool.connect();
  await ending.query("begin");
  await ending.query("update ahead set done = true, plan = null where chat = 'after'");
  await ending.query("delete from ahead_answers where chat = 'after'");
  const keeping = keepAnswer(pool, "after", "r9", { text: "late" });
  await wait(100);
  await ending.query("commit");
  ending.release();
  await keeping;
  deepEqual(await standing(pool, "after"), { done: true, left: 0 });
}

/** A chat that the worker "one" holds, with a plan and two answers. */
async function underWay(pool, chat) {
  await pool.query("insert into chats (id, messages) values ($1, '[]')", [chat]);
  await pool.query(
    "insert into ahead (chat, plan, leased_by, leased_until) values ($1, '{}', 'one', now() + interval '1 hour')",
    [chat],
  );
  await pool.query("insert into ahead_answers values ($1, 'r1', '{}'), ($1, 'r2', '{}')", [chat]);
}

async function standing(pool, chat) {
  const { rows } = await pool.query(
    `select done, (select count(*)::int from ahead_answers where chat = $1) + (plan is not null)::int as left
     from ahead where chat = $1`,
    [chat],
  );
  return rows[0];
}

/** The pool of a worker that is killed before its n-th statement: its connections are closed, and nothing is asked any more. */
function dyingBefore(pool, statement) {
  let sent = 0;
  const counted = (send) => async (text, values) => {
    sent += 1;
    if (sent >= statement) throw new Error("killed");
    return send(text, values);
  };
  return {
    query: counted((text, values) => pool.query(text, values)),
    async connect() {
      const client = await pool.connect();
      return {
        query: counted((text, values) => client.query(text, values)),
        release: () => client.release(sent >= statement),
      };
    },
  };
}
