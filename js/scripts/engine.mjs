// Rust → wasm and its bindings, of one of two kinds. `shipped` is what is published: optimized as a whole, then once more
// by wasm-opt. `fast` is for tests: the same program, compiled piece by piece, so that a change costs seconds. Each kind
// has a folder of its own, and the wasm itself says which it is.
//
// Each instance has bindings of its own, so the build wraps wasm-bindgen's module in a function: an engine that broke is
// replaced while calls of it may still be on the stack.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ask, at, cache, ci, compile, files, hash, must, note, once, root, target, wasmTarget } from "./common.mjs";

export const kinds = ["shipped", "fast"];

/** The JavaScript that must be of one build with the engine. */
const boundary = ["js/src/boundary/glue.ts"];
/** What wasm-bindgen writes of an engine for JavaScript, and how an instance gets its own. */
const bindings = ["bindings.js", "bindings.d.ts", "precis.d.ts"];
/** Where the sources look for them. */
const generated = at("js/src/boundary/generated");

export const folderOf = (kind) => join(cache, kind);
export const wasmOf = (kind) => join(folderOf(kind), "precis.wasm");

/** Brings the engine of a kind up to date, and the sources to its bindings. Gives what identifies it. */
export async function buildEngine(kind) {
  const tools = ["js/scripts/engine.mjs", "package-lock.json", ...boundary];
  const sources = files("Cargo.toml", "Cargo.lock", "src", "js/scripts/bindgen", ...tools);
  const key = hash(sources, kind, ask("rustc", "-vV"));
  const folder = folderOf(kind);
  mkdirSync(folder, { recursive: true });
  const made = [wasmOf(kind), ...bindings.map((name) => join(folder, name))];
  await once(`${kind}/engine`, key, made, () => (kind === "fast" ? compileFast(folder) : compileShipped(folder)));
  mkdirSync(generated, { recursive: true });
  for (const name of bindings) replace(join(folder, name), join(generated, name));
  return key;
}

/** Which kind of build a wasm is of. */
export function kindOf(wasm) {
  return stampOf(wasm).startsWith(FAST) ? "fast" : "shipped";
}

/** What the build wrote into a wasm, for its JavaScript to look for. */
export function stampOf(wasm) {
  const [section] = WebAssembly.Module.customSections(new WebAssembly.Module(wasm), "precis");
  return Buffer.from(section).toString();
}

/** No other stamp begins so: those are hexadecimal. */
const FAST = "fast-";

/** Copies a file where another may be, whole at every moment, unless it is there already. */
function replace(from, to) {
  const content = readFileSync(from);
  if (existsSync(to) && readFileSync(to).equals(content)) return;
  writeFileSync(`${to}.made`, content);
  renameSync(`${to}.made`, to);
}

/**
 * How wasm-opt optimizes what is shipped. No feature flags: it reads them from the module, and naming them makes it emit what
 * engines refuse. Below 1,024 lies only the end of the stack: what ran over it would trap. What is large and has one caller
 * stays apart: see docs/speed.md, "What it is compiled for". One pass: run again and again with its control flow rebuilt, it is
 * 0.8 % smaller and takes fifteen times as long.
 */
export const OPTIMIZED = ["--low-memory-unused", "-O3", "-ocimfs", "100"];

/** What traps leaves the pointer of the shadow stack where it was; JavaScript puts it back. */
const exported = "-Clink-arg=--export=__stack_pointer";

async function compileFast(folder) {
  note("compiling the engine, fast …");
  const wasm = await fetched();
  // Flags for the last crate alone: with flags for all of them, nothing would be shared with the tests in wasm.
  const args = ["rustc", "--lib", "--target", wasm, "--crate-type", "cdylib", "--", exported];
  const env = { CARGO_TARGET_DIR: target };
  await compile(args, { wasm, env });
  const compiled = join(target, wasm, "debug", "precis.wasm");
  // What a compilation that was killed left behind does not fail to link here: what is missing becomes an import.
  if (lacksParts(compiled)) {
    note("compiling again, without what earlier compilations left …");
    await must("cargo", ["clean", "--quiet", "-p", "precis", "-p", "precis-messages", "--target", wasm], { env });
    await compile(args, { wasm, env });
  }
  const made = join(folder, "precis.made.wasm");
  cpSync(await bind(compiled, folder), made);
  finish(made, FAST, "fast");
}

async function compileShipped(folder) {
  note("compiling the engine …");
  const wasm = await fetched();
  await must("cargo", ["rustc", "--lib", "--profile", "shipped", "--target", wasm, "--crate-type", "cdylib"], {
    env: { CARGO_ENCODED_RUSTFLAGS: [...anonymous(), exported].join("\x1f"), CARGO_TARGET_DIR: target },
  });
  const bound = await bind(join(target, wasm, "shipped", "precis.wasm"), folder);

  note("optimizing …");
  const made = join(folder, "precis.made.wasm");
  const flags = [...OPTIMIZED, "--strip-producers"];
  const wasmOpt = at("node_modules/binaryen/bin/wasm-opt");
  await must(process.execPath, [wasmOpt, ...flags, bound, "-o", made]);
  for (const path of [root, homedir()]) {
    if (path.length > 1 && readFileSync(made).includes(path)) {
      throw new Error(`the wasm names a folder of this machine: ${path}`);
    }
  }
  finish(made, "", "shipped");
}

/** Whether a compiled engine imports functions that nobody has: all of its own come by wasm-bindgen. */
function lacksParts(wasm) {
  return WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(wasm))).some(({ module }) => module === "env");
}

/** The target, once all crates for it are there. */
async function fetched() {
  const wasm = await wasmTarget();
  await must("cargo", ["fetch", "--target", wasm, ...(ci ? ["--locked"] : [])]);
  return wasm;
}

/** Writes into the wasm which build it is of, and puts it where it is looked for, if it is valid. */
function finish(made, prefix, kind) {
  const build = (prefix + hash([made, ...boundary.map((file) => at(file))])).slice(0, 12);
  // A custom section.
  const content = [...Buffer.from("\x06precis"), ...Buffer.from(build)];
  const bytes = Buffer.concat([readFileSync(made), Buffer.from([0, content.length, ...content])]);
  new WebAssembly.Module(bytes);
  writeFileSync(made, bytes);
  renameSync(made, wasmOf(kind));
}

/** Flags that keep the names of this machine's folders out of the binary. */
function anonymous() {
  const sources = join(process.env.CARGO_HOME ?? join(homedir(), ".cargo"), "registry/src");
  const registries = existsSync(sources) ? readdirSync(sources).map((name) => join(sources, name)) : [];
  return [`--remap-path-prefix=${root}=precis`, ...registries.map((path) => `--remap-path-prefix=${path}=crates`)];
}

/** Writes the bindings of a compiled engine, by the wasm-bindgen of its version. Gives the wasm that belongs to them. */
async function bind(wasm, folder) {
  const bindgen = join(cache, "bindgen");
  const out = join(folder, "bound");
  const manifest = at("js/scripts/bindgen/Cargo.toml");
  await must("cargo", ["run", "--quiet", "--locked", "--manifest-path", manifest, "--", wasm, out], {
    env: { CARGO_TARGET_DIR: bindgen, CARGO_ENCODED_RUSTFLAGS: "" },
  });
  numberImports(out);
  await writeBindings(out, folder);
  return join(out, "precis_bg.wasm");
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
async function writeBindings(from, to) {
  const { default: esbuild } = await import("esbuild");
  const how = { bundle: true, write: false, format: "cjs", target: "es2022", logLevel: "error" };
  const { outputFiles } = await esbuild.build({ ...how, entryPoints: [join(from, "precis.js")] });
  writeFileSync(
    join(to, "bindings.js"),
    `// Written by the build.
export function bind(program, precis) {
  // Nothing of an instance is freed behind our back: one that broke must not be entered again.
  const FinalizationRegistry = undefined;
  // What it does later it does under a frame that catches a trap.
  const queueMicrotask = (work) => globalThis.queueMicrotask(() => precis.later(work));
  // A platform that compiles ahead may do so in another realm, whose modules are no instances of this one's class.
  const WebAssembly = Object.create(globalThis.WebAssembly, { Module: { value: program.constructor } });
  const module = { exports: {} };
${outputFiles[0].text}
  const bindings = module.exports;
  const { memory, __stack_pointer: stack } = bindings.initSync({ module: program });
  return { ...bindings, memory, stack };
}
`,
  );
  cpSync(join(from, "precis.d.ts"), join(to, "precis.d.ts"));
  writeFileSync(
    join(to, "bindings.d.ts"),
    `import type * as Bindings from "./precis.d.ts";
/** An instance of the engine with bindings of its own; \`precis\` is what it tells its loader. */
export function bind(
  program: WebAssembly.Module,
  precis: { panicked(message: string): void; later(work: () => void): void },
): typeof Bindings & { readonly memory: WebAssembly.Memory; readonly stack: WebAssembly.Global<"i32"> };
`,
  );
}
