// Examples are programs: every ```js block of the README and of docs/testing.md is run against pkg/, as a newcomer would.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, must, packages } from "./common.mjs";

/** Runs the blocks one by one; throws what the first failing one said. Gives their number. */
export async function runReadme() {
  await packages("tests/js", "--force");
  const place = at("tests/js/node_modules/.readme");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const documents = ["README.md", "docs/testing.md"].map((path) => readFileSync(at(path), "utf8"));
  const blocks = documents.flatMap((text) => [...text.matchAll(/^```js\n(.*?)^```$/gms)]);
  for (const [index, [, code]] of blocks.entries()) {
    const file = join(place, `${index + 1}.mjs`);
    writeFileSync(file, code);
    await must(process.execPath, [file], { quiet: true });
  }
  return blocks.length;
}
