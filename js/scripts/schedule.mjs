// In which order checks run, and which of them at once.
import { availableParallelism } from "node:os";

/**
 * Runs jobs as soon as a core is free for them. One that keeps every core busy by itself runs beside no other of its kind,
 * only beside those that keep a single core busy, so that no core waits for the end of another's work. `first` comes before
 * those that need it; of the others the longest are first, as far as it is known. Resolves when all have ended.
 *
 * @param {{ check: object, expected: number }[]} jobs - how many seconds each took the last time.
 * @param {object} options
 * @param {(check: object) => boolean} options.first - what the checks with `pkg` wait for.
 * @param {(check: object, ready: boolean) => Promise<boolean>} options.run - runs a check; `ready` says whether what it waited for
 *   succeeded. Resolves to whether it passed.
 * @param {number} [options.cores]
 */
export function schedule(jobs, { first, run, cores = availableParallelism() }) {
  const rank = ({ check, expected }) => (first(check) ? Number.POSITIVE_INFINITY : expected);
  const waiting = [...jobs].sort((a, b) => rank(b) - rank(a));
  const running = new Set();
  let ready = waiting.some(({ check }) => first(check)) ? null : true;
  return new Promise((done, fail) => {
    const fits = (check) => {
      const beside = [...running];
      if (beside.length >= cores || (check.pkg && ready === null)) return false;
      if (check.uses && beside.some((other) => other.uses === check.uses)) return false;
      return check.single || beside.every((other) => other.single);
    };
    const start = () => {
      if (waiting.length === 0 && running.size === 0) return done();
      for (;;) {
        const at = waiting.findIndex(({ check }) => fits(check));
        if (at < 0) return;
        const [{ check }] = waiting.splice(at, 1);
        running.add(check);
        run(check, ready !== false).then((passed) => {
          running.delete(check);
          if (first(check)) ready = passed;
          start();
        }, fail);
      }
    };
    start();
  });
}
