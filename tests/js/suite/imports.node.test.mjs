// Whoever imports only what reads, shows or measures ships no engine: by esbuild and by Rollup, and as docs/size.md says.
import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { bundled, exportedNames, holdsEngine } from "../../../js/scripts/imports.mjs";
import { spread } from "./length.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const names = await exportedNames();

/** What must do without the engine, whatever else changes. */
const LIGHT = {
  precis: ["attributes", "createMeter", "describe", "PrecisError", "recallDefinition", "summaryOf"],
  "precis/ai-sdk": ["compactTool", "compactionOf", "composePrepareSteps", "summarizeWith", "toDataPart"],
  "precis/langchain": ["langchain", "summarizeWith"],
  "precis/tanstack": ["tanstack"],
  "precis/mastra": ["summarizeWith"],
  "precis/pi": ["piFormat", "summarizeWith"],
  "precis/openai-agents": ["openaiAgents", "summarizeWith"],
  "precis/formats": names.find(([from]) => from === "precis/formats")[1],
  "precis/models": ["auto", "limitsOf", "modelsDate"],
  "precis/native": ["anthropicCompaction", "openaiCompaction"],
  "precis/offload": ["offloader", "readResult", "readResultDefinition", "readResultTool"],
  "precis/otel": ["otelEvents", "tracedSummarize"],
  "precis/seal": ["openState", "sealState"],
  "precis/stores": ["fromIndexedDb", "fromRedis", "fromSql", "fromStorage"],
  "precis/testing": ["history", "recorder", "scriptedSummarizer"],
};

/** As Rollup makes it, by the entries that it chooses. */
async function rolled(contents) {
  const resolveId = (id) => {
    if (id === "entry") return id;
    const [, path] = /^precis(?:\/(.+))?$/.exec(id) ?? [];
    if (path !== undefined || id === "precis") return { id: `${pkg}/${path ?? "index"}.js`, moduleSideEffects: false };
    return null;
  };
  const made = await rollup({
    input: "entry",
    plugins: [{ name: "precis", resolveId, load: (id) => (id === "entry" ? contents : null) }],
    onLog() {},
  });
  const { output } = await made.generate({ format: "es" });
  return output.map(({ code }) => code).join("\n");
}

for (const [from, light] of Object.entries(LIGHT))
  test(`what does without the engine does not bring it along: ${from}`, async () => {
    for (const name of spread(light, 1)) {
      const line = `export { ${name} } from "${from}";`;
      const { text, engine } = await bundled(line, here);
      ok(!engine, `${name}, esbuild: ${text.length} bytes`);
      ok(text.length < 45_000, `${name}, esbuild: ${text.length} bytes`);
      ok(!holdsEngine(await rolled(line)), `${name}, Rollup`);
    }
    const all = await bundled(`export { ${light.join(", ")} } from "${from}";`, here);
    ok(!all.engine, "all of them together");
  });

test("a compactor brings the engine, once", async () => {
  const { engine, text } = await bundled('export { createCompactor, load } from "precis";', here);
  ok(engine && text.length > 300_000);
  ok(holdsEngine(await rolled('export { createCompactor } from "precis";')));
});

test("docs/size.md says of every import whether the engine comes with it", async () => {
  const document = readFileSync(new URL("../../../docs/size.md", import.meta.url), "utf8");
  const named = (cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const said = [...document.matchAll(/^\| `(precis[\w/-]*)` \| (.*) \| (.*) \|$/gm)].flatMap(
    ([, from, without, brings]) => [
      ...named(without).map((name) => [from, name, false]),
      ...named(brings).map((name) => [from, name, true]),
    ],
  );
  const why = "npm run size -- --peers writes it again";
  const all = names.flatMap(([from, exported]) => exported.map((name) => [from, name]));
  const sorted = (names) => names.map(([from, name]) => `${from} ${name}`).sort();
  deepEqual(sorted(said), sorted(all), why);
  for (const [from, name, engine] of spread(said, 16))
    deepEqual(
      [from, name, (await bundled(`export { ${name} } from "${from}";`, here)).engine],
      [from, name, engine],
      why,
    );
});
