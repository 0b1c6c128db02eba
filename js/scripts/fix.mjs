// npm run fix: formats everything, applies the fixes that the linters can make by themselves, and writes the table of checks.
import { main, must, packages } from "./common.mjs";
import { writeTable } from "./table.mjs";

main(import.meta.url, async () => {
  await packages();
  await must("cargo", ["fmt", "--all"]);
  await must(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "--write", "."]);
  await writeTable();
});
