// node benches/growth.mjs [NAME…]: what is known to have taken time that grows with the square of its size, or could, at
// one size and at twice that. Counted in instructions, so that a busy machine makes no difference: growth above MOST is a
// fault. `npm test -- growth` is the same.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { main } from "../js/scripts/common.mjs";
import { instructions, program } from "./callgrind.mjs";

/** Twice the size takes twice as long, and a little more where things are sorted. */
const MOST = 2.3;

main(import.meta.url, async (names) => {
  console.log("| pattern | instructions | twice the size | growth |\n|---|--:|--:|--:|");
  await growth(names, ({ name, once, twice, ratio }) =>
    console.log(`| ${name} | ${once.toLocaleString("en")} | ${twice.toLocaleString("en")} | ${ratio.toFixed(2)} |`),
  );
});

/** How many patterns were measured; throws with those that grow too much. How fast it runs makes no difference to growth. */
export async function growth(names = [], each = () => {}, profile = "cases") {
  const bench = await program("growth", profile);
  const all = execFileSync(bench, ["list"], { encoding: "utf8" }).trim().split("\n");
  const wanted = names.length > 0 ? all.filter((name) => names.includes(name)) : all;
  const faults = [];
  const next = wanted[Symbol.iterator]();
  const work = async () => {
    for (const name of next) {
      const once = await instructions(bench, name, "1");
      const twice = await instructions(bench, name, "2");
      const ratio = twice / once;
      each({ name, once, twice, ratio });
      if (ratio > MOST)
        faults.push(`${name}: from ${once} to ${twice} instructions, ${ratio.toFixed(2)} times as many`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return wanted.length;
}
