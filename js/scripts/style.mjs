// The wordings that docs/style.md rules out do not occur in documents, comments and messages to users.
// `node js/scripts/style.mjs FILE…` looks at these files alone.
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { at, files, main, packages, root } from "./common.mjs";

const list = "docs/style.md";
/** Whose strings a user reads; those of tests and benches are input. */
const speaking = /^(src|js\/src|js\/scripts|examples)\//;
/** What a model reads, word for word: it changes only together with its golden values. */
const golden = /^src\/(summary\/|engine\/presets\/|base\/headings)/;

/** Throws what is found, each with its place and what to write instead. Gives the number of files it read. */
export async function checkStyle() {
  await packages();
  const paths = proseFiles();
  const faults = [];
  for (const path of paths) faults.push(...(await faultsOf(path, readFileSync(path, "utf8"))));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return paths.length;
}

/** All files that hold prose of ours. */
function proseFiles() {
  const top = ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"].map((name) => `${name}.md`);
  const folders = ["docs", ".github", "src", "js", "examples", "benches", "tests/js", "tests/rust", "tests/packaging"];
  const ours = (place) => kindOf(place) && place !== list && !/^docs\/(api|\.vitepress\/(cache|dist))\//.test(place);
  return files(...top, ...folders).filter((path) => ours(relative(root, path)));
}

const kinds = { md: "markdown", rs: "rust", ts: "script", tsx: "script", mts: "script", mjs: "script", js: "script" };
const kindOf = (path) => kinds[path.split(".").pop()];

/** What is wrong with the prose of a file: `path:line: "found": write …`. */
export async function faultsOf(path, text, rules = readRules()) {
  const place = relative(root, resolve(path));
  const prose = await proseOf(place, text);
  return rules
    .filter(({ fine }) => !fine.some((folder) => place.startsWith(folder)))
    .flatMap(({ pattern, write }) =>
      [...prose.matchAll(pattern)].map(({ index, 0: found }) => {
        const line = text.slice(0, index).split("\n").length;
        return { line, fault: `${place}:${line}: "${found.replace(/\s+/g, " ")}": write ${write}` };
      }),
    )
    .sort((a, b) => a.line - b.line)
    .map(({ fault }) => fault);
}

/** The table of docs/style.md: what to write, what not, and in which folders it is fine all the same. */
export function readRules(text = readFileSync(at(list), "utf8")) {
  const rows = [...text.matchAll(/^\|(.+)\|(.+)\|(.*)\|$/gm)].slice(2);
  if (rows.length === 0) throw new Error(`${list}: no row to read`);
  const quoted = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, wording]) => wording);
  return rows.map(([, write, not, fine]) => {
    const wordings = quoted(not).map((wording) => wording.split(" ").join("\\s+"));
    if (wordings.length === 0) throw new Error(`${list}: a row without wordings: |${write}|${not}|`);
    const word = "[\\p{L}\\p{N}_-]";
    const pattern = new RegExp(`(?<!${word})(?:${wordings.join("|")})(?!${word})`, "giu");
    return { write: write.trim(), pattern, fine: quoted(fine) };
  });
}

/** The text with everything but prose blanked out, each character in its place. */
export async function proseOf(place, text) {
  const kind = kindOf(place);
  if (kind === "markdown") return markdown(text, place === "CHANGELOG.md");
  const strings = speaking.test(place) && !golden.test(place) && !/\.test\.\w+$/.test(place);
  const spans = kind === "rust" ? rustSpans(text) : await scriptSpans(place, text);
  const mask = new Mask(text);
  for (const { from, to, comment } of spans) {
    const piece = text.slice(from, to);
    if (comment) mask.show(from, commentProse(piece));
    else if (strings && isSentence(piece)) mask.show(from, unquoted(piece));
  }
  return mask.toString();
}

/** White space stays where it is, so that a wording is found across lines of one comment but never across code. */
class Mask {
  constructor(text) {
    this.characters = Array.from({ length: text.length }, (_, i) => (/\s/.test(text[i]) ? text[i] : "\0"));
  }
  show(from, prose) {
    for (let i = 0; i < prose.length; i++) this.characters[from + i] = prose[i];
  }
  toString() {
    return this.characters.join("");
  }
}

const blank = (found) => found.replace(/\S/g, "\0");

/** Without code and quotations. */
function unquoted(prose) {
  return prose.replace(/``[^\n]+?``|`[^`\n]*`/g, blank).replace(/\\?"[^"\n]{0,300}?"|“[^”]*”/g, blank);
}

/** What a comment says: its marks are white space, so that a sentence may go on in the next line. */
function commentProse(comment) {
  const bare = comment
    .replace(/^([ \t]*)(\/\/[/!]?|\/\*[*!]?|\*\/|\*)/gm, (all) => " ".repeat(all.length))
    .replace(/\*\/$/, "  ");
  return unquoted(bare.replace(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, blank));
}

/** A message, not a word or a name: three words with blanks between them. */
const isSentence = (literal) => /\p{L}{2,} \p{L}+ \p{L}{2,}/u.test(literal);

function markdown(text, changelog) {
  let prose = text;
  if (changelog) {
    const released = [...text.matchAll(/^## \[?\d/gm)][0]?.index ?? text.length;
    prose = text.slice(0, released) + blank(text.slice(released));
  }
  const fenced = (block) =>
    block.replace(/^.*$/gm, (line) => blank(line.replace(/(?<=^|\s)(\/\/|#) .*/, "")) + commentOf(line));
  return unquoted(
    prose
      .replace(/<!--[\s\S]*?-->/g, blank)
      .replace(/^([ \t]*)(```|~~~)[\s\S]*?^[ \t]*\2/gm, fenced)
      .replace(/^>.*$/gm, blank)
      .replace(/\]\([^)\s]*\)/g, blank),
  );
}

/** The comment at the end of a line of an example. */
const commentOf = (line) => line.match(/(?<=^|\s)(\/\/|#) .*/)?.[0] ?? "";

/** Comments and strings of Rust. */
function rustSpans(text) {
  const pattern =
    /(\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/)|b?r(#*)"[\s\S]*?"\2|b?"(?:\\[\s\S]|[^"\\])*"|'(?:\\.[^']*|[^'\\\n])'/g;
  return [...text.matchAll(pattern)].map(({ 0: found, 1: comment, index }) => {
    if (comment) return { from: index, to: index + found.length, comment: true };
    const open = found.indexOf('"') + 1;
    return { from: index + open, to: index + Math.max(open, found.lastIndexOf('"')), comment: false };
  });
}

/** Comments and strings of TypeScript and JavaScript, as TypeScript reads them. */
async function scriptSpans(place, text) {
  const { default: ts } = await import("typescript");
  const how = /x$/.test(place) ? ts.ScriptKind.TSX : /\.m?js$/.test(place) ? ts.ScriptKind.JSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(place, text, ts.ScriptTarget.Latest, false, how);
  const literals = [];
  const visit = (node) => {
    const text = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (text || ts.isJsxText(node) || ts.isRegularExpressionLiteral(node)) {
      const marks = ts.isJsxText(node) ? 0 : 1;
      const from = node.getStart(source) + marks;
      literals.push({
        from,
        to: Math.max(from, node.getEnd() - marks),
        comment: false,
        shown: !ts.isRegularExpressionLiteral(node),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  literals.sort((a, b) => a.from - b.from);
  const comments = [];
  let start = 0;
  for (const { from, to } of [...literals, { from: text.length, to: text.length }]) {
    const code = text.slice(start, from);
    for (const { 0: found, index } of code.matchAll(/\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\//g)) {
      comments.push({ from: start + index, to: start + index + found.length, comment: true });
    }
    start = to;
  }
  return [...comments, ...literals.filter(({ shown }) => shown)];
}

main(import.meta.url, async (args) => {
  if (args.length === 0) return console.log(`${await checkStyle()} files, no wording that ${list} rules out`);
  for (const path of args) for (const fault of await faultsOf(path, readFileSync(path, "utf8"))) console.log(fault);
});
