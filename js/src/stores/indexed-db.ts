import type { SessionState } from "precis";
import type { StateStore } from "../ai-sdk/types.ts";
import type { Databases } from "../globals.ts";
import { checkClient } from "./stored.ts";

/** The options of {@link fromIndexedDb}. */
export interface IndexedDbOptions {
  /** The name of the database. Default `"precis"`. */
  readonly name?: string | undefined;
}

const STATES = "states";
const VERSION = 1;

/**
 * A store in the browser, which all tabs and workers of an origin share. A save reads and writes in one transaction, so of two
 * tabs that go on from one state one stores its own.
 *
 * ```js
 * const store = fromIndexedDb(indexedDB);
 * ```
 *
 * @throws PrecisError `invalid-option` when there is no IndexedDB.
 */
export function fromIndexedDb(factory: Databases, { name = "precis" }: IndexedDbOptions = {}): StateStore {
  checkClient(factory, ["open"], "the global indexedDB");
  let opened: Promise<IDBDatabase> | undefined;
  const forget = () => {
    opened = undefined;
  };
  /** Opened when it is first asked, and again where the browser has closed it. */
  const database = () => {
    opened ??= open(factory, name, forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return opened;
  };
  const inTransaction = async <T>(mode: IDBTransactionMode, work: (states: IDBObjectStore) => Work<T>): Promise<T> => {
    // A connection that was closed meanwhile refuses a transaction; one more says whether it can be opened again.
    for (let attempt = 1; ; attempt++) {
      const connection = await database();
      try {
        return await done(connection.transaction(STATES, mode, { durability: "strict" }), work);
      } catch (error) {
        forget();
        if (attempt === 2 || (error as { name?: unknown }).name !== "InvalidStateError") throw error;
      }
    }
  };
  return {
    load: (key) =>
      inTransaction("readonly", (states) => {
        const request = states.get(key);
        return () => (request.result as SessionState | undefined) ?? null;
      }),
    save: (key, state, previous) =>
      inTransaction("readwrite", (states) => {
        let isSaved = false;
        const request = states.get(key);
        request.onsuccess = () => {
          const stored = request.result as SessionState | undefined;
          if ((stored?.revision ?? null) !== previous) return;
          states.put(state, key);
          isSaved = true;
        };
        return () => isSaved;
      }),
  };
}

/** Requests of a transaction; what is returned gives their outcome once it is complete. */
type Work<T> = () => T;

function done<T>(transaction: IDBTransaction, work: (states: IDBObjectStore) => Work<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const outcome = work(transaction.objectStore(STATES));
    transaction.oncomplete = () => resolve(outcome());
    transaction.onabort = () => reject(transaction.error ?? new Error("The transaction was aborted."));
  });
}

function open(factory: IDBFactory, name: string, closed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, VERSION);
    request.onupgradeneeded = () => request.result.createObjectStore(STATES);
    request.onerror = () => reject(request.error);
    // An older page holds it open, and has not let go of it.
    request.onblocked = () => reject(new Error(`The database ${name} is held open by another page.`));
    request.onsuccess = () => {
      const connection = request.result;
      connection.onclose = closed;
      // A page of a later version wants to change it.
      connection.onversionchange = () => {
        connection.close();
        closed();
      };
      resolve(connection);
    };
  });
}
