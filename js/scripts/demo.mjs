// npm run demo: brings pkg/ up to date, then runs js/src/cli/demo.ts on it. Only the demo writes to standard output.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { at, cache, files, hash, main, once, root } from "./common.mjs";

/** Bundles the command line (Node 20 runs no TypeScript) and returns the path of the program. */
export async function commandLine() {
  await build();
  const program = join(cache, "demo.mjs");
  await once("demo", hash(files("js/src/cli", "js/scripts/demo.mjs")), [program], async () => {
    const { default: esbuild } = await import("esbuild");
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: ["js/src/cli/demo.ts"],
      outfile: program,
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      tsconfigRaw: {},
      plugins: [{ name: "precis is pkg/", setup: (build) => build.onResolve({ filter: /^precis(\/|$)/ }, published) }],
      logLevel: "warning",
    });
  });
  return program;
}

function published({ path }) {
  return { path: pathToFileURL(at("pkg", `${path.slice("precis/".length) || "index"}.js`)).href, external: true };
}

main(import.meta.url, async (args) => {
  const program = await commandLine();
  const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: "inherit" });
  process.exitCode = await new Promise((done) => child.on("close", (code) => done(code ?? 1)));
});
