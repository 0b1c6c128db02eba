// node benches/growth.mjs [NAME…]: what is known to have taken time that grows with the square of its size, or could, at
// one size and at twice that. Counted in instructions, so that a busy machine makes no difference: growth above MOST is a
// fault. `npm test -- growth` is the same.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { main } from "../js/scripts/common.mjs";
import { instructionsOfEach, program } from "./callgrind.mjs";

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
  const parts = availableParallelism();
  const work = async (part) => {
    const own = wanted.filter((_, number) => number % parts === part);
    if (own.length === 0) return;
    const counts = await instructionsOfEach({ program: bench, bench: "growth", part }, "each", ...own);
    if (counts.length !== 2 * own.length) throw new Error(`${counts.length} counts of ${own.length} patterns`);
    for (const [number, name] of own.entries()) {
      const [once, twice] = counts.slice(2 * number);
      const ratio = twice / once;
      each({ name, once, twice, ratio });
      if (ratio > MOST)
        faults.push(`${name}: from ${once} to ${twice} instructions, ${ratio.toFixed(2)} times as many`);
    }
  };
  await Promise.all(Array.from({ length: parts }, (_, part) => work(part)));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return wanted.length;
}
