// Checks of the sources in TypeScript, of the package, and of what documents show of it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { at, cache, ci, must, packages } from "../common.mjs";
import { buildSite } from "../docs.mjs";
import { release } from "../release.mjs";
import { cleanSnippets, writeSnippets } from "../snippets.mjs";
import { biome, chromium, tsc } from "../tools.mjs";
import { quiet, testPackages, total } from "./common.mjs";

/** Outside CI, files that neither changed nor read what did are not judged again: the compiler keeps what it found. */
export async function types() {
  await packages();
  for (const project of ["tsconfig.json", "js/src/cli/tsconfig.json"]) {
    const kept = join(cache, "types", `${project.replaceAll("/", "-")}.tsbuildinfo`);
    const how = ci ? [] : ["--incremental", "--tsBuildInfoFile", kept];
    await must(tsc[0], [tsc[1], "-p", project, ...how], quiet);
  }
}

export async function lint() {
  await packages();
  await must(biome[0], [biome[1], "ci", "--colors=off", "."], quiet);
}

/** A release up to the point of publishing it, whatever else is being worked on. Counts the files in the tarball. */
export async function rehearse() {
  const { files } = await release({ dryRun: true, allowDirty: true });
  return Object.keys(files).length;
}

/** What users will write, compiled as strictly as they may have set it. Outside CI, projects that would read the same are not. */
export async function programs() {
  await testPackages();
  await packages("tests/js/cloudflare");
  // The build installs these when it bundles the page, which it does not where it was made before.
  await packages("examples/inspector");
  const folders = ["tests/js/programs", "tests/js/programs/v6", "tests/js/programs/v5", "tests/js/programs/node"];
  const examples = ["cloudflare", "browser"].map((name) => `tests/js/examples/tsconfig.${name}.json`);
  try {
    const snippets = writeSnippets();
    // What people copy is written for the newest version of each library.
    const [newest, ...others] = folders;
    const projects = [...others, ...examples, "examples/inspector", "--deprecated", newest, ...snippets];
    const kept = ci ? [] : ["--keep", join(cache, "programs")];
    await must(process.execPath, ["js/scripts/typescript.mjs", ...kept, ...projects], quiet);
    folders.push(...snippets);
    return folders.flatMap((folder) => readdirSync(at(folder))).filter((name) => /\.[cm]?tsx?$/.test(name)).length;
  } finally {
    cleanSnippets();
  }
}

/** Every entry of the package with the least TypeScript that README.md names, and with no library but the language's own. */
export async function leastTypeScript() {
  const folder = "tests/js/programs/least";
  await testPackages();
  await packages(folder);
  const { devDependencies } = JSON.parse(readFileSync(at(folder, "package.json"), "utf8"));
  const version = devDependencies.typescript.split(".").slice(0, 2).join(".");
  if (!readFileSync(at("README.md"), "utf8").includes(`TypeScript ${version} and newer`))
    throw new Error(`README.md does not say that TypeScript ${version} and newer compile the package's types`);
  const least = at(folder, "node_modules/typescript/bin/tsc");
  for (const compiler of [least, tsc[1]]) await must(process.execPath, [compiler, "-p", folder], quiet);
  return 2;
}

/** Builds the site, follows its links and anchors, and has axe look at some pages. Counts links and pages. */
export async function documentationSite() {
  const browser = await chromium();
  if (!browser) return { missing: "apt-get install chromium, or CHROMIUM=/path/to/chromium" };
  await buildSite();
  return total(await must(process.execPath, ["docs/.vitepress/check.mjs", browser], quiet), /^(\d+) (?:links|pages)/gm);
}
