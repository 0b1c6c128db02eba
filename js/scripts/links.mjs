// Every relative link in the documentation leads to a file, and every #anchor to a heading.
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { at, files, root } from "./common.mjs";

/** Throws the list of dead links. Gives the number of links that were followed. */
export function checkLinks() {
  const documents = [
    ...files("docs"),
    ...files("examples"),
    ...["README", "CHANGELOG", "CONTRIBUTING"].map((name) => at(`${name}.md`)),
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

/** The targets of a document's relative links and images, code left out. */
function links(text) {
  const prose = text.replace(/^(```|~~~).*?^\1/gms, "").replace(/`[^`\n]*`/g, "");
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...references].map(([, link]) => link).filter((link) => !/^(\w+:|\/\/)/.test(link));
}

/** The anchors GitHub makes of a document's headings. */
function anchors(path) {
  const found = new Set();
  if (!basename(path).endsWith(".md")) return found;
  const text = readFileSync(path, "utf8").replace(/^(```|~~~).*?^\1/gms, "");
  for (const [, heading] of text.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
      .replaceAll(" ", "-");
    let name = slug;
    for (let twin = 1; found.has(name); twin++) name = `${slug}-${twin}`;
    found.add(name);
  }
  for (const [, id] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) found.add(id);
  return found;
}
