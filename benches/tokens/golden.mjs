// node benches/tokens/golden.mjs: writes into tests/fixtures/tokens.json what the built engine counts for its texts.
// Only after a change of the tables that was meant, and never to make a test pass.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "../../js/scripts/build.mjs";
import { at, main } from "../../js/scripts/common.mjs";
import { families, ours } from "./ours.mjs";

main(import.meta.url, async () => {
  await build();
  const file = at("tests/fixtures/tokens.json");
  const entries = JSON.parse(readFileSync(file, "utf8"));
  const count = {};
  for (const family of families) count[family] = await ours(family);
  const lines = entries.map(({ text, times = 1 }) => {
    const whole = text.repeat(times);
    const counts = Object.fromEntries(families.map((family) => [family, count[family](whole)]));
    return JSON.stringify({ text, ...(times > 1 ? { times } : {}), ...counts });
  });
  writeFileSync(file, `[\n${lines.join(",\n")}\n]\n`);
});
