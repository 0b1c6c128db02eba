// npm run demo: brings pkg/ up to date, then runs its command line. `--matrix` runs the project's own table instead. Only
// they write to standard output.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildAny } from "./build.mjs";
import { at, cache, files, hash, main, once, root } from "./common.mjs";

/** The command line as it is published. */
export async function commandLine() {
  await buildAny();
  return at("pkg/cli.js");
}

/** Bundles a module of js/src/cli, with the package as it would be published, and returns the path of what came of it. */
export async function program(name) {
  await buildAny();
  const made = join(cache, `${name}.mjs`);
  // The place of pkg/ stands in it: a checkout that was moved or copied makes its own.
  await once(name, root + hash(files("js/src/cli", "js/scripts/demo.mjs")), [made], async () => {
    const { default: esbuild } = await import("esbuild");
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: [`js/src/cli/${name}.ts`],
      outfile: made,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      tsconfigRaw: {},
      define: { VERSION: JSON.stringify("from the sources") },
      plugins: [{ name: "precis is pkg/", setup: (build) => build.onResolve({ filter: /^precis(\/|$)/ }, published) }],
      logLevel: "warning",
    });
  });
  return made;
}

function published({ path }) {
  return { path: pathToFileURL(at("pkg", `${path.slice("precis/".length) || "index"}.js`)).href, external: true };
}

main(import.meta.url, async (args) => {
  const isMatrix = args.includes("--matrix");
  const command = isMatrix
    ? [await program("matrix-program"), "matrix", ...args.filter((one) => one !== "--matrix")]
    : [await commandLine(), "demo", ...args];
  const child = spawn(process.execPath, command, { cwd: root, stdio: "inherit" });
  process.exitCode = await new Promise((done) => child.on("close", (code) => done(code ?? 1)));
});
