// Platforms that compile WebAssembly when they deploy and never afterwards.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../js/scripts/common.mjs";
import { node } from "../../../js/scripts/tools.mjs";
import { configure } from "../../../js/scripts/workerd.mjs";
import { browse, during, json, must, tool, toolFile, version } from "../project.mjs";

/** Before workerd let anything be compiled while a Worker starts. */
const compatibilityDate = "2024-09-23";

/** Runs a built Worker in workerd and asks it. */
async function inWorkerd(folder, main) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|wasm)$/.test(name) && name !== main);
  const socket = `127.0.0.1:${await freePort()}`;
  configure(folder, socket, compatibilityDate, [main, ...names]);
  const ready = /^/; // It says nothing when it listens, so it is asked until it answers.
  return during(workerd(), ["serve", "config.capnp"], { cwd: folder, ready }, () => json(`http://${socket}/`));
}

const workerd = () =>
  toolFile(
    "@cloudflare",
    `workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}`,
    "bin",
    "workerd",
  );
const wrangler = { WRANGLER_SEND_METRICS: "false", CI: "true" };

/** With webpack, Next.js 16.4 fails to build any route handler for the edge, even one that imports nothing. */
const edgePlace = (bundler) => (bundler === "webpack" ? "edge page" : "edge route");

/** What a page says in its text. */
async function said(url) {
  const text = await (await fetch(url)).text();
  const [, found] = text.match(/SAID(.*?)END/) ?? [];
  if (!found) throw new Error(`${url} said ${text.slice(0, 2000)}`);
  return JSON.parse(decodeURIComponent(found));
}

export const edges = [
  {
    name: "Cloudflare Workers (wrangler, workerd)",
    version: () => version("wrangler"),
    async run({ dir, path, write }) {
      write(
        "wrangler.json",
        JSON.stringify({ name: "user", main: "fetch.mjs", compatibility_date: compatibilityDate }),
      );
      const args = [toolFile("wrangler/bin/wrangler.js"), "deploy", "--dry-run", "--outdir", path("dist")];
      await must(await node(22), args, { cwd: dir, env: wrangler });
      return inWorkerd(path("dist"), "fetch.js");
    },
  },
  {
    name: "`@cloudflare/vite-plugin`, build",
    version: () => version("@cloudflare/vite-plugin"),
    async run({ dir, path, write }) {
      write(
        "wrangler.json",
        JSON.stringify({ name: "user", main: "fetch.mjs", compatibility_date: compatibilityDate }),
      );
      const { cloudflare } = await tool("@cloudflare/vite-plugin");
      rmSync(path("index.html"));
      const builder = await (await tool("vite")).createBuilder({
        root: dir,
        configFile: false,
        logLevel: "error",
        plugins: [cloudflare({ configPath: path("wrangler.json") })],
      });
      await builder.buildApp();
      const made = readdirSync(path("dist")).find((name) =>
        readdirSync(path(`dist/${name}`)).includes("wrangler.json"),
      );
      const { main } = JSON.parse(readFileSync(path(`dist/${made}/wrangler.json`), "utf8"));
      return inWorkerd(path(`dist/${made}`), main);
    },
  },
  {
    name: "`@cloudflare/vite-plugin`, dev server",
    version: () => version("@cloudflare/vite-plugin"),
    async run({ dir, path, write }) {
      write(
        "wrangler.json",
        JSON.stringify({ name: "user", main: "fetch.mjs", compatibility_date: compatibilityDate }),
      );
      const { createServer } = await tool("vite");
      const { cloudflare } = await tool("@cloudflare/vite-plugin");
      rmSync(path("index.html"));
      const plugins = [cloudflare({ configPath: path("wrangler.json"), inspectorPort: false })];
      const server = await createServer({
        root: dir,
        configFile: false,
        logLevel: "error",
        plugins,
        server: { host: "127.0.0.1", port: 0 },
      });
      try {
        await server.listen();
        return await json(`http://127.0.0.1:${server.httpServer.address().port}/`);
      } finally {
        await server.close();
      }
    },
  },
  {
    name: "`@edge-runtime/vm`, code generation off",
    version: () => version("@edge-runtime/vm"),
    async run({ path }) {
      const { build } = await tool("esbuild");
      const { EdgeVM } = await tool("@edge-runtime/vm");
      const precompiled = {
        name: "as the platform does",
        setup(build) {
          build.onResolve({ filter: /\.wasm\?module$/ }, () => ({ path: "module", namespace: "precompiled" }));
          build.onLoad({ filter: /.*/, namespace: "precompiled" }, () => ({
            contents: "export default globalThis.precompiled",
          }));
        },
      };
      const { outputFiles } = await build({
        entryPoints: [path("page.mjs")],
        bundle: true,
        format: "iife",
        conditions: ["edge-light"],
        plugins: [precompiled],
        write: false,
        logLevel: "error",
      });
      const module = await WebAssembly.compile(readFileSync(path("node_modules/precis/precis.wasm")));
      const vm = new EdgeVM({
        codeGeneration: { strings: false, wasm: false },
        extend: (context) => Object.assign(context, { precompiled: module }),
      });
      vm.evaluate(outputFiles[0].text);
      for (let left = 100; left > 0; left--) {
        const said = vm.evaluate("globalThis.RESULT && JSON.stringify(globalThis.RESULT)");
        if (said) return JSON.parse(said);
        await new Promise((next) => setTimeout(next, 50));
      }
      throw new Error("nothing came of it");
    },
  },
  ...["Turbopack", "webpack"].map((bundler) => ({
    name: `Next.js, ${bundler}`,
    rows: ["server route", edgePlace(bundler), "client component"].map((place) => `Next.js with ${bundler}, ${place}`),
    version: () => version("next"),
    async run({ dir, path, write }, { chromium }) {
      // A tsconfig.json would make Next install TypeScript.
      rmSync(path("tsconfig.json"));
      write("jsconfig.json", "{}");
      const route = (more) =>
        `import { results } from "../../../app.mjs";\nexport const dynamic = "force-dynamic";\n${more}export async function GET() { return Response.json(await results()); }\n`;
      write("app/api/server/route.js", route(""));
      if (bundler === "webpack")
        write(
          "app/edge/page.js",
          'import { results } from "../../app.mjs";\nexport const runtime = "edge";\nexport const dynamic = "force-dynamic";\nexport default async function Page() { return <p>{`SAID${encodeURIComponent(JSON.stringify(await results()))}END`}</p>; }\n',
        );
      else write("app/api/edge/route.js", route('export const runtime = "edge";\n'));
      write("app/layout.js", "export default ({ children }) => <html><body>{children}</body></html>;\n");
      write(
        "app/page.js",
        `"use client";
import { useEffect } from "react";
import { results } from "../app.mjs";
export default function Page() {
  useEffect(() => { results().then((all) => { globalThis.RESULT = all; }); }, []);
  return <p>{typeof results}</p>;
}\n`,
      );
      write(
        "next.config.mjs",
        `export default { turbopack: { root: ${JSON.stringify(join(dir, "../../../.."))} }, outputFileTracingRoot: ${JSON.stringify(join(dir, "../../../.."))} };\n`,
      );
      const env = { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
      const next = toolFile("next/dist/bin/next");
      await must(process.execPath, [next, "build", bundler === "webpack" ? "--webpack" : "--turbopack"], {
        cwd: dir,
        env,
      });
      const args = [next, "start", "-H", "127.0.0.1", "-p", String(await freePort())];
      return during(process.execPath, args, { cwd: dir, env, ready: /http:\/\/127\.0\.0\.1:\d+/ }, async (url) => [
        await json(`${url}/api/server`),
        bundler === "webpack" ? await said(`${url}/edge`) : await json(`${url}/api/edge`),
        await browse(url, { chromium: chromium.path }),
      ]);
    },
  })),
];
