// npm run build: Rust → wasm → pkg/, the folder that is published. Nothing is done twice.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  ask,
  at,
  cache,
  ci,
  exclusively,
  files,
  hash,
  main,
  must,
  note,
  once,
  packages,
  root,
  target,
  wasmTarget,
} from "./common.mjs";
import { publishedReadme } from "./links.mjs";

/** The JavaScript that must be of one build with the engine. */
const boundary = ["js/src/boundary/glue.ts", "js/src/boundary/wire.ts"];
/** The finished engine. */
const wasmFile = join(cache, "precis.wasm");

/** Brings pkg/ up to date. */
export async function build() {
  await exclusively("build", async () => {
    await packages();
    const tools = ["js/scripts/build.mjs", "js/scripts/bundle.mjs", "package-lock.json", ...boundary];
    const engine = hash(files("Cargo.toml", "Cargo.lock", "src", ...tools), ask("rustc", "-vV"));
    await once("engine", engine, [wasmFile], buildEngine);
    const scripts = files("js/src").filter((path) => !path.startsWith(at("js/src/cli")));
    const texts = files("pkg-template", "README.md", "LICENSE-MIT", "tsconfig.json", "js/scripts/links.mjs");
    await once("package", hash([...scripts, ...texts], engine), [at("pkg/package.json")], buildPackage);
  });
}

/** Rust → optimized and validated wasm. */
async function buildEngine() {
  const wasm = await wasmTarget();
  note("compiling the engine …");
  await must("cargo", ["fetch", "--target", wasm, ...(ci ? ["--locked"] : [])]);
  const flags = anonymous().join("\x1f");
  await must(
    "cargo",
    ["rustc", "--lib", "--release", "--features", "module", "--target", wasm, "--crate-type", "cdylib"],
    {
      env: { CARGO_ENCODED_RUSTFLAGS: flags, CARGO_TARGET_DIR: target },
    },
  );

  note("optimizing …");
  const made = `${wasmFile}.made`;
  // No feature flags: wasm-opt reads them from the module, and naming them makes it emit what engines refuse.
  const optimize = (from, ...how) =>
    must(process.execPath, [at("node_modules/binaryen/bin/wasm-opt"), ...how, "-Oz", "--converge", from, "-o", made]);
  await optimize(join(target, wasm, "release", "precis.wasm"));
  // Control flow made anew out of flat code: 0.9 % less. Only after the first pass, which knows the compiler's own.
  await optimize(made, "--flatten", "--rereloop", "-Oz", "--merge-similar-functions", "-Oz", "--strip-producers");
  stamp(made, hash([made, ...boundary.map((file) => at(file))]).slice(0, 12));
  validate(readFileSync(made));
  renameSync(made, wasmFile);
}

/** Writes into the wasm which build it is of, as a custom section that the JavaScript of the same build looks for. */
function stamp(path, build) {
  const content = [...Buffer.from("\x06precis"), ...Buffer.from(build)];
  writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from([0, content.length, ...content])]));
}

/** Flags that keep the names of this machine's folders out of the binary. */
function anonymous() {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  const registries = existsSync(sources) ? readdirSync(sources).map((name) => join(sources, name)) : [];
  return [`--remap-path-prefix=${root}=precis`, ...registries.map((path) => `--remap-path-prefix=${path}=crates`)];
}

function validate(bytes) {
  new WebAssembly.Module(bytes);
  for (const path of [root, homedir()]) {
    if (path.length > 1 && bytes.includes(path)) throw new Error(`the wasm names a folder of this machine: ${path}`);
  }
}

/** Everything that is published, flat, in pkg/. The old folder stays whole until the new one is. */
async function buildPackage() {
  note("bundling …");
  const { bundle } = await import("./bundle.mjs");
  const made = join(cache, "pkg");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });

  const manifest = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
  const version = readFileSync(at("Cargo.toml"), "utf8").match(/^version = "(.+)"/m)[1];
  const { name, ...rest } = manifest;
  for (const path of Object.keys(rest.exports)) if (!source(path)) delete rest.exports[path];
  writeFileSync(join(made, "package.json"), `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`);

  // One licence is enough to use the package; the text of the other, 11 kB, stays in the repository.
  cpSync(at("LICENSE-MIT"), join(made, "LICENSE-MIT"));
  writeFileSync(join(made, "README.md"), publishedReadme());
  const entries = Object.keys(rest.exports).filter((path) => !/\.\w+$/.test(path));
  await bundle(
    entries.map((path) => ({ name: path === "." ? "index" : path.slice(2), source: source(path) })),
    readFileSync(wasmFile),
    made,
  );

  const old = join(cache, "old-pkg");
  rmSync(old, { recursive: true, force: true });
  if (existsSync(at("pkg"))) renameSync(at("pkg"), old);
  renameSync(made, at("pkg"));
  note("pkg/ is ready");
}

/** The TypeScript file behind an exports path, the path itself for a plain file, or undefined. */
function source(path) {
  if (/\.\w+$/.test(path)) return path;
  const name = path === "." ? "index" : path.slice(2);
  return [`js/src/${name}.ts`, `js/src/${name}/index.ts`].map((file) => at(file)).find(existsSync);
}

main(import.meta.url, build);
