// The import graph of the engine and of the TypeScript around it: rooms (folders) stand on floors, each above all that it
// imports. Fails on a circle, between rooms or between files, and on more floors than a reader can hold.
// `node js/scripts/layers.mjs --update` writes the picture into docs/design.md.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { at, files, main } from "./common.mjs";

const design = "docs/design.md";

/**
 * The two houses: their files, the room of each, what each file imports, and the floors that a reader can hold. In
 * TypeScript files of the root are rooms of their own, and the subpaths stand above the entry `precis`.
 */
const houses = [
  { name: "Rust", root: "src", read: rustImports, most: 10 },
  { name: "TypeScript", root: "js/src", read: typescriptImports, most: 13 },
];

/** Compares the picture in docs/design.md with the code. Gives the number of imports looked at. */
export async function checkLayers({ update = false } = {}) {
  const drawn = houses.map(draw);
  const faults = [...drawn.flatMap((house) => house.faults), ...neverRun()];
  const text = readFileSync(at(design), "utf8");
  const pictured = text.replace(
    /(<!-- floors -->\n)[\s\S]*?(<!-- \/floors -->)/,
    (_, before, after) => `${before}\n${drawn.map((house) => house.picture).join("\n\n")}\n\n${after}`,
  );
  if (update) writeFileSync(at(design), pictured);
  else if (pictured !== text) faults.push(`${design} shows other floors: node js/scripts/layers.mjs --update`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return drawn.reduce((sum, house) => sum + house.imports, 0);
}

/** Tests and examples within the engine, which Cargo.toml leaves out: with them the crate would be compiled twice. */
function neverRun() {
  const holds = (text) => {
    const fences = [...text.matchAll(/^\s*\/\/[/!] ```(\w*)/gm)].map(([, language]) => language);
    return /#\[(cfg\(test\)|test)\]/.test(text) || fences.some((language, at) => at % 2 === 0 && language !== "text");
  };
  return files("src")
    .filter((path) => path.endsWith(".rs") && holds(readFileSync(path, "utf8")))
    .map((path) => `${relative(at(), path)}: a test that never runs: tests of the engine are in tests/rust`);
}

function draw({ name, root, read, most }) {
  const graph = read(root);
  const rooms = new Map();
  for (const [file, imported] of graph) {
    const from = roomOf(root, file);
    if (!rooms.has(from)) rooms.set(from, new Set());
    for (const other of imported) if (roomOf(root, other) !== from) rooms.get(from).add(roomOf(root, other));
  }
  const faults = [
    ...circles(rooms).map((circle) => `${name}: rooms import each other: ${circle.join(", ")}`),
    ...circles(graph).map((circle) => `${name}: files import each other: ${circle.join(", ")}`),
  ];
  const floors = faults.length > 0 ? [] : floorsOf(rooms);
  if (floors.length > most) faults.push(`${name}: ${floors.length} floors, ${most} are the most`);
  const rows = floors.map((floor, i) => `| ${i + 1} | ${floor.map((room) => `\`${room}\``).join(", ")} |`).reverse();
  const imports = [...graph.values()].reduce((sum, imported) => sum + imported.size, 0);
  return { faults, imports, picture: [`| floor | ${name} |`, "|---|---|", ...rows].join("\n") };
}

/** The folder right below the root, or the file itself if it lies there. */
function roomOf(root, file) {
  const [first, ...more] = relative(root, file).split("/");
  return more.length > 0 ? `${first}/` : first;
}

/** `Map` of each file of the engine to the files whose items it names. */
function rustImports(root) {
  const all = files(root)
    .filter((path) => path.endsWith(".rs"))
    .map((path) => relative(at(), path));
  const modules = new Map(all.map((file) => [moduleOf(root, file), file]));
  const read = (file) => readFileSync(at(file), "utf8").replace(/^\s*\/\/.*$/gm, "");
  // What a module hands on of its children is theirs: whoever names it imports them, and the module does not.
  for (const file of all) {
    const module = moduleOf(root, file);
    const children = childrenOf(read(file));
    for (const [, tree] of read(file).matchAll(HANDED_ON))
      for (const leaf of leaves(tree.replace(/\s+/g, " "))) {
        const [child, ...rest] = leaf.replace(/^self::/, "").split("::");
        const found = children.has(child) && longest([...parts(module), child, ...rest], modules);
        if (found) modules.set([...parts(module), rest.at(-1) ?? child].join("::"), found);
      }
  }
  const graph = new Map(all.map((file) => [file, new Set()]));
  for (const file of all) {
    // The lists of all rooms are in none of them.
    if (LISTS.has(file)) {
      graph.delete(file);
      continue;
    }
    const text = read(file).replace(HANDED_ON, "");
    for (const path of rustPaths(text, moduleOf(root, file), childrenOf(text))) {
      const found = longest(path, modules);
      if (found && found !== file && !LISTS.has(found)) graph.get(file).add(found);
    }
  }
  return graph;
}

const moduleOf = (root, file) =>
  relative(root, file)
    .replace(/(^|\/)(mod|lib)\.rs$|\.rs$/, "")
    .replaceAll("/", "::");

const parts = (module) => (module === "" ? [] : module.split("::"));

/** The roots of the two crates. */
const LISTS = new Set(["src/lib.rs", "src/messages.rs"]);

/** Names that a module hands on. */
const HANDED_ON = /\bpub(?:\([^)]*\))?\s+use\s+([^;]*);/g;

/** The modules that a text declares in files of their own. */
const childrenOf = (text) => new Set([...text.matchAll(/\bmod\s+(\w+);/g)].map(([, name]) => name));

/** Paths within the crate that a text names, absolute. `children`: names of modules below it, by which a path may begin. */
function rustPaths(text, module, children) {
  const paths = [];
  const above = parts(module);
  const absolute = (path) => {
    let names = path.split("::").map((name) => name.trim());
    if (names[0] === "crate") return names.slice(1);
    if (children.has(names[0])) return [...above, ...names];
    let base = names[0] === "super" || names[0] === "self" ? above : null;
    if (!base) return null;
    for (; names[0] === "super"; names = names.slice(1)) base = base.slice(0, -1);
    if (names[0] === "self") names = names.slice(1);
    return [...base, ...names];
  };
  for (const [, tree] of text.matchAll(/\buse\s+(\w+\b[^;]*);/g)) {
    for (const leaf of leaves(tree.replace(/\s+/g, " "))) paths.push(absolute(leaf));
  }
  const code = text.replace(/\buse\s+[^;]*;/g, "");
  for (const [path] of code.matchAll(/(?<!::)\b\w+(?:::\w+)+/g)) paths.push(absolute(path));
  return paths.filter(Boolean);
}

/** The paths of a use tree. */
function leaves(tree) {
  const open = tree.indexOf("{");
  if (open < 0) return [tree.replace(/ as .*/, "").trim()];
  const prefix = tree.slice(0, open).trim();
  const inner = tree.slice(open + 1, tree.lastIndexOf("}"));
  const parts = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= inner.length; i++) {
    if (inner[i] === "{") depth += 1;
    else if (inner[i] === "}") depth -= 1;
    else if (depth === 0 && (inner[i] === "," || i === inner.length)) {
      if (inner.slice(start, i).trim()) parts.push(inner.slice(start, i).trim());
      start = i + 1;
    }
  }
  return parts.flatMap((part) => leaves(prefix + (part === "self" ? "" : part)));
}

function longest(path, modules) {
  for (let length = path.length; length > 0; length--) {
    const file = modules.get(path.slice(0, length).join("::"));
    if (file) return file;
  }
  return null;
}

/** `Map` of each TypeScript file to the files it imports; imports of types count as others do. */
function typescriptImports(root) {
  const all = files(root)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => relative(at(), path));
  const known = new Set(all);
  /** The file behind an entry of the package. */
  const entry = (name) => {
    if (!/^precis(\/|$)/.test(name ?? "")) return null;
    const path = name === "precis" ? "index" : name.slice("precis/".length);
    return [`${root}/${path}.ts`, `${root}/${path}/index.ts`].find((file) => known.has(file));
  };
  return new Map(
    all.map((file) => {
      const text = readFileSync(at(file), "utf8");
      const named = [
        ...text.matchAll(/^(?:import|export)\b[^;"]*\bfrom\s*"(\.[^"]+|precis[^"]*)"|\bimport\s*\(?\s*"(\.[^"]+)"/gm),
      ];
      const paths = named.map(([, one, other]) => entry(one) ?? join(dirname(file), one ?? other));
      return [file, new Set(paths.filter((path) => known.has(path) && path !== file))];
    }),
  );
}

/** Each set of nodes that reach each other, by Tarjan's algorithm; a node on its own is none. */
function circles(graph) {
  const found = [];
  const index = new Map();
  const low = new Map();
  const stack = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== index.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

/** Floors from the ground up: a room stands right above the highest of those it imports. */
function floorsOf(rooms) {
  const floor = new Map();
  const of = (room) => {
    if (!floor.has(room)) floor.set(room, Math.max(0, ...[...rooms.get(room)].map((below) => of(below) + 1)));
    return floor.get(room);
  };
  for (const room of rooms.keys()) of(room);
  const floors = [];
  for (const [room, at] of floor) {
    floors[at] ??= [];
    floors[at].push(room);
  }
  return floors.map((all) => all.sort());
}

main(import.meta.url, async (args) => {
  console.log(`${await checkLayers({ update: args.includes("--update") })} imports, none in a circle`);
});
