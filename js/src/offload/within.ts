/** What `work` returns, unless it takes longer: then it rejects, and the signal says so. */
export function within<T>(ms: number, work: (signal: AbortSignal) => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const late = new Error(`it took more than ${ms} ms`);
      reject(late);
      stop.abort(late);
    }, ms);
    Promise.resolve()
      .then(() => work(stop.signal))
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
