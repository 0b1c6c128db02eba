// Code blocks of documents that are compiled: each is a module of its own beside what it uses and does not declare.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { at } from "./common.mjs";

const document = "docs/ai-sdk.md";
const folder = "tests/js/programs/snippets";
/** Written, and not kept. */
const written = /^block-\d+\.ts$/;

/** Writes the ```ts blocks for the compiler: the folder of a project. `clean` takes them away. */
export function writeSnippets() {
  cleanSnippets();
  const blocks = [...readFileSync(at(document), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)];
  if (blocks.length === 0) throw new Error(`${document} has no blocks of TypeScript.`);
  for (const [index, [, code]] of blocks.entries())
    writeFileSync(at(folder, `block-${index + 1}.ts`), `${code}\nexport {};\n`);
  return folder;
}

export function cleanSnippets() {
  for (const name of readdirSync(at(folder))) if (written.test(name)) rmSync(at(folder, name));
}
