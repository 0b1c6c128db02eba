// Contenders in turn, so that a slow moment of the machine meets all of them.

/**
 * Times `contenders` (`{ name: { prepare?, run } }`) for `rounds` rounds after `warm` that do not count. `prepare` is
 * not timed and its answer is given to `run`. Answers `{ name: samples }`, in milliseconds.
 */
export async function inTurn(contenders, { rounds, warm }) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round < warm + rounds; round++) {
    for (const [name, { prepare, run }] of Object.entries(contenders)) {
      const given = await prepare?.(round);
      const from = performance.now();
      const answer = run(given);
      if (answer instanceof Promise) await answer;
      const time = performance.now() - from;
      if (round >= warm) samples[name].push(time);
    }
  }
  return samples;
}

/** The lower quartile: a busy machine interrupts long samples more often than short ones, which would flatter the quick. */
export function typical(samples) {
  return [...samples].sort((a, b) => a - b)[samples.length >> 2];
}
