// Measurements as tables of docs/speed.md, between the marks that are theirs.
import { readFileSync, writeFileSync } from "node:fs";
import { at } from "../../js/scripts/common.mjs";

/**
 * Measurements `{ place, what, kind, text }` as the lines of a table: a row for each place and what was measured there, a column
 * for each kind.
 */
export function byKind(kinds, measured) {
  const rows = new Map();
  for (const { place, what, kind, text } of measured) {
    const name = `${place}: ${what}`;
    rows.set(name, { ...rows.get(name), [kind]: text });
  }
  return [
    `| milliseconds | ${kinds.join(" | ")} |`,
    `|---|${kinds.map(() => "--:|").join("")}`,
    ...[...rows].map(([name, row]) => `| ${name} | ${kinds.map((kind) => row[kind] ?? "").join(" | ")} |`),
  ];
}

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
