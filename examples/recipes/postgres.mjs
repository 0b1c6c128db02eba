// Chats in PostgreSQL: stored with compare-and-set on the state's revision, and handed out one by one to workers that
// summarize them ahead of time (ahead-worker.mjs). `pool` is that of the package `pg`.

/** Run it once. What a worker knows about a chat is stored next to it, so that any other can go on. */
export const SCHEMA = `
create table if not exists chats (
  id text primary key,
  messages jsonb not null,
  state jsonb,
  revision int not null default 0
);
create table if not exists ahead (
  chat text primary key references chats on delete cascade,
  plan jsonb,
  done boolean not null default false,
  leased_by text,
  leased_until timestamptz
);
create table if not exists ahead_answers (
  chat text references ahead on delete cascade,
  request text,
  answer jsonb not null,
  primary key (chat, request)
);
create table if not exists states (
  key text primary key,
  state jsonb not null,
  revision int not null
);
create index if not exists ahead_open on ahead (chat) where not done;
`;

/** For `compaction({ store })` of `precis/ai-sdk`. */
export const stateStore = (pool) => ({
  async load(key) {
    const { rows } = await pool.query("select state from states where key = $1", [key]);
    return rows[0]?.state ?? null;
  },
  async save(key, state, previous) {
    const { rowCount } = await pool.query(
      `insert into states select $1, $2, $3 where $4::int is null or exists (select 1 from states where key = $1)
       on conflict (key) do update set state = excluded.state, revision = excluded.revision where states.revision = $4`,
      [key, JSON.stringify(state), state.revision, previous],
    );
    return rowCount === 1;
  },
});

/** A chat as a call takes it. */
export async function load(pool, id) {
  const { rows } = await pool.query("select messages, state from chats where id = $1", [id]);
  return rows[0];
}

/** Stores a state if nobody has stored another one since this was loaded; says whether it was stored. */
export async function save(pool, id, state, revision) {
  const { rowCount } = await pool.query("update chats set state = $2, revision = $3 where id = $1 and revision = $4", [
    id,
    JSON.stringify(state),
    state.revision,
    revision,
  ]);
  return rowCount === 1;
}

/** Adds messages to a chat, whatever else happens to it. */
export const append = (pool, id, messages) =>
  pool.query("update chats set messages = messages || $2::jsonb where id = $1", [id, JSON.stringify(messages)]);

/** Puts every chat that is not there yet into the queue. */
export const enqueueAll = (pool) => pool.query("insert into ahead (chat) select id from chats on conflict do nothing");

/**
 * The next chat that nobody works on: its id, and the plan it has got to. A worker that dies is known by a lease that has
 * run out. Undefined if there is none at the moment.
 */
export async function take(pool, worker, seconds) {
  const { rows } = await pool.query(
    `update ahead set leased_by = $1, leased_until = now() + make_interval(secs => $2)
     where chat = (
       select chat from ahead where not done and (leased_until is null or leased_until < now())
       order by chat limit 1 for update skip locked
     ) returning chat, plan`,
    [worker, seconds],
  );
  return rows[0];
}

/** Goes on holding a chat; false if another worker has it by now. */
async function hold(pool, chat, worker, seconds, change = "", values = []) {
  const { rowCount } = await pool.query(
    `update ahead set leased_until = now() + make_interval(secs => $3) ${change} where chat = $1 and leased_by = $2`,
    [chat, worker, seconds, ...values],
  );
  return rowCount === 1;
}

export const keepPlan = (pool, chat, worker, seconds, plan) =>
  hold(pool, chat, worker, seconds, ", plan = $4", [plan && JSON.stringify(plan)]);

export const renew = (pool, chat, worker, seconds) => hold(pool, chat, worker, seconds);

/** Finishes a chat and removes its answers, both or neither; false if another worker has it by now. */
export const finish = (pool, chat, worker) =>
  transaction(pool, async (client) => {
    const finished = await hold(client, chat, worker, 0, ", plan = null, done = true");
    if (finished) await client.query("delete from ahead_answers where chat = $1", [chat]);
    return finished;
  });

export async function answersOf(pool, chat) {
  const { rows } = await pool.query("select request, answer from ahead_answers where chat = $1", [chat]);
  return new Map(rows.map(({ request, answer }) => [request, answer]));
}

/** Stores an answer, unless its chat is finished: `for share` waits for whoever is just finishing it, or makes them wait. */
export const keepAnswer = (pool, chat, request, answer) =>
  pool.query(
    `insert into ahead_answers select chat, $2, $3::jsonb from ahead where chat = $1 and not done for share
     on conflict do nothing`,
    [chat, request, JSON.stringify(answer)],
  );

/** How far it is: for a page or a log. */
export async function progress(pool) {
  const { rows } = await pool.query(
    `select count(*) filter (where done)::int as done, count(*)::int as total,
       count(*) filter (where not done and leased_until >= now())::int as underway from ahead`,
  );
  return rows[0];
}

/** All of `work` is stored or nothing; a connection that fails is closed, which undoes what it did. */
async function transaction(pool, work) {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}
