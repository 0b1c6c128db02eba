// npm run build: Rust → wasm → pkg/, the folder that is published. Nothing is done twice. `-- --fast` makes one that only
// tests use: npm refuses to publish it, and so do `npm run size` and `npm run release`.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliSources } from "./cli.mjs";
import { at, cache, exclusively, files, hash, imported, main, note, once, packages } from "./common.mjs";
import { buildEngine, folderOf, kindOf, wasmOf } from "./engine.mjs";
import { packagesAmong, thirdPartyLicences } from "./licences.mjs";
import { publishedReadme } from "./links.mjs";

/** At the option of who uses it. */
const licences = ["LICENSE-MIT", "LICENSE-APACHE"];

/**
 * Set while a run of checks has pkg/ for itself, to the kind that it has brought up to date: what the run starts neither
 * waits for it nor builds another.
 */
const RUN = "PRECIS_RUN";

/** Brings pkg/ up to date, as a build of this kind. */
export async function build(kind = "shipped") {
  const run = process.env[RUN];
  if (run === undefined) return exclusively("build", () => bringUpToDate(kind));
  if (run !== kind) throw new Error(`this needs a ${kind} build, and the checks that started it run on a ${run} one`);
}

/** Brings pkg/ up to date for checks, and keeps every other process from changing it until `work` has ended. */
export function withBuild(work) {
  return exclusively("build", () =>
    work(async (kind) => {
      delete process.env[RUN];
      await bringUpToDate(kind);
      process.env[RUN] = kind;
    }),
  );
}

async function bringUpToDate(kind) {
  await packages();
  const engine = await buildEngine(kind);
  const tools = imported("js/scripts/build.mjs");
  const texts = ["pkg-template", "README.md", "tsconfig.json", ...licences];
  const key = hash([...files("js/src", ...cliSources, ...texts), ...tools], engine);
  const folder = join(folderOf(kind), "pkg");
  await once(`${kind}/package`, key, [join(folder, "package.json")], () => buildPackage(kind, folder));
  await once("pkg", key, [at("pkg/package.json")], () => publish(folder));
}

/** Brings pkg/ up to date for a program that runs on any build: as the kind it is, or as the one that is made sooner. */
export function buildAny() {
  return build(process.env[RUN] ?? builtKind() ?? "fast");
}

/** Which kind of build a package is of, or null if there is none. */
export function builtKind(folder = at("pkg")) {
  const wasm = join(folder, "precis.wasm");
  return existsSync(wasm) ? kindOf(readFileSync(wasm)) : null;
}

/** Throws if a package is of no build that may be published or measured. */
export function requireShipped(folder) {
  if (builtKind(folder) === "shipped") return;
  throw new Error(`${folder} is not what is published: run \`npm run build\` without --fast, then this again`);
}

/** Everything that is published, flat, in a folder. */
async function buildPackage(kind, made) {
  note("bundling …");
  const { bundle } = await import("./bundle.mjs");
  const { bundleCommandLine } = await import("./cli.mjs");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });

  const manifest = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
  const version = readFileSync(at("Cargo.toml"), "utf8").match(/^version = "(.+)"/m)[1];
  const { name, ...rest } = manifest;
  // npm does not publish what is private.
  if (kind === "fast") rest.private = true;
  for (const path of Object.keys(rest.exports)) if (!source(path)) delete rest.exports[path];

  for (const licence of licences) cpSync(at(licence), join(made, licence));
  writeFileSync(join(made, "README.md"), publishedReadme());
  const entries = Object.keys(rest.exports).filter((path) => !/\.\w+$/.test(path));
  const sources = await bundle(
    entries.map((path) => ({ name: path === "." ? "index" : path.slice(2), source: source(path) })),
    readFileSync(wasmOf(kind)),
    made,
  );
  writeFileSync(join(made, "THIRD-PARTY-LICENSES"), await thirdPartyLicences(packagesAmong(sources)));
  await bundleCommandLine(made, version);
  // Last, because it is what is looked for.
  writeFileSync(join(made, "package.json"), `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`);
}

/** Makes a built package pkg/. The old folder stays whole until the new one is. */
function publish(folder) {
  const made = join(cache, "new-pkg");
  const old = join(cache, "old-pkg");
  for (const path of [made, old]) rmSync(path, { recursive: true, force: true });
  cpSync(folder, made, { recursive: true });
  if (existsSync(at("pkg"))) renameSync(at("pkg"), old);
  renameSync(made, at("pkg"));
  note(`pkg/ is ready${builtKind() === "fast" ? ", for tests only" : ""}`);
}

/** The TypeScript file behind an exports path, the path itself for a plain file, or undefined. */
function source(path) {
  if (/\.\w+$/.test(path)) return path;
  const name = path === "." ? "index" : path.slice(2);
  return [`js/src/${name}.ts`, `js/src/${name}/index.ts`].map((file) => at(file)).find(existsSync);
}

main(import.meta.url, (args) => {
  const unknown = args.find((arg) => arg !== "--fast");
  if (unknown) throw new Error(`${unknown} is no option of this command; there is --fast`);
  return build(args.includes("--fast") ? "fast" : "shipped");
});
