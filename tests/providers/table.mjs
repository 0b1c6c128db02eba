// node tests/providers/table.mjs [--update]: the rules in docs/providers.md, made of the rules themselves.
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
  const seen = new Map();
  return rules.providers.map((provider) => section(provider, seen)).join("\n\n");
}

/** What a provider demands. A rule that one before it has in the same words is only named. */
function section({ name, title, rules }, seen) {
  const key = ({ id, about, remembers }) => JSON.stringify([id, about, Boolean(remembers)]);
  const shared = new Map();
  for (const rule of rules) {
    const first = seen.get(key(rule));
    if (first !== undefined) shared.set(first, [...(shared.get(first) ?? []), `\`${rule.id}\``]);
  }
  const own = rules.filter((rule) => !seen.has(key(rule)));
  for (const rule of own) seen.set(key(rule), title);
  const as = [...shared].map(([first, ids]) => `As for ${first}: ${ids.join(", ")}.`).join(" ");
  const head = `**${title}** (\`--provider ${name}\`)${as === "" ? "" : `. ${as}`}\n`;
  if (own.length === 0) return head.trimEnd();
  return [
    head,
    ...own.map(
      ({ id, about, source, remembers }) =>
        `- \`${id}\`${remembers ? " (remembered)" : ""}: ${about} ${linkOf(source)}`,
    ),
  ].join("\n");
}

/** A source is an address without `https://`; what follows ": " is a file of that repository. */
function linkOf(source) {
  const [address, file = "source"] = source.split(": ");
  return `([${file}](https://${address}))`;
}

main(import.meta.url, async (words) => {
  const { text, made } = pages();
  if (words.includes("--update")) writeFileSync(page, made);
  else if (text !== made)
    throw new Error("docs/providers.md shows other rules: node tests/providers/table.mjs --update");
});
