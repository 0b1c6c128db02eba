// TypeScript → the files of the package: one bundle for each entry and platform, and flat declarations.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import esbuild from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { at, root } from "./common.mjs";

/** Writes `name.js`, `name.cjs`, `name.d.ts` and `name.d.cts` for each entry, and the workers' forms of the first. */
export async function bundle(entries, directory) {
  await Promise.all([
    ...entries.flatMap((entry) => [
      javascript(entry, join(directory, `${entry.name}.js`), "esm"),
      javascript(entry, join(directory, `${entry.name}.cjs`), "cjs"),
      declarations(entry, directory),
    ]),
    ...["workerd", "edge-light"].map((load) => javascript(entries[0], join(directory, `${load}.js`), "esm", load)),
  ]);
}

async function javascript({ name, source }, outfile, format, load = "inline") {
  const engine = name === "index";
  const { metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [source],
    outfile,
    format,
    bundle: true,
    platform: format === "cjs" ? "node" : "neutral",
    target: "es2022",
    // Names are kept: stack traces stay readable, and compressed it makes no difference.
    minifySyntax: true,
    minifyWhitespace: true,
    alias: { "#wasm": at(`js/src/load/${load}.ts`) },
    external: engine ? ["./precis.wasm", "./precis.wasm?module"] : ["precis"],
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    loader: { ".wasm": "base64" },
    metafile: true,
    logLevel: "warning",
  });
  if (!engine && Object.keys(metafile.inputs).some((input) => input.includes("/glue/"))) {
    throw new Error(`${name} holds a second engine: its sources must import "precis", not a file of the engine`);
  }
}

async function declarations({ name, source }, directory) {
  const bundled = await rollup({
    input: source,
    external: name === "index" ? [] : ["precis"],
    plugins: [dts({ tsconfig: at("tsconfig.json"), compilerOptions: { paths: {} } })],
  });
  const { output } = await bundled.generate({ format: "es" });
  for (const ending of ["ts", "cts"]) writeFileSync(join(directory, `${name}.d.${ending}`), output[0].code);
}
