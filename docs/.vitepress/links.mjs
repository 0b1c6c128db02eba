// Links of the pages as the site needs them: those that leave docs/ lead to the repository, those into design.md to the page
// that shows the section.
import { existsSync, readFileSync, statSync } from "node:fs";
import { posix } from "node:path";
import { at } from "../../js/scripts/common.mjs";
import { pageOf } from "./internals.mjs";

const { repository: declared } = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
export const repository = declared.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** A plugin of markdown-it. */
export function bridgeLinks(md) {
  md.core.ruler.push("bridge-links", ({ tokens, env }) => {
    const inline = tokens.flatMap((one) => one.children ?? []);
    for (const token of inline.filter((one) => one.attrGet("class") !== "header-anchor"))
      for (const name of ["href", "src"]) {
        const link = token.attrGet(name);
        if (link && !/^(\w+:|\/)/.test(link)) token.attrSet(name, bridged(link, env.relativePath ?? ""));
      }
  });
}

function bridged(link, page) {
  const isPart = page.startsWith("internals/");
  // The parts of design.md are written as if they lay where it lies.
  const folder = isPart ? "." : posix.dirname(page);
  const [path, anchor] = link.split("#");
  const target = path === "" ? (isPart ? "design.md" : page) : posix.join(folder, path);
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (target === "design.md") return `/internals/${pageOf(anchor)}${hash}`;
  if (target.startsWith("../")) return inRepository(target.slice(3)) + hash;
  return isPart ? `/${target}${hash}` : link;
}

function inRepository(path) {
  const kind = existsSync(at(path)) && statSync(at(path)).isDirectory() ? "tree" : "blob";
  return `${repository}/${kind}/main/${path}`;
}
