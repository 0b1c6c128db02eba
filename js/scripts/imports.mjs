// What each name that the package exports brings into a program that imports nothing else: for docs/size.md, and for the
// test that none of those which are said to do without the engine holds it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { at } from "./common.mjs";

/** For the other entries of the package alone. */
const INTERNAL = ["input", "checkMessages"];

/** `[["precis", ["createCompactor", …]], …]`: the names that each entry of a built package exports. */
export async function exportedNames(folder = at("pkg")) {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const entries = Object.keys(exports).filter((path) => !/\.\w+$/.test(path));
  return Promise.all(
    entries.map(async (path) => {
      const file = path === "." ? "index" : path.slice(2);
      const names = Object.keys(await import(pathToFileURL(`${folder}/${file}.js`)));
      return [`precis${path.slice(1)}`, names.filter((name) => path !== "." || !INTERNAL.includes(name))];
    }),
  );
}

/** A program of one line as esbuild makes it for a page: its text, and whether the engine is in it. */
export async function bundled(contents, resolveDir, folder = at("pkg")) {
  const { default: esbuild } = await import("esbuild");
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir },
    ...{ bundle: true, minify: true, write: false, format: "esm", platform: "browser", logLevel: "error" },
    // The one of this repository says where precis has its sources.
    tsconfigRaw: {},
  });
  const { text } = outputFiles[0];
  return { text, engine: holdsEngine(text, folder) };
}

/** Whether a bundle has the engine's text in it. */
export function holdsEngine(text, folder = at("pkg")) {
  const packed = readFileSync(`${folder}/precis.wasm.js`, "utf8");
  return text.includes(packed.slice(packed.indexOf(":") + 1000, packed.indexOf(":") + 1060));
}

/** `{ from, name, gzip, engine }` of each name. */
export async function importCosts(resolveDir) {
  const costs = [];
  for (const [from, names] of await exportedNames())
    for (const name of names) {
      const { text, engine } = await bundled(`export { ${name} } from "${from}";`, resolveDir);
      costs.push({ from, name, gzip: gzipSync(text, { level: 9 }).length, engine });
    }
  return costs;
}

/** The table of docs/size.md: of each entry what does without the engine, and what brings it. */
export function importTable(costs) {
  const entries = new Set(costs.map(({ from }) => from));
  const cell = (from, brings) =>
    costs
      .filter((cost) => cost.from === from && cost.engine === brings)
      .map(({ name, gzip }) => `\`${name}\` ${gzip.toLocaleString("en")}`)
      .join(", ");
  return [
    "| from | without the engine | with it |",
    "| --- | --- | --- |",
    ...[...entries].map((from) => `| \`${from}\` | ${cell(from, false)} | ${cell(from, true)} |`),
  ].join("\n");
}
