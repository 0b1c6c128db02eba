import { PrecisError } from "precis";
import type { StateStore } from "../ai-sdk/types.ts";
import { checkClient, chosen, parsed } from "./stored.ts";

type Row = Readonly<Record<string, unknown>>;

/** What {@link fromSql} needs of each client, by the dialect that it speaks. */
export interface SqlClients {
  /** A pool or client of `pg`. Anything else with its `query` will do, such as a pool of Neon or PGlite. */
  readonly pg: { query(text: string, values: unknown[]): PromiseLike<{ readonly rows: readonly unknown[] }> };
  /** The function that `postgres` returns. */
  readonly postgres: {
    // biome-ignore lint/suspicious/noExplicitAny: its own type of a parameter is not ours to name.
    unsafe(text: string, values?: any[]): PromiseLike<readonly unknown[]>;
  };
  /** A database of `better-sqlite3`, `node:sqlite` or `bun:sqlite`. */
  readonly sqlite: {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    prepare(text: string): { all(...values: any[]): unknown[]; run(): unknown };
  };
  /** A binding of Cloudflare D1. */
  readonly d1: {
    prepare(text: string): {
      bind(...values: unknown[]): { all(): PromiseLike<{ readonly results: readonly unknown[] }> };
    };
  };
  /** `ctx.storage.sql` of a Durable Object. */
  readonly "durable-object": {
    // biome-ignore lint/suspicious/noExplicitAny: as above.
    exec(text: string, ...values: any[]): { toArray(): unknown[] };
  };
}

/** The options of {@link fromSql}. */
export interface SqlOptions {
  /** The name of the table, perhaps behind that of its schema. Default `"precis_states"`. */
  readonly table?: string | undefined;
}

/** A store in a table. */
export interface SqlStore extends StateStore {
  /** The statement that creates the table where there is none, for your migrations. */
  readonly schema: string;
  /** Runs it. */
  createTable(): Promise<void>;
}

/** How each client is asked. */
interface Dialect {
  readonly methods: readonly string[];
  readonly expected: string;
  /** What stands for the n-th value, from 1. */
  placeholder(n: number): string;
  ask(client: never, text: string, values: unknown[]): PromiseLike<readonly unknown[]> | readonly unknown[];
  /** Runs a statement that returns no rows, where that is another method. */
  run?(client: never, text: string): unknown;
}

const numbered = (n: number) => `$${n}`;
const DIALECTS: { readonly [Name in keyof SqlClients]: Dialect } = {
  pg: {
    ...{ methods: ["query"], expected: "a pool or client of pg", placeholder: numbered },
    ask: async (client: SqlClients["pg"], text, values) => (await client.query(text, values)).rows,
  },
  postgres: {
    ...{ methods: ["unsafe"], expected: "what postgres() returns", placeholder: numbered },
    ask: (client: SqlClients["postgres"], text, values) => client.unsafe(text, values),
  },
  sqlite: {
    ...{ methods: ["prepare"], expected: "a database of SQLite", placeholder: () => "?" },
    ask: (client: SqlClients["sqlite"], text, values) => unlocked(() => client.prepare(text).all(...values)),
    // better-sqlite3 refuses to list the rows of a statement that has none.
    run: (client: SqlClients["sqlite"], text) => unlocked(() => client.prepare(text).run()),
  },
  d1: {
    ...{ methods: ["prepare"], expected: "a binding of D1", placeholder: () => "?" },
    ask: async (client: SqlClients["d1"], text, values) =>
      (
        await client
          .prepare(text)
          .bind(...values)
          .all()
      ).results,
  },
  "durable-object": {
    ...{ methods: ["exec"], expected: "ctx.storage.sql of a Durable Object", placeholder: () => "?" },
    ask: (client: SqlClients["durable-object"], text, values) => client.exec(text, ...values).toArray(),
  },
};

/**
 * A store in a table of PostgreSQL or SQLite. Each load and each save is one statement, so it needs no transaction and no lock,
 * and a process that dies leaves the old state or the new one.
 *
 * ```js
 * const store = fromSql("pg", pool);
 * await store.createTable(); // or put store.schema into your migrations
 * ```
 *
 * @throws PrecisError `invalid-option` for a dialect that does not exist, a client of another, or a name that is none.
 */
export function fromSql<Name extends keyof SqlClients>(
  dialect: Name,
  client: SqlClients[Name],
  { table = "precis_states" }: SqlOptions = {},
): SqlStore {
  const { methods, expected, placeholder, ask, run: create } = chosen<Dialect>(DIALECTS, dialect, "dialect");
  checkClient(client, methods, expected);
  const name = quoted(table);
  const run = async (text: string, ...values: unknown[]): Promise<readonly Row[]> =>
    (await ask(client as never, text, values)) as readonly Row[];
  const [first, second, third, fourth] = [1, 2, 3, 4].map(placeholder);
  // A number as large as a revision may be is no INTEGER to PostgreSQL.
  const schema = `CREATE TABLE IF NOT EXISTS ${name} (key TEXT PRIMARY KEY, revision BIGINT NOT NULL, state TEXT NOT NULL)`;
  return {
    schema,
    async createTable() {
      try {
        await (create ? create(client as never, schema) : run(schema));
      } catch (error) {
        // In PostgreSQL two who create it at once may meet; by now it is there.
        await run(`SELECT key FROM ${name} WHERE 1 = 0`).catch(() => {
          throw error;
        });
      }
    },
    async load(key) {
      const [row] = await run(`SELECT state FROM ${name} WHERE key = ${first}`, key);
      return parsed(row?.state);
    },
    async save(key, state, previous) {
      const values = [key, state.revision, JSON.stringify(state)];
      const rows =
        previous === null
          ? await run(
              `INSERT INTO ${name} (key, revision, state) VALUES (${first}, ${second}, ${third}) ON CONFLICT (key) DO NOTHING RETURNING key`,
              ...values,
            )
          : // In the order in which SQLite counts them.
            await run(
              `UPDATE ${name} SET revision = ${first}, state = ${second} WHERE key = ${third} AND revision = ${fourth} RETURNING key`,
              ...[values[1], values[2], key, previous],
            );
      return rows.length > 0;
    },
  };
}

/** A name as an identifier. Whatever else it holds would be part of the statement. */
function quoted(table: unknown): string {
  if (typeof table === "string" && /^[a-z_]\w*(\.[a-z_]\w*)?$/i.test(table)) return `"${table.replace(".", '"."')}"`;
  throw new PrecisError(
    "invalid-option",
    "table",
    `The name of a table consists of letters, digits and underscores, perhaps behind a schema and a dot; got ${JSON.stringify(table)}.`,
  );
}

/** Attempts while another process writes to the file. */
const ATTEMPTS = 10;
/** Of the longest of the pauses between them, milliseconds. */
const LONGEST_PAUSE = 100;

/** SQLite refuses a write while another process writes, unless it was opened with a timeout. */
async function unlocked<T>(work: () => T): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      const { code, errcode } = error as { code?: unknown; errcode?: unknown };
      // The lowest byte says what it is; the others say why.
      const isBusy = (typeof errcode === "number" && (errcode & 0xff) === 5) || String(code).startsWith("SQLITE_BUSY");
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await new Promise((next) => setTimeout(next, Math.min(2 ** attempt, LONGEST_PAUSE)));
    }
  }
}
