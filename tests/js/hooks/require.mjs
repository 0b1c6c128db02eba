// `node --import ./tests/js/hooks/require.mjs`: every `import … from "precis"` gets what `require("precis")` gives, so
// that the same suite tests the CommonJS files.
import { createRequire, register } from "node:module";

const scheme = "required:";

if (!import.meta.url.includes("?hooks")) register(`${import.meta.url}?hooks`);

export async function resolve(specifier, context, next) {
  if (!/^precis(\/|$)/.test(specifier)) return next(specifier, context);
  return { url: scheme + specifier, format: "module", shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.startsWith(scheme)) return next(url, context);
  const specifier = url.slice(scheme.length);
  const require = createRequire(new URL("../package.json", import.meta.url));
  const names = Object.keys(require(specifier)).filter((name) => name !== "default");
  const source = `
    import { createRequire } from "node:module";
    const required = createRequire(${JSON.stringify(new URL("../package.json", import.meta.url).href)})("${specifier}");
    export const { ${names.join(", ")} } = required;`;
  return { format: "module", source, shortCircuit: true };
}
