// npm run fix: formats everything and applies the fixes that the linters can make by themselves.
import { main, must, packages } from "./common.mjs";

main(import.meta.url, async () => {
  await packages();
  await must("cargo", ["fmt"]);
  await must(process.execPath, ["node_modules/@biomejs/biome/bin/biome", "check", "--write", "."]);
});
