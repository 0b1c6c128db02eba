import type { StateStore } from "../ai-sdk/types.ts";
import { checkClient, parsed } from "./stored.ts";

/** Anything that keeps values by their key: `localStorage`, unstorage, or two functions around another. */
export interface KeyValueStorage {
  /** What was stored under this key, as it was given or parsed; null or undefined if nothing was. */
  getItem(key: string): unknown;
  /** Stores a text. */
  setItem(key: string, value: string): unknown;
}

/** The options of {@link fromStorage}. */
export interface StorageOptions {
  /** Before every key. Default `"precis:"`. */
  readonly prefix?: string | undefined;
}

/**
 * A store over anything that has keys and values: unstorage, keyv, Cloudflare KV, `localStorage`.
 *
 * **The last write wins.** Such a storage cannot compare and set, so of two requests of one chat at the same time the later
 * one replaces the state of the earlier one. No message is lost by that, because states hold none: at worst one compaction is
 * made again. Where two requests of a chat at once are common, take {@link fromSql} or {@link fromRedis}.
 *
 * @throws PrecisError `invalid-option` when the storage lacks a method.
 */
export function fromStorage(storage: KeyValueStorage, { prefix = "precis:" }: StorageOptions = {}): StateStore {
  checkClient(storage, ["getItem", "setItem"], "a storage");
  return {
    load: async (key) => parsed(await storage.getItem(prefix + key)),
    save: async (key, state) => {
      await storage.setItem(prefix + key, JSON.stringify(state));
    },
  };
}
