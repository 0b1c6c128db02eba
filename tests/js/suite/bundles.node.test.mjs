// What a program does not import is not in its bundle: one format brings none of the others, and no engine.
import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";
import * as formats from "precis/formats";

const resolveDir = fileURLToPath(new URL(".", import.meta.url));

async function bundled(contents, ...external) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir },
    // As users have it: not by the paths of this workspace.
    tsconfigRaw: {},
    ...{ bundle: true, write: false, minify: true, format: "esm", platform: "browser", logLevel: "error", external },
  });
  return outputFiles[0].text;
}

const all = Object.entries(formats).filter(([, format]) => format.name);
const namesIn = (code) =>
  all.flatMap(([, { name }]) => (new RegExp(`name:\\s*["'\`]${name}["'\`]`).test(code) ? name : [])).sort();
const whole = await bundled(`export * from "precis/formats";`);

test("all formats are in the bundle of whoever imports all", () => {
  ok(all.length >= 6);
  deepEqual(namesIn(whole), all.map(([, { name }]) => name).sort());
});

for (const [exported, { name }] of all)
  test(`a bundle with ${exported} holds no other format`, async () => {
    const code = await bundled(`import { ${exported} } from "precis/formats"; console.log(${exported});`);
    deepEqual(namesIn(code), [name]);
    ok(code.length < whole.length / 2, `${code.length} of ${whole.length} characters`);
  });

test("a bundle that uses nothing of what it imports holds nothing of it", async () => {
  for (const from of ["precis", "precis/formats", "precis/ai-sdk", "precis/testing"])
    equal((await bundled(`import "${from}";`)).trim(), "", from);
});

test("the adapter for the AI SDK brings its own format alone, and nothing of the SDK", async () => {
  // By its file: what is called `precis` is left out together with all below it.
  const code = await bundled(`export { compaction } from "../../../pkg/ai-sdk.js";`, "precis");
  deepEqual(namesIn(code), ["ai-sdk"]);
  deepEqual(new Set([...code.matchAll(/from\s*["'`]([^"'`]+)/g)].map(([, from]) => from)), new Set(["precis"]));
});
