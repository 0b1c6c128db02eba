// Examples are programs: every ```js block of the README and of docs/ is run against pkg/, as a newcomer would.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, must, packages } from "./common.mjs";
import { documents } from "./snippets.mjs";

/** Runs the blocks one by one; throws what the first failing one said. Gives their number. */
export async function runReadme() {
  await packages("tests/js", "--force");
  const place = at("tests/js/node_modules/.readme");
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  let count = 0;
  for (const document of documents()) {
    const blocks = readFileSync(at(document), "utf8").matchAll(/^```js\n(.*?)^```$/gms);
    for (const [index, [, code]] of [...blocks].entries()) {
      const file = join(place, `${document.replaceAll(/\W+/g, "-")}-${index + 1}.mjs`);
      writeFileSync(file, code);
      await must(process.execPath, [file], { quiet: true });
      count += 1;
    }
  }
  return count;
}
