// The rules of js/src/providers, which the command line has too, for whoever runs in Node.
import { buildSync } from "esbuild";
import { at } from "../../js/scripts/common.mjs";

const { outputFiles } = buildSync({
  entryPoints: [at("js/src/providers/index.ts")],
  bundle: true,
  write: false,
  format: "esm",
  target: "node20",
  tsconfigRaw: {},
  logLevel: "error",
});
const [{ contents }] = outputFiles;

export const rules = await import(`data:text/javascript;base64,${Buffer.from(contents).toString("base64")}`);
export const provider = (name) => rules.providers.find((one) => one.name === name);
