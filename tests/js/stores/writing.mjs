// What a writer does to a store: it adds its own entries to one state, each after what is stored, and says which are saved.

export const CHAT = "main:written";

/** Adds entries from the one behind its last to `count`; `saved` is called with each. */
export async function write(store, writer, count, saved) {
  for (;;) {
    const state = await store.load(CHAT);
    const log = state?.log ?? [];
    const next = log.filter((entry) => entry.startsWith(writer)).length + 1;
    if (next > count) return;
    const revision = state?.revision ?? null;
    const following = { version: 1, revision: (revision ?? 0) + 1, log: [...log, `${writer}${next}`] };
    if ((await store.save(CHAT, following, revision)) !== false) saved(`${writer}${next}`);
  }
}

/** What is wrong about a state that writers have added `count` entries each to, of which `told` were said to be saved. */
export function faultsOf(state, writers, count, told) {
  const faults = [];
  const expected = writers.flatMap((writer) => Array.from({ length: count }, (_, at) => `${writer}${at + 1}`));
  for (const entry of expected) {
    const times = state.log.filter((one) => one === entry).length;
    if (times !== 1)
      faults.push(`${entry} is there ${times} times${told.has(entry) ? ", and was said to be saved" : ""}`);
  }
  if (state.log.length !== expected.length) faults.push(`${state.log.length} entries instead of ${expected.length}`);
  if (state.revision !== expected.length) faults.push(`revision ${state.revision} after ${expected.length} saves`);
  return faults;
}
