// Code blocks of documents that are compiled: each is a module of its own beside what it uses and does not declare. A block
// that must not compile says so: `// @ts-expect-error` above the line.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { at, files, root } from "./common.mjs";

const place = "tests/js/programs/snippets";
/** Each a project with the stand-ins that its documents need. */
const folders = {
  ...{ core: `${place}/core`, sdk: place, workers: `${place}/workers` },
  ...{ frameworks: `${place}/frameworks`, browsers: `${place}/browsers` },
  // Beside packages that are for Workers alone.
  agents: "tests/js/cloudflare/snippets",
};
/** The documents that speak of the AI SDK, of Workers, or of pages. */
const homes = {
  "docs/ai-sdk.md": folders.sdk,
  "docs/browsers.md": folders.browsers,
  "docs/frameworks.md": folders.frameworks,
  "docs/nextjs.md": folders.sdk,
  "docs/streaming.md": folders.sdk,
  "docs/start.md": folders.sdk,
  "docs/migrating.md": folders.sdk,
  "docs/workers.md": folders.workers,
};
/** Written, and not kept. */
const written = /^block-.*\.tsx?$/;

/** The documents whose blocks are compiled or run. */
export function documents() {
  const pages = files("docs").filter((path) => path.endsWith(".md") && !path.startsWith(at("docs/api/")));
  return ["README.md", ...pages.map((path) => relative(root, path))];
}

/** Writes the blocks of TypeScript for the compiler. Gives the folders of the projects. `clean` takes them away. */
export function writeSnippets() {
  cleanSnippets();
  for (const home of Object.keys(homes)) if (!existsSync(at(home))) throw new Error(`${home} is not there any more.`);
  for (const document of documents()) {
    const blocks = readFileSync(at(document), "utf8").matchAll(/^```(tsx?)\n(.*?)^```$/gms);
    const name = document.replace(/\.md$/, "").replaceAll(/\W+/g, "-");
    for (const [index, [, language, code]] of [...blocks].entries())
      writeFileSync(at(home(document, code), `block-${name}-${index + 1}.${language}`), `${code}\nexport {};\n`);
  }
  return Object.values(folders);
}

function home(document, code) {
  if (/from "@cloudflare\//.test(code)) return folders.agents;
  return homes[document] ?? (/from "(ai|precis\/ai-sdk)"/.test(code) ? folders.sdk : folders.core);
}

export function cleanSnippets() {
  for (const folder of Object.values(folders))
    for (const name of readdirSync(at(folder))) if (written.test(name)) rmSync(at(folder, name));
}
