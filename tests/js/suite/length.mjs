// How long a long test is. What decides is the same wasm everywhere, so one runtime, this Node, runs every test at full
// length. The others, and this one by require, run the same tests with fewer cases: the checks set PRECIS_SUITE=short.
const isShort = process.env.PRECIS_SUITE === "short";

/** How many cases a test has: all of them, or fewer where the suite is short. */
export const cases = (all, fewer) => (isShort ? fewer : all);

/** The items of a list: all of them, or where the suite is short so many, spread evenly. */
export function spread(items, fewer) {
  if (!isShort || items.length <= fewer) return items;
  return Array.from({ length: fewer }, (_, at) => items[Math.floor((at * items.length) / fewer)]);
}

/**
 * Every combination of an item of each list; where the suite is short only so many that each item stands in one at least:
 * the first of all lists, then the second, and the shorter ones begin again.
 */
export function combinations(...lists) {
  if (!isShort) return lists.reduce((all, list) => all.flatMap((one) => list.map((item) => [...one, item])), [[]]);
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.map((list) => list[at % list.length]));
}
