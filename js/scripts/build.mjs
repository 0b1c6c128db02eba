// npm run build: Rust → wasm → pkg/, the folder that is published. Nothing is done twice.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cliSources } from "./cli.mjs";
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
const boundary = ["js/src/boundary/glue.ts"];
/** At the option of who uses it. */
const licences = ["LICENSE-MIT", "LICENSE-APACHE"];
/** The finished engine. */
const wasmFile = join(cache, "precis.wasm");
/** What wasm-bindgen writes of the engine for JavaScript, and how an instance gets its own. */
const generated = "js/src/boundary/generated";

/** Brings pkg/ up to date. */
export async function build() {
  await exclusively("build", async () => {
    await packages();
    const tools = ["js/scripts/build.mjs", "js/scripts/bundle.mjs", "package-lock.json", ...boundary];
    const engine = hash(files("Cargo.toml", "Cargo.lock", "src", "js/scripts/bindgen", ...tools), ask("rustc", "-vV"));
    await once("engine", engine, [wasmFile, at(generated, "bindings.js")], buildEngine);
    const scripts = files("js/src", "js/scripts/cli.mjs", ...cliSources);
    const texts = files("pkg-template", "README.md", ...licences, "tsconfig.json", "js/scripts/links.mjs");
    await once("package", hash([...scripts, ...texts], engine), [at("pkg/package.json")], buildPackage);
  });
}

/** Rust → optimized and validated wasm. */
async function buildEngine() {
  const wasm = await wasmTarget();
  note("compiling the engine …");
  await must("cargo", ["fetch", "--target", wasm, ...(ci ? ["--locked"] : [])]);
  // What traps leaves the pointer of the shadow stack where it was; JavaScript puts it back.
  const rustFlags = [...anonymous(), "-Clink-arg=--export=__stack_pointer"].join("\x1f");
  await must("cargo", ["rustc", "--lib", "--release", "--target", wasm, "--crate-type", "cdylib"], {
    env: { CARGO_ENCODED_RUSTFLAGS: rustFlags, CARGO_TARGET_DIR: target },
  });

  const bindings = await bind(join(target, wasm, "release", "precis.wasm"));

  note("optimizing …");
  const made = `${wasmFile}.made`;
  // No feature flags: wasm-opt reads them from the module, and naming them makes it emit what engines refuse.
  // Below 1,024 lies only the end of the stack: what ran over it would trap.
  // One pass: run again and again with its control flow rebuilt, it is 0.8 % smaller and takes fifteen times as long.
  const flags = ["--low-memory-unused", "-O3", "--strip-producers"];
  const wasmOpt = at("node_modules/binaryen/bin/wasm-opt");
  await must(process.execPath, [wasmOpt, ...flags, join(bindings, "precis_bg.wasm"), "-o", made]);
  stamp(made, hash([made, ...boundary.map((file) => at(file))]).slice(0, 12));
  validate(readFileSync(made));
  renameSync(made, wasmFile);
}

/** The bindings of a compiled engine, by the wasm-bindgen of its version: the folder that holds them. */
async function bind(wasm) {
  const bindgen = join(cache, "bindgen");
  const folder = join(bindgen, "out");
  const manifest = at("js/scripts/bindgen/Cargo.toml");
  await must("cargo", ["run", "--quiet", "--locked", "--manifest-path", manifest, "--", wasm, folder], {
    env: { CARGO_TARGET_DIR: bindgen, CARGO_ENCODED_RUSTFLAGS: "" },
  });
  numberImports(folder);
  await writeBindings(folder);
  return folder;
}

/** Imports are told apart by hashes, twice 72 of them. Numbers of the same length do as well, and compress. */
function numberImports(folder) {
  const numbers = new Map();
  const number = (_, name, hash) => {
    if (!numbers.has(hash)) numbers.set(hash, String(numbers.size).padStart(hash.length, "0"));
    return name + numbers.get(hash);
  };
  for (const file of ["precis.js", "precis_bg.wasm"]) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "latin1").replace(/(__wbg_\w+?_)([0-9a-f]{16})/g, number), "latin1");
  }
}

/**
 * wasm-bindgen's module knows one instance. An engine that broke is replaced while calls of it are in flight, so each
 * instance gets bindings of its own: the module as a function that makes them.
 */
async function writeBindings(folder) {
  const { default: esbuild } = await import("esbuild");
  const how = { bundle: true, write: false, format: "cjs", target: "es2022", logLevel: "error" };
  const { outputFiles } = await esbuild.build({ ...how, entryPoints: [join(folder, "precis.js")] });
  mkdirSync(at(generated), { recursive: true });
  writeFileSync(
    at(generated, "bindings.js"),
    `// Written by the build.
export function bind(program, precis) {
  // Nothing of an instance is freed behind our back: one that broke must not be entered again.
  const FinalizationRegistry = undefined;
  // What it does later it does under a frame that catches a trap.
  const queueMicrotask = (work) => globalThis.queueMicrotask(() => precis.later(work));
  const module = { exports: {} };
${outputFiles[0].text}
  const bindings = module.exports;
  const { memory, __stack_pointer: stack } = bindings.initSync({ module: program });
  return { ...bindings, memory, stack };
}
`,
  );
  cpSync(join(folder, "precis.d.ts"), at(generated, "precis.d.ts"));
  writeFileSync(
    at(generated, "bindings.d.ts"),
    `import type * as Bindings from "./precis.d.ts";
/** An instance of the engine with bindings of its own; \`precis\` is what it tells its loader. */
export function bind(
  program: WebAssembly.Module,
  precis: { panicked(message: string): void; later(work: () => void): void },
): typeof Bindings & { readonly memory: WebAssembly.Memory; readonly stack: WebAssembly.Global<"i32"> };
`,
  );
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
  const { bundleCommandLine } = await import("./cli.mjs");
  const made = join(cache, "pkg");
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });

  const manifest = JSON.parse(readFileSync(at("pkg-template/package.json"), "utf8"));
  const version = readFileSync(at("Cargo.toml"), "utf8").match(/^version = "(.+)"/m)[1];
  const { name, ...rest } = manifest;
  for (const path of Object.keys(rest.exports)) if (!source(path)) delete rest.exports[path];
  writeFileSync(join(made, "package.json"), `${JSON.stringify({ name, version, ...rest }, null, 2)}\n`);

  for (const licence of licences) cpSync(at(licence), join(made, licence));
  writeFileSync(join(made, "README.md"), publishedReadme());
  const entries = Object.keys(rest.exports).filter((path) => !/\.\w+$/.test(path));
  await bundle(
    entries.map((path) => ({ name: path === "." ? "index" : path.slice(2), source: source(path) })),
    readFileSync(wasmFile),
    made,
  );
  await bundleCommandLine(made, version);

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
