// Every relative link in the documentation leads to a file, and every #anchor to a heading. In the published README, which
// leaves the repository's files behind, links are absolute.
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { at, files, root } from "./common.mjs";

/** Throws the list of dead links. Gives the number of links that were followed. */
export function checkLinks() {
  const documents = [
    ...files("docs").filter((path) => !path.startsWith(at("docs/api/"))),
    ...files("examples"),
    ...["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"].map((name) => at(`${name}.md`)),
  ];
  const dead = [];
  let followed = 0;
  for (const document of documents.filter((path) => path.endsWith(".md") && existsSync(path))) {
    for (const link of links(readFileSync(document, "utf8"))) {
      followed += 1;
      const [path, anchor] = link.split("#");
      const target = path === "" ? document : resolve(dirname(document), decodeURIComponent(path));
      const fault = !existsSync(target)
        ? "no such file"
        : anchor && !anchors(target).has(anchor)
          ? "no such heading"
          : null;
      if (fault) dead.push(`${relative(root, document)}: ${link} (${fault})`);
    }
  }
  if (dead.length > 0) throw new Error(dead.join("\n"));
  return followed;
}

/** The README as it is published: without what only links to the repository's tests and documents, its links absolute. */
export function publishedReadme() {
  const text = readFileSync(at("README.md"), "utf8").replace(
    /<!-- repository -->[\s\S]*?<!-- \/repository -->\n*/g,
    "",
  );
  const absolute = (link) => {
    if (!isRelative(link) || link.startsWith("#")) return link;
    const [path] = link.split("#");
    const kind = existsSync(at(path)) && statSync(at(path)).isDirectory() ? "tree" : "blob";
    return `${repository()}/${kind}/main/${link}`;
  };
  return text
    .replace(/(```|~~~)[\s\S]*?\1|`[^`\n]*`|\]\(<?([^)\s>]+)>?/g, (all, _, link) =>
      link === undefined ? all : all.replace(link, absolute(link)),
    )
    .replace(/^(\[[^\]]+\]:\s+)(\S+)/gm, (_, name, link) => name + absolute(link));
}

/**
 * Throws what is wrong with the links of the packed README: one that is relative, one into this repository that leads to no
 * file, an anchor without its heading. Gives the number of links.
 */
export function checkPublishedLinks() {
  const readme = at("pkg/README.md");
  const text = readFileSync(readme, "utf8");
  const here = `${repository()}/`;
  const all = links(text, () => true);
  const faults = all.flatMap((link) => {
    if (link.startsWith("#")) return anchors(readme).has(link.slice(1)) ? [] : [`${link} (no such heading)`];
    if (isRelative(link)) return [`${link} (relative: the package does not carry it)`];
    if (!link.startsWith(here)) return [];
    const path = link
      .slice(here.length)
      .replace(/^(blob|tree)\/main\//, "")
      .split("#")[0];
    return existsSync(at(decodeURIComponent(path))) ? [] : [`${link} (no such file)`];
  });
  if (faults.length > 0) throw new Error(`pkg/README.md: ${faults.join("\npkg/README.md: ")}`);
  if (!all.some((link) => link.startsWith(here))) throw new Error("pkg/README.md: no link leads into the repository");
  return all.length;
}

/** Where the repository is, as the package says it. */
function repository() {
  const { repository } = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

const isRelative = (link) => !/^(\w+:|\/\/)/.test(link);

/** The targets of a document's links and images, relative ones unless said otherwise; code left out. */
function links(text, wanted = isRelative) {
  const prose = text.replace(/^(```|~~~).*?^\1/gms, "").replace(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...references].map(([, link]) => link).filter(wanted);
}

/** The anchors GitHub makes of a document's headings. */
function anchors(path) {
  const found = new Set();
  if (!basename(path).endsWith(".md")) return found;
  const text = readFileSync(path, "utf8").replace(/^(```|~~~).*?^\1/gms, "");
  for (const [, heading] of text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const base = slug(heading);
    let name = base;
    for (let twin = 1; found.has(name); twin++) name = `${base}-${twin}`;
    found.add(name);
  }
  for (const [, id] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}

/** The anchor GitHub makes of a heading. */
export function slug(heading) {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}
