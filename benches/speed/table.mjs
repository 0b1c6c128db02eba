// Measurements as tables of docs/speed.md, between the marks that are theirs.
import { readFileSync, writeFileSync } from "node:fs";
import { at } from "../../js/scripts/common.mjs";

/** Replaces what stands between `<!-- mark -->` and `<!-- /mark -->`. */
export function writeTable(mark, head, rows) {
  const document = at("docs/speed.md");
  const text = readFileSync(document, "utf8");
  const pattern = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  if (!pattern.test(text)) throw new Error(`${document} has no place for ${mark}`);
  const written = [...head, ...rows].join("\n");
  writeFileSync(
    document,
    text.replace(pattern, (_, before, after) => `${before}\n${written}\n\n${after}`),
  );
}
