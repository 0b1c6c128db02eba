// npm run docs: the site of docs/, static, into docs/.vitepress/dist, with the API reference made of the types. `-- --dev`
// serves it and follows changes, `-- --preview` serves what was built.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { at, main, must, packages } from "./common.mjs";

const quiet = { quiet: true };
const program = (name, path) => at("docs/node_modules", name, path);
const vitepress = program("vitepress", "bin/vitepress.js");
const typedoc = program("typedoc", "bin/typedoc");

/** Where the built site is. */
export const site = at("docs/.vitepress/dist");

/** Builds the site. A dead link fails, but for the anchors: `docs/.vitepress/check.mjs` follows those. */
export async function buildSite(options = quiet) {
  await prepare();
  await must(process.execPath, [vitepress, "build", "docs"], options);
  return site;
}

/** What a build and the server need: the programs, and the pages of the reference. */
async function prepare() {
  await packages("docs");
  rmSync(at("docs/api"), { recursive: true, force: true });
  await must(process.execPath, [typedoc, "--options", "docs/typedoc.json"], quiet);
}

main(import.meta.url, async (args) => {
  const serves = args.find((one) => one === "--dev" || one === "--preview");
  if (!serves) {
    console.log(await buildSite({}));
    return;
  }
  if (serves === "--dev") await prepare();
  const rest = args.filter((one) => one !== serves);
  const child = spawn(process.execPath, [vitepress, serves.slice(2), "docs", ...rest], { cwd: at(), stdio: "inherit" });
  process.exitCode = await new Promise((done) => child.on("close", (code) => done(code ?? 1)));
});
