// docs/design.md in parts, each a page of the site. A section that no page names is an error: it would be missing.
import { readFileSync } from "node:fs";
import { at } from "../../js/scripts/common.mjs";
import { slug } from "../../js/scripts/links.mjs";

/** By the name of the page: its title and the sections it shows. */
const pages = {
  overview: ["Overview", ["The shape", "The walk of a call", "The house", "Invariants", "Glossary"]],
  boundary: ["The boundary", ["The boundary"]],
  state: ["State, history and view", ["State", "History and view"]],
  accounting: ["Counting and limits", ["Accounting", "Limits and shares", "Refusals"]],
  ladder: ["The ladder", ["The ladder", "Strategies and cuts"]],
  summaries: ["Summaries and memory", ["Summaries", "Memory"]],
  plans: ["Repairs, plans and commits", ["Repair", "Plans and commits"]],
  package: ["The package", ["The package", "Ways not taken"]],
};

export const entries = Object.entries(pages).map(([page, [title]]) => ({ text: title, link: `/internals/${page}` }));

/** What a dynamic route of VitePress asks for: each page with its text. */
export function paths() {
  const sections = read();
  const shown = Object.values(pages).flatMap(([, names]) => names);
  const lost = [...sections.keys()].filter((name) => !shown.includes(name));
  if (lost.length > 0)
    throw new Error(`docs/.vitepress/internals.mjs: no page shows ${lost.join(", ")} of docs/design.md`);
  return Object.entries(pages).map(([page, [title, names]]) => ({
    params: { page },
    content: `# ${title}\n\n${names.map((name) => part(name, name === title, sections.get(name))).join("\n")}`,
  }));
}

/** The page that shows the heading of this anchor. */
export function pageOf(anchor) {
  if (anchor === undefined) return "overview";
  const [found] = [...read()].find(([name, text]) => slug(name) === anchor || headings(text).includes(anchor)) ?? [];
  const page = Object.keys(pages).find((one) => pages[one][1].includes(found));
  if (!page) throw new Error(`docs/design.md has no heading for #${anchor}`);
  return page;
}

function part(name, isTitle, text) {
  if (text === undefined) throw new Error(`docs/design.md has no section "${name}"`);
  return isTitle ? text : `## ${name}\n${text}`;
}

function headings(text) {
  return [...text.matchAll(/^#{3,}\s+(.+)$/gm)].map(([, heading]) => slug(heading));
}

function read() {
  const [, ...sections] = readFileSync(at("docs/design.md"), "utf8").split(/^## /m);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf("\n");
      return [section.slice(0, end).trim(), section.slice(end)];
    }),
  );
}
