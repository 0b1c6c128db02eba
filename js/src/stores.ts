/**
 * Stores for states, over a client that you hand in. Imports none of them: what it needs is matched by its structure.
 *
 * All but {@link fromStorage} compare and set: of two requests that go on from one state, one stores its own, and the other is
 * told so (`false`). In `precis/ai-sdk` they are the option `store`; around `createCompactor` call `load` and `save` yourself.
 *
 * @module precis/stores
 */
export type { StateStore } from "./ai-sdk/types.ts";
export { fromIndexedDb, type IndexedDbOptions } from "./stores/indexed-db.ts";
export { fromRedis, type RedisClients, type RedisOptions } from "./stores/redis.ts";
export { fromSql, type SqlClients, type SqlOptions, type SqlStore } from "./stores/sql.ts";
export { fromStorage, type KeyValueStorage, type StorageOptions } from "./stores/storage.ts";
