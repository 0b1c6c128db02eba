// Chats in D1: one row a message, and the state with compare-and-set on its revision.

export const SCHEMA = [
  "create table if not exists chats (id text primary key, state text, revision integer not null default 0)",
  "create table if not exists messages (chat text, at integer, json text not null, primary key (chat, at)) without rowid",
  "create table if not exists ahead (chat text primary key, plan text, done integer not null default 0, touched integer not null default 0)",
  "create table if not exists answers (chat text, request text, json text not null, primary key (chat, request))",
  "create index if not exists ahead_open on ahead (touched) where done = 0",
];

/** A chat as a call takes it. A batch is one transaction: a state never belongs to messages that were not read. */
export async function load(db, chat) {
  const [messages, [row]] = (
    await db.batch([
      db.prepare("select json from messages where chat = ? order by at").bind(chat),
      db.prepare("select state from chats where id = ?").bind(chat),
    ])
  ).map(({ results }) => results);
  return { messages: messages.map(({ json }) => JSON.parse(json)), state: row?.state ? JSON.parse(row.state) : null };
}

/** Stores a state if nobody has stored another one since this was loaded; says whether it was stored. */
export async function save(db, chat, state, revision) {
  const { meta } = await db
    .prepare("update chats set state = ?, revision = ? where id = ? and revision = ?")
    .bind(JSON.stringify(state), state.revision, chat, revision)
    .run();
  return meta.changes === 1;
}

/** Adds messages to a chat, whatever else happens to it. */
export const append = (db, chat, messages) =>
  db.batch([
    db.prepare("insert into chats (id) values (?) on conflict do nothing").bind(chat),
    db
      .prepare(
        `insert into messages select ?1, key + (select coalesce(max(at) + 1, 0) from messages where chat = ?1), value
         from json_each(?2)`,
      )
      .bind(chat, JSON.stringify(messages)),
  ]);

/** The store of ../ahead.mjs. Two Workers may have a chat at the same time: `save` decides, and an answer is kept once. */
export function aheadStore(db) {
  const run = (sql, ...values) =>
    db
      .prepare(sql)
      .bind(...values)
      .run();
  return {
    load: (chat) => load(db, chat),
    save: (chat, state, revision) => save(db, chat, state, revision),
    async planOf(chat) {
      const plan = await db.prepare("select plan from ahead where chat = ?").bind(chat).first("plan");
      return plan && JSON.parse(plan);
    },
    async keepPlan(chat, plan) {
      const { meta } = await run(
        `insert into ahead (chat, plan, touched) values (?, ?, unixepoch())
         on conflict do update set plan = excluded.plan, touched = excluded.touched where done = 0`,
        chat,
        JSON.stringify(plan),
      );
      return meta.changes > 0;
    },
    async answersOf(chat) {
      const { results } = await run("select request, json from answers where chat = ?", chat);
      return new Map(results.map(({ request, json }) => [request, JSON.parse(json)]));
    },
    async keepAnswer(chat, request, answer) {
      const [, touched] = await db.batch([
        // Another Worker may have finished the chat meanwhile.
        db
          .prepare(
            `insert into answers select ?1, ?2, ?3 where exists (select 1 from ahead where chat = ?1 and done = 0)
             on conflict do nothing`,
          )
          .bind(chat, request, JSON.stringify(answer)),
        db.prepare("update ahead set touched = unixepoch() where chat = ? and done = 0").bind(chat),
      ]);
      return touched.meta.changes > 0;
    },
    async finish(chat) {
      await db.batch([
        db.prepare("update ahead set plan = null, done = 1 where chat = ?").bind(chat),
        db.prepare("delete from answers where chat = ?").bind(chat),
      ]);
    },
  };
}

/** Chats that are neither done nor in the queue by now: all that nobody has touched for so many seconds. */
export async function open(db, seconds) {
  await db.prepare("insert into ahead (chat) select id from chats where true on conflict do nothing").run();
  const { results } = await db
    .prepare("update ahead set touched = unixepoch() where done = 0 and touched <= unixepoch() - ? returning chat")
    .bind(seconds)
    .run();
  return results.map(({ chat }) => chat);
}

/** How far it is: for a page or a log. */
export const progress = (db) =>
  db.prepare("select coalesce(sum(done), 0) as done, count(*) as total from ahead").first();
