// As much of node:test as the suite uses, for a page: test, it, describe and t.test, one test after another.
const queue = [];
const totals = { pass: 0, fail: 0 };
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

async function execute(title, run) {
  try {
    await run({ test: (name, ...rest) => execute(`${title} > ${name}`, rest.at(-1)) });
    totals.pass += 1;
    console.log(`ok - ${title}`);
  } catch (error) {
    totals.fail += 1;
    console.log(`not ok - ${title}\n${error.stack ?? error}`);
  }
}

addEventListener("load", async () => {
  for (const work of queue) await work();
  globalThis.totals = totals;
});
