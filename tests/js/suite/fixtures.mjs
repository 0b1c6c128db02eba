// The recorded conversations of tests/fixtures, read as the demo reads them. For Node.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import * as formats from "precis/formats";

const root = new URL("../../../", import.meta.url);

/** All conversations, each with the format that the suite was given. */
export async function conversations() {
  const { outputFiles } = await build({
    stdin: { contents: `export { load } from "./files.ts";`, resolveDir: fileURLToPath(new URL("js/src/cli", root)) },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    write: false,
    tsconfigRaw: {},
    plugins: [{ name: "precis is pkg/", setup: (build) => build.onResolve({ filter: /^precis(\/|$)/ }, published) }],
  });
  const { load } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);
  const folder = fileURLToPath(new URL("tests/fixtures", root));
  // Payloads are single requests as providers answered them, with each API's faults and newest parts: payloads.node.test.mjs.
  const found = load([folder], () => {}).filter(({ file }) => !file.includes("payloads"));
  const known = new Map(Object.values(formats).map((format) => [format.name, format]));
  return found.map((one) => ({
    ...one,
    title: [...new Set([one.file, one.name])].join(", ").replaceAll(`${folder}/`, ""),
    format: known.get(one.format.name) ?? one.format,
  }));
}

function published({ path }) {
  return { path: new URL(`pkg/${path.slice("precis/".length) || "index"}.js`, root).href, external: true };
}
