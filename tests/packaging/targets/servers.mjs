// Programs without a page: Node, Deno, Bun, and what esbuild, Rollup and others make for Node.

import { ask } from "../../../js/scripts/common.mjs";
import { node } from "../../../js/scripts/tools.mjs";
import { must, oneEngine, printed, tool, toolFile, version } from "../project.mjs";

const deno = () =>
  toolFile("@deno", `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`, "deno");
const bun = () => toolFile("@oven", `bun-${process.platform}-${process.arch}`, "bin", "bun");

export const servers = [
  ...[20, 22, 24].flatMap((major) => [
    {
      name: `Node ${major}, import`,
      version: async () => ask(await node(major), "--version").slice(1),
      run: async ({ dir }) => printed(await node(major), ["print.mjs"], dir),
    },
    {
      name: `Node ${major}, require`,
      version: async () => ask(await node(major), "--version").slice(1),
      run: async ({ dir }) => printed(await node(major), ["print.cjs"], dir),
    },
  ]),
  {
    name: "Deno, no permissions",
    version: () => version("deno"),
    run: ({ dir }) =>
      printed(deno(), ["run", "--no-prompt", "--node-modules-dir=manual", "print.mjs"], dir, {
        DENO_NO_UPDATE_CHECK: "1",
      }),
  },
  { name: "Bun, import", version: () => version("bun"), run: ({ dir }) => printed(bun(), ["print.mjs"], dir) },
  { name: "Bun, require", version: () => version("bun"), run: ({ dir }) => printed(bun(), ["print.cjs"], dir) },
  {
    name: "bun build --compile",
    all: true,
    version: () => version("bun"),
    async run({ dir, path }) {
      await must(bun(), ["build", "--compile", "print.mjs", "--outfile", "alone/program"], { cwd: dir });
      return printed(path("alone/program"), [], path("alone"));
    },
  },
  ...["esm", "cjs"].map((format) => ({
    name: `esbuild for Node, ${format === "esm" ? "ES module" : "CommonJS"}`,
    version: () => version("esbuild"),
    async run({ path }) {
      const { build } = await tool("esbuild");
      const ending = format === "esm" ? "mjs" : "cjs";
      const outfile = path(`alone/print.${ending}`);
      await build({
        entryPoints: [path(`print.${ending}`)],
        bundle: true,
        platform: "node",
        format,
        outfile,
        logLevel: "error",
      });
      oneEngine(path("alone"));
      return printed(process.execPath, [outfile], path("alone"));
    },
  })),
  ...["rollup", "rolldown"].map((name) => ({
    name: `${name === "rollup" ? "Rollup" : "Rolldown"} for Node`,
    all: true,
    version: () => version(name),
    async run({ path }) {
      const bundler = await tool(name);
      const plugins = name === "rollup" ? [(await tool("@rollup/plugin-node-resolve")).default()] : [];
      const bundle = await bundler[name]({
        input: path("print.mjs"),
        plugins,
        onwarn: (warning) => {
          throw new Error(warning.message);
        },
      });
      await bundle.write({ file: path("alone/print.mjs"), format: "es" });
      oneEngine(path("alone"));
      return printed(process.execPath, [path("alone/print.mjs")], path("alone"));
    },
  })),
  ...["node", "jsdom"].map((environment) => ({
    name: `Jest, ${environment}`,
    all: true,
    // What it seals with is `crypto.subtle`, which jsdom does not have.
    lacks: environment === "jsdom" ? ["./seal"] : [],
    version: () => version("jest"),
    async run({ dir, write, path }) {
      write("package.json", '{ "private": true }');
      write(
        "one.test.js",
        'const { writeFileSync } = require("fs");\ntest("runs", async () => writeFileSync("said.json", JSON.stringify(await require("./app.cjs").results())));\n',
      );
      const env = environment === "jsdom" ? toolFile("jest-environment-jsdom") : "node";
      await must(
        process.execPath,
        [toolFile("jest/bin/jest.js"), `--env=${env}`, "--rootDir", dir, "--watchman=false"],
        { cwd: dir },
      );
      const { readFileSync } = await import("node:fs");
      return JSON.parse(readFileSync(path("said.json"), "utf8"));
    },
  })),
];
