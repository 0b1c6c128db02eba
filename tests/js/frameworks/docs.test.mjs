// The programs of docs/frameworks.md, run as they stand there, with a server in place of the provider's.
import { equal, ok } from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pid } from "node:process";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import esbuild from "esbuild";
import { agentOf } from "./cloudflare.mjs";
import { holds, REQUEST } from "./scenario.mjs";
import { standIns } from "./stand-ins.mjs";

const tests = fileURLToPath(new URL("..", import.meta.url));
const made = join(tests, "node_modules/.programs");
mkdirSync(made, { recursive: true });
const page = readFileSync(join(tests, "../../docs/frameworks.md"), "utf8");
const programs = [...page.matchAll(/^```(ts|js)\n(.*?)^```$/gms)].map(([, , code]) => code);
// Those of Workers are run by cloudflare.test.mjs.
const blocks = programs.filter((code) => !agentOf(code));
const frameworkOf = (code) => /from "precis\/([\w-]+)"/.exec(code)?.[1];

/** Runs a program with what it does not declare, as a process that has just begun; gives what it said on the console. */
async function run(code, given, number) {
  const outfile = join(made, `frameworks-${pid}-${number}.mjs`);
  globalThis.standIns ??= {};
  const said = [];
  globalThis.standIns[outfile] = { ...given, console: { ...console, log: (...words) => said.push(words.join(" ")) } };
  const { outputFiles } = await esbuild.build({
    stdin: { contents: code, loader: "ts", resolveDir: made },
    ...{ bundle: true, packages: "external", format: "esm", target: "es2022", write: false },
  });
  const banner = `const { ${Object.keys(globalThis.standIns[outfile]).join(", ")} } = globalThis.standIns[${JSON.stringify(outfile)}];\n`;
  writeFileSync(outfile, banner + outputFiles[0].text);
  await import(pathToFileURL(outfile));
  return said;
}

ok(blocks.length > 0);
for (const [number, code] of blocks.entries()) {
  const name = frameworkOf(code);
  test(`program ${number + 1} of docs/frameworks.md, ${name}`, async () => {
    const make = standIns[name];
    ok(make, `no stand-ins for ${name}`);
    const { served, steps, window, ...given } = make();
    const said = await run(code, { question: REQUEST, ...given }, number);
    const { peak } = holds(served, { requests: steps, window: window ?? 200_000 });
    ok(peak > 50_000, `the chat came nowhere near its window: ${peak}`);
    if (code.includes("console.log")) equal(said.length, code.match(/console\.log/g).length);
  });
}
