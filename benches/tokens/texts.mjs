// Texts to measure estimators on: lists of {cls, text}, or transcripts in any form the command line reads.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { at, must, packages } from "../../js/scripts/common.mjs";

/** All texts of the files. Of a transcript: each text, call and result of each message, classed by what it is. */
export async function textsOf(files) {
  const found = [];
  const transcripts = [];
  for (const file of files) {
    const list = listOf(file);
    if (list) found.push(...list);
    else transcripts.push(file);
  }
  if (transcripts.length > 0) found.push(...(await readTranscripts(transcripts)));
  return found;
}

/** A list of {cls, text}, or null. A text may be given with how often it is repeated, `times`. */
function listOf(file) {
  try {
    const value = JSON.parse(readFileSync(file, "utf8"));
    if (!Array.isArray(value) || value.length === 0) return null;
    if (!value.every((item) => typeof item?.cls === "string" && typeof item.text === "string")) return null;
    return value.map(({ cls, text, times = 1 }) => ({ cls, text: text.repeat(times) }));
  } catch {
    return null;
  }
}

async function readTranscripts(files) {
  await packages();
  await must(process.execPath, [at("js/scripts/build.mjs")], { quiet: true });
  const { default: esbuild } = await import("esbuild");
  const resolved = ({ path }) => ({
    path: pathToFileURL(at("pkg", `${path.slice("precis/".length) || "index"}.js`)).href,
    external: true,
  });
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `export { load } from "./files.ts";`, resolveDir: at("js/src/cli") },
    ...{ bundle: true, platform: "node", format: "esm", target: "node20", write: false, tsconfigRaw: {} },
    plugins: [{ name: "precis is pkg/", setup: (build) => build.onResolve({ filter: /^precis(\/|$)/ }, resolved) }],
  });
  const { load } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
  const texts = [];
  for (const { shape, format, messages } of load(files, () => {}, true)) {
    for (const message of messages) {
      let role = "user";
      const take = (kind, value) => {
        const text = typeof value === "string" ? value : JSON.stringify(value);
        if (text) texts.push({ cls: `${shape}: ${kind}`, text });
      };
      const listener = {
        role: (given) => {
          role = given;
        },
        text: (_, text) => take(role, text),
        reasoning: (text) => take("reasoning", text),
        call: (_id, _name, input) => take("call", input),
        result: (_part, _id, output) => take("result", output),
      };
      format.read(message, new Proxy(listener, { get: (known, name) => known[name] ?? (() => {}) }));
    }
  }
  return texts;
}
