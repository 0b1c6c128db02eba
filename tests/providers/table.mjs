// node tests/providers/table.mjs [--update]: the table of rules in docs/providers.md, made of the rules themselves.
import { readFileSync, writeFileSync } from "node:fs";
import { at, main } from "../../js/scripts/common.mjs";
import { rules } from "./rules.mjs";

const page = at("docs/providers.md");

/** The page, and the page as it should be. */
export function pages() {
  const text = readFileSync(page, "utf8");
  const made = text.replace(
    /(<!-- rules -->\n)[\s\S]*?(<!-- \/rules -->)/,
    (_, before, after) => `${before}\n${tables()}\n\n${after}`,
  );
  return { text, made };
}

function tables() {
  return rules.providers
    .map(({ name, title, rules }) =>
      [
        `**${title}** (\`--provider ${name}\`)\n`,
        "| rule | what has to hold | source |",
        "|---|---|---|",
        ...rules.map(
          ({ id, about, source, remembers }) =>
            `| \`${id}\`${remembers ? " (remembered)" : ""} | ${about} | ${source} |`,
        ),
      ].join("\n"),
    )
    .join("\n\n");
}

main(import.meta.url, async (words) => {
  const { text, made } = pages();
  if (words.includes("--update")) writeFileSync(page, made);
  else if (text !== made)
    throw new Error("docs/providers.md shows other rules: node tests/providers/table.mjs --update");
});
