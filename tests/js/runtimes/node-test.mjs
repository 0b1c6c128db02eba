// As much of node:test as the suite uses, for runtimes without it: test, it, describe and t.test, one after another.
// Whoever bundles the suite calls `runAll` when its runtime is ready.
const queue = [];
let group = "";

export function test(name, ...rest) {
  const title = group + name;
  queue.push(() => execute(title, rest.at(-1)));
}

export const it = test;
export default test;

export function describe(name, ...rest) {
  const outer = group;
  group += `${name} > `;
  rest.at(-1)();
  group = outer;
}

const totals = { pass: 0, fail: 0, said: [] };

/** Runs all that was registered. `said` holds the failures. */
export async function runAll() {
  for (const work of queue) await work();
  return totals;
}

async function execute(title, run) {
  try {
    await run({ test: (name, ...rest) => execute(`${title} > ${name}`, rest.at(-1)) });
    totals.pass += 1;
  } catch (error) {
    totals.fail += 1;
    totals.said.push(`not ok - ${title}\n${error?.stack ?? error}`);
  }
}
