// Stores over clients that are handed in, with stand-ins for the clients: tests/js/stores runs them on the real ones.
import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { test } from "node:test";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { fromIndexedDb, fromRedis, fromSql, fromStorage } from "precis/stores";

const state = { version: 1, revision: 3, note: "“x”\u0000\ud800" };
const asStored = JSON.parse(JSON.stringify(state));

/** What keeps texts, as `localStorage` does. */
class Texts {
  items = new Map();
  getItem = (key) => this.items.get(key) ?? null;
  setItem = (key, value) => void this.items.set(key, String(value));
}

test("anything with keys and values is a store, whether it parses what it kept or not", async () => {
  const texts = new Texts();
  const parsing = { getItem: async (key) => JSON.parse(texts.getItem(key) ?? "null"), setItem: texts.setItem };
  for (const storage of [texts, parsing]) {
    const store = fromStorage(storage, { prefix: "p:" });
    equal(await store.load("main:nobody"), null);
    await store.save("main:a", state, null);
    deepEqual(await store.load("main:a"), asStored);
    // The last write wins, and nothing says otherwise.
    equal(await store.save("main:a", { ...state, revision: 2 }, 99), undefined);
    equal((await store.load("main:a")).revision, 2);
  }
  deepEqual([...texts.items.keys()], ["p:main:a"]);
  fromStorage(texts).save("main:b", state, null);
  ok(texts.items.has("precis:main:b"));
});

/** A table of one client, as its statements make it. */
function table() {
  const rows = new Map();
  const asked = [];
  const run = (text, values) => {
    asked.push({ text, values });
    if (text.startsWith("CREATE") || text.includes("1 = 0")) return [];
    if (text.startsWith("SELECT")) return rows.has(values[0]) ? [{ state: rows.get(values[0]).state }] : [];
    if (text.startsWith("INSERT")) {
      const [key, revision, state] = values;
      if (rows.has(key)) return [];
      rows.set(key, { revision, state });
      return [{ key }];
    }
    const [revision, state, key, previous] = values;
    if (rows.get(key)?.revision !== previous) return [];
    rows.set(key, { revision, state });
    return [{ key }];
  };
  return { asked, run };
}

const sqlClients = {
  pg: (run) => ({ query: async (text, values) => ({ rows: run(text, values) }) }),
  postgres: (run) => Object.assign(() => {}, { unsafe: async (text, values) => run(text, values) }),
  sqlite: (run) => ({
    prepare: (text) => ({
      all(...values) {
        // As better-sqlite3 has it.
        if (text.startsWith("CREATE")) throw new TypeError("This statement does not return data. Use run() instead");
        return run(text, values);
      },
      run: () => void run(text, []),
    }),
  }),
  d1: (run) => ({
    prepare: (text) => ({ bind: (...values) => ({ all: async () => ({ results: run(text, values) }) }) }),
  }),
  "durable-object": (run) => ({ exec: (text, ...values) => ({ toArray: () => run(text, values) }) }),
};

for (const [dialect, client] of Object.entries(sqlClients))
  test(`${dialect}: each load and each save is one statement, whose values stand apart from it`, async () => {
    const { asked, run } = table();
    const store = fromSql(dialect, client(run), { table: "app.states" });
    await store.createTable();
    ok(store.schema.includes('"app"."states"'));
    const key = "main:'; DROP TABLE states; --";
    equal(await store.load(key), null);
    equal(await store.save(key, state, null), true);
    equal(await store.save(key, state, null), false);
    equal(await store.save(key, { ...state, revision: 4 }, 2), false);
    equal(await store.save(key, { ...state, revision: 4 }, 3), true);
    equal((await store.load(key)).revision, 4);
    equal(asked.length, 7);
    for (const { text } of asked) ok(!text.includes("DROP"), text);
    const marks = asked.at(-2).text.match(/\$\d|\?/g);
    deepEqual(marks, dialect === "pg" || dialect === "postgres" ? ["$1", "$2", "$3", "$4"] : ["?", "?", "?", "?"]);
  });

test("SQLite that is locked by another process is asked again; any other error is passed on", async () => {
  let busy = 3;
  const { run } = table();
  const client = (error) => ({
    prepare: (text) => ({
      all(...values) {
        if (busy-- > 0) throw Object.assign(new Error("database is locked"), error);
        return run(text, values);
      },
    }),
  });
  equal(await fromSql("sqlite", client({ code: "SQLITE_BUSY_SNAPSHOT" })).save("k", state, null), true);
  busy = 3;
  equal(await fromSql("sqlite", client({ code: "ERR_SQLITE_ERROR", errcode: 261 })).save("k", state, 3), true);
  busy = 1;
  await rejects(fromSql("sqlite", client({ code: "SQLITE_FULL" })).save("k", state, 3), /locked/);
});

test("a table that another process has just created is no error; one that cannot be is", async () => {
  let exists = true;
  const client = {
    query: async (text) => {
      if (text.startsWith("CREATE") || !exists) throw new Error("duplicate key value violates unique constraint");
      return { rows: [] };
    },
  };
  await fromSql("pg", client).createTable();
  exists = false;
  await rejects(fromSql("pg", client).createTable(), /duplicate key/);
});

test("redis: what each package is asked is the same script", async () => {
  const stored = new Map();
  const run = (script, key, values) => {
    const hash = stored.get(key);
    if (!script.includes("HSET")) return hash?.state ?? null;
    const [previous, revision, state] = values;
    if ((hash?.revision ?? "") !== previous) return 0;
    stored.set(key, { revision, state });
    return 1;
  };
  const kinds = {
    redis: { eval: async (script, { keys, arguments: values }) => run(script, keys[0], values) },
    ioredis: { eval: async (script, count, key, ...values) => (count === 1 ? run(script, key, values) : null) },
    // It parses what looks like JSON.
    upstash: {
      eval: async (script, [key], values) => {
        const answer = run(script, key, values);
        return typeof answer === "string" ? JSON.parse(answer) : answer;
      },
    },
  };
  for (const [kind, client] of Object.entries(kinds)) {
    stored.clear();
    const store = fromRedis(kind, client, { seconds: 60 });
    equal(await store.load("main:a"), null);
    equal(await store.save("main:a", state, null), true);
    equal(await store.save("main:a", state, null), false);
    equal(await store.save("main:a", { ...state, revision: 4 }, 3), true);
    equal((await store.load("main:a")).revision, 4);
    deepEqual([...stored.keys()], ["precis:main:a"]);
  }
});

test("what is no client, no dialect and no name of a table is refused, with what to write", () => {
  const refused = (path) => ({ name: "PrecisError", code: "invalid-option", path });
  throws(() => fromStorage(new Map()), refused("client"));
  throws(() => fromStorage(null), refused("client"));
  throws(() => fromSql("mysql", {}), refused("dialect"));
  throws(() => fromSql("toString", {}), refused("dialect"));
  throws(() => fromSql("pg", { prepare() {} }), refused("client"));
  throws(() => fromSql("pg", { query() {} }, { table: "a; drop table b" }), refused("table"));
  throws(() => fromSql("pg", { query() {} }, { table: 'a"b' }), refused("table"));
  throws(() => fromRedis("memcached", {}), refused("kind"));
  throws(() => fromRedis("redis", {}), refused("client"));
  throws(() => fromRedis("redis", { eval() {} }, { seconds: 0 }), refused("seconds"));
  throws(() => fromIndexedDb(undefined), refused("client"));
});

test("a state that cannot be read is an error of the store, not an empty chat", async () => {
  const broken = fromStorage({ getItem: () => "{", setItem() {} });
  await rejects(broken.load("main:a"), SyntaxError);
});

test("around a compactor: load, decide, save, and decide again where somebody else was first", async () => {
  const { run } = table();
  const store = fromSql("pg", sqlClients.pg(run));
  const compactor = createCompactor({ format: openaiChat, contextWindow: 1_000, maxOutputTokens: 100 });
  const messages = Array.from({ length: 60 }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: `Message ${i}, which says something that takes a line.`,
  }));
  messages.push({ role: "user", content: "And now?" });
  const decide = async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const stored = await store.load("chat");
      const { state } = await compactor.beforeModel({ messages, state: stored });
      if (await store.save("chat", state, stored?.revision ?? null)) return attempt;
    }
    return -1;
  };
  const attempts = await Promise.all([decide(), decide(), decide()]);
  ok(!attempts.includes(-1), String(attempts));
  ok((await store.load("chat")).revision > 0);
});
