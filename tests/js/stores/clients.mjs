// A store of each client that runs in Node, over the client itself.
import { createRequire } from "node:module";
import { fromRedis, fromSql } from "precis/stores";
import { at } from "../../../js/scripts/common.mjs";

const chats = createRequire(`${at("examples/recipes/many-chats")}/`);

/** `where`: what its server or file is reached by. Each has a table or prefix of its own. Gives the store, and what closes it. */
export const clients = {
  async pg(where) {
    const { default: pg } = await import("pg");
    const pool = new pg.Pool({ connectionString: where, max: 4 });
    return { store: fromSql("pg", pool, { table: "of_pg" }), close: () => pool.end() };
  },
  async postgres(where) {
    const { default: postgres } = await import("postgres");
    const sql = postgres(where, { max: 4, onnotice: () => {} });
    return { store: fromSql("postgres", sql, { table: "public.of_postgres" }), close: () => sql.end() };
  },
  async "node:sqlite"(where) {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(where, { timeout: 2_000 });
    // As whoever shares a file among processes does.
    database.exec("PRAGMA journal_mode = WAL");
    return { store: fromSql("sqlite", database), close: () => database.close() };
  },
  async "bun:sqlite"(where) {
    const { Database } = await import("bun:sqlite");
    const database = new Database(where);
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA busy_timeout = 2000");
    return { store: fromSql("sqlite", database), close: () => database.close() };
  },
  async ioredis(where) {
    const { Redis } = chats("ioredis");
    const redis = new Redis(where);
    return { store: fromRedis("ioredis", redis, { prefix: "ioredis:", seconds: 3_600 }), close: () => redis.quit() };
  },
  async redis(where) {
    const { createClient } = await import("redis");
    const redis = createClient({ url: where });
    await redis.connect();
    return { store: fromRedis("redis", redis, { prefix: "redis:" }), close: () => redis.close() };
  },
  async "@upstash/redis"(where) {
    const { Redis } = await import("@upstash/redis");
    const redis = new Redis({ url: where, token: "a token", retry: { retries: 0 } });
    return { store: fromRedis("upstash", redis, { prefix: "upstash:" }), close: () => {} };
  },
};
