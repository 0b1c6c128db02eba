/** A row of a bench for js/scripts/bench.mjs, without a peer unless `more` names one. */
export function row(workload, ratio, unit, goal, ok, more = {}) {
  return { workload, peer: null, ratio, unit, goal, ok, ...more };
}
