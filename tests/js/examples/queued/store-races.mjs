// What every store of states has to hold: of many who save on the same revision one is first, and the others are told.
import { deepEqual, equal } from "node:assert/strict";

/** @param store - for `compaction({ store })`, empty. */
export async function storeHoldsRaces(store) {
  const state = (revision, by) => ({ revision, by });
  equal(await store.load("main:race"), null);
  for (const [revision, previous] of [
    [1, null],
    [2, 1],
    [3, 2],
  ]) {
    const tries = Array.from({ length: 20 }, (_, by) => store.save("main:race", state(revision, by), previous));
    const won = (await Promise.all(tries)).flatMap((stored, by) => (stored ? [by] : []));
    equal(won.length, 1, `${won.length} saves on revision ${previous} were stored`);
    deepEqual(await store.load("main:race"), state(revision, won[0]));
  }
  equal(await store.save("main:race", state(9, 0), 1), false, "a stale save was stored");
  equal(await store.save("main:other", state(9, 0), 8), false, "a save on a state that is not there was stored");
  equal(await store.load("main:other"), null);
}
