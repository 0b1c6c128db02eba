// TypeScript → the files of the package: code once for ES modules and once for CommonJS, small entries that say how
// each platform gets the engine, the engine once for reading and once as text, and flat declarations.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import zopfli from "@gfx/zopfli";
import esbuild from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { minify } from "terser";
import { at, cache, files, hash, imported, once, root } from "./common.mjs";
import { kindOf, stampOf } from "./engine.mjs";
import { separate } from "./separate.mjs";

/** The entries of `.`: in which file, by which way of loading. */
const platforms = {
  "index.js": "inline",
  "node.js": "node",
  "disk.js": "disk",
  "index.cjs": "required",
  "workerd.js": "workerd",
  "edge-light.js": "edge-light",
};
/** Stays an import of its own, so that it is installed once. */
const shared = ["./core.js", "./precis.wasm.js", "./precis.wasm", "./precis.wasm?module", "node:*"];

/**
 * Writes `name.js`, `name.cjs`, `name.d.ts` and `name.d.cts` for each entry into `directory`. The first one is `.`: its
 * code is `core.js`, and its entries are made of what that exports. Resolves to the sources of all that was bundled.
 */
export async function bundle([main, ...entries], wasm, directory) {
  const to = (name) => join(directory, name);
  writeFileSync(to("precis.wasm"), wasm);
  writeFileSync(to("precis.wasm.js"), `export default "${await pack(wasm)}";\n`);
  const inlined = { define: { BUILD: JSON.stringify(stampOf(wasm)) }, inject: [at("js/src/boundary/text-codec.ts")] };
  const core = `export * from "${main.source}"; export { loadBy } from "./boundary/engine.ts";`;
  const sources = [await javascript(core, to("core.js"), inlined)];
  const names = await exported(to("core.js"), main.source);
  const bundled = await Promise.all([
    ...Object.entries(platforms).map(([file, load]) => {
      const isModule = file.endsWith(".js");
      const text = entry(
        names,
        isModule ? "./core.js" : main.source,
        isModule ? "./core.js" : "./boundary/engine.ts",
        load,
      );
      return javascript(text, to(file), isModule ? {} : inlined);
    }),
    ...entries.flatMap(({ name, source }) => ["js", "cjs"].map((ending) => subpath(source, to(`${name}.${ending}`)))),
  ]);
  const code = readdirSync(directory).filter((name) => /\.c?js$/.test(name) && name !== "precis.wasm.js");
  // What only tests use need not be short.
  await Promise.all(code.map((name) => finish(to(name), kindOf(wasm) === "fast" ? async (text) => text : shortened)));
  await declarations([main, ...entries], directory);
  return [...sources, ...bundled].flat().filter(Boolean);
}

/** What `unpack.ts` reads. Zopfli's DEFLATE is 6 % shorter than that of zlib, for seconds of work. */
async function pack(wasm) {
  const parts = separate(wasm);
  const deflated =
    kindOf(wasm) === "fast"
      ? deflateRawSync(parts)
      : await zopfli.deflateAsync(parts, { numiterations: 15, blocksplittingmax: 60 });
  return `${parts.length}:${Buffer.from(deflated).toString("base64")}`;
}

/** The names that `.` exports, those that reach the engine apart. */
async function exported(file, source) {
  const { loadBy, ...members } = await import(`${pathToFileURL(file)}?${Date.now()}`);
  const names = Object.keys(members);
  const reach = await Promise.all(names.map((name) => reachesEngine(name, source)));
  return { functions: names.filter((_, at) => reach[at]), others: names.filter((_, at) => !reach[at]) };
}

/** Whether anything of the engine's bindings is left of a program that imports one name. */
async function reachesEngine(name, source) {
  const { metafile } = await esbuild.build({
    ...options("one.js", shared),
    stdin: { contents: `export { ${name} } from "${source}";`, resolveDir: at("js/src"), loader: "js" },
    define: { BUILD: '""' },
    write: false,
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.entries(inputs).some(([path, { bytesInOutput }]) => bytesInOutput > 0 && /bindings\.js$/.test(path));
}

/**
 * An entry's source: every function that reaches the engine says first how this platform loads it, all else is handed on. There is no
 * statement with an effect, so bundlers may leave out what nobody uses.
 */
function entry({ functions, others }, code, engine, load) {
  return [
    `import { ${functions.map((name) => `${name} as _${name}`).join(", ")} } from "${code}";`,
    `import { loadBy } from "${engine}";`,
    `import { ways } from "./load/${load}.ts";`,
    ...functions.map((name) => `export function ${name}(...args) { loadBy(ways); return _${name}(...args); }`),
    `export { ${others.join(", ")} } from "${code}";`,
  ].join("\n");
}

/** Resolves to the names of its sources. */
async function javascript(contents, outfile, more) {
  const { metafile } = await esbuild.build({
    ...options(outfile, shared),
    stdin: { contents, resolveDir: at("js/src"), loader: "js" },
    ...more,
  });
  return Object.keys(metafile.inputs);
}

/** Resolves to the names of its sources. */
async function subpath(source, outfile) {
  const { metafile } = await esbuild.build({ ...options(outfile, ["precis"]), entryPoints: [source] });
  const inputs = Object.keys(metafile.inputs);
  if (inputs.some((input) => input.endsWith("js/src/boundary/engine.ts"))) {
    throw new Error(`${outfile} holds a second engine: its sources must import "precis", not a file of the engine`);
  }
  return inputs;
}

/** Rewrites a file. Bundlers follow `require` by its name, so esbuild, which would have replaced it, sees it under another. */
async function finish(file, rewritten) {
  const code = await rewritten(readFileSync(file, "utf8"), file.endsWith(".js"));
  writeFileSync(file, code.replaceAll("bundledRequire", "require"));
}

/** Terser takes out 3 to 4 % of what esbuild leaves. */
async function shortened(bundled, module) {
  // Dead code by which Node reads what a CommonJS file exports.
  const [names = ""] = bundled.match(/0&&\(module\.exports=\{.*?\}\);/) ?? [];
  const { code } = await minify(bundled, {
    module,
    toplevel: true,
    ecma: 2020,
    compress: { passes: 3, ecma: 2020, unsafe_arrows: true },
    // Node prints the whole line where an uncaught error was thrown.
    // What is marked as pure is left out by whoever bundles a program that does not use it.
    format: { ecma: 2020, max_line_len: 1000, preserve_annotations: true },
  });
  return `${code}${names}\n`;
}

function options(outfile, external) {
  const isModule = outfile.endsWith(".js");
  return {
    absWorkingDir: root,
    outfile,
    format: isModule ? "esm" : "cjs",
    bundle: true,
    platform: isModule ? "neutral" : "node",
    mainFields: ["module"],
    target: "es2022",
    minifySyntax: true,
    minifyIdentifiers: true,
    // Node prints the whole line where an uncaught error was thrown.
    lineLimit: 1000,
    external,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    metafile: true,
    logLevel: "warning",
  };
}

/** They depend on the TypeScript alone, and take longer than all else: they are made again only if that changed. */
async function declarations(entries, directory) {
  const made = join(cache, "declarations");
  const key = hash(
    [...files("js/src", "tsconfig.json", "package-lock.json"), ...imported("js/scripts/bundle.mjs")],
    JSON.stringify(entries),
  );
  await once("declarations", key, [made], async () => {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { recursive: true });
    await Promise.all(entries.map((one) => declare(one, made)));
  });
  cpSync(made, directory, { recursive: true });
}

/** Written once, for CommonJS; an ES module has the same types, and so do programs that use both. */
async function declare({ name, source }, directory) {
  const bundled = await rollup({
    input: source,
    external: name === "index" ? [] : ["precis"],
    plugins: [dts({ tsconfig: at("tsconfig.json"), compilerOptions: { paths: {} } })],
  });
  const { output } = await bundled.generate({ format: "es" });
  writeFileSync(join(directory, `${name}.d.cts`), output[0].code);
  writeFileSync(join(directory, `${name}.d.ts`), `export * from "./${name}.cjs";\n`);
}
