import { input } from "precis";
import type { StateStore } from "../ai-sdk/types.ts";
import { checkClient, chosen, parsed } from "./stored.ts";

/** What {@link fromRedis} needs of each client, by the package that it is of. */
export interface RedisClients {
  /** `redis`, also known as node-redis. */
  readonly redis: { eval(script: string, options: { keys: string[]; arguments: string[] }): PromiseLike<unknown> };
  /** `ioredis`, also for Valkey and Dragonfly. */
  readonly ioredis: { eval(script: string, keys: number, ...rest: string[]): PromiseLike<unknown> };
  /** `@upstash/redis`. */
  readonly upstash: { eval(script: string, keys: string[], values: string[]): PromiseLike<unknown> };
}

/** The options of {@link fromRedis}. */
export interface RedisOptions {
  /** Before every key. Default `"precis:"`. */
  readonly prefix?: string | undefined;
  /** Seconds after which a state that is not saved again is forgotten. Default: never. */
  readonly seconds?: number | undefined;
}

type Ask = (client: never, script: string, key: string, values: string[]) => PromiseLike<unknown>;

const CLIENTS: { readonly [Name in keyof RedisClients]: Ask } = {
  redis: (client: RedisClients["redis"], script, key, values) =>
    client.eval(script, { keys: [key], arguments: values }),
  ioredis: (client: RedisClients["ioredis"], script, key, values) => client.eval(script, 1, key, ...values),
  upstash: (client: RedisClients["upstash"], script, key, values) => client.eval(script, [key], values),
};

const LOAD = `return redis.call("HGET", KEYS[1], "state")`;

/** Redis runs a script as a whole, so nothing comes between. A revision that is not there is an empty text. */
const SAVE = `
if (redis.call("HGET", KEYS[1], "revision") or "") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "revision", ARGV[2], "state", ARGV[3])
if ARGV[4] ~= "" then redis.call("EXPIRE", KEYS[1], ARGV[4]) end
return 1`;

const SECONDS = {
  expected: "a number of whole seconds, more than 0",
  fits: (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0,
};

/**
 * A store in Redis: a hash for each chat, and a script that compares and sets. It is as durable as the server is configured to
 * be: with `appendfsync everysec`, the default of an append-only file, a server that dies may forget the last second.
 *
 * ```js
 * const store = fromRedis("ioredis", new Redis(url));
 * ```
 *
 * @throws PrecisError `invalid-option` for a client of another package, or seconds that are none.
 */
export function fromRedis<Name extends keyof RedisClients>(
  kind: Name,
  client: RedisClients[Name],
  { prefix = "precis:", seconds }: RedisOptions = {},
): StateStore {
  const ask = chosen<Ask>(CLIENTS, kind, "kind");
  checkClient(client, ["eval"], `a client of ${kind}`);
  if (seconds !== undefined) input.checkKind(SECONDS, seconds, "invalid-option", "seconds");
  return {
    load: async (key) => parsed(await ask(client as never, LOAD, prefix + key, [])),
    save: async (key, state, previous) => {
      const values = [previous ?? "", state.revision, JSON.stringify(state), seconds ?? ""].map(String);
      return Number(await ask(client as never, SAVE, prefix + key, values)) === 1;
    },
  };
}
