// Pages and their workers in Chromium, plain and from every bundler.
import { posix } from "node:path";
import { known } from "../program.mjs";
import { browse, browseFolder, html, oneEngine, serve, tool, toolFile, version } from "../project.mjs";

const { join } = posix;
const worker = 'import { results } from "./app.mjs";\nresults().then((all) => postMessage(all));\n';

export const pages = [
  {
    name: "`<script type=module>` with an import map",
    version: ({ chromium }) => chromium.version,
    async run({ dir, write }, { chromium }) {
      const imports = Object.fromEntries(
        known.map((path) => [
          join("precis", path),
          `./node_modules/${join("precis", path === "." ? "index" : path)}.js`,
        ]),
      );
      write(
        "index.html",
        html(
          `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="./page.mjs"></script>`,
        ),
      );
      return browseFolder(dir, { chromium: chromium.path });
    },
  },
  {
    name: "esbuild for browsers",
    version: () => version("esbuild"),
    async run({ path, write }, { chromium }) {
      const { build } = await tool("esbuild");
      await build({
        entryPoints: [path("page.mjs")],
        bundle: true,
        format: "iife",
        outfile: path("dist/page.js"),
        logLevel: "error",
      });
      oneEngine(path("dist"));
      write("dist/index.html", html('<script src="./page.js"></script>'));
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  },
  {
    name: "a page that forbids `eval` (CSP with `'wasm-unsafe-eval'`)",
    version: ({ chromium }) => chromium.version,
    async run({ path, write }, { chromium }) {
      const { build } = await tool("esbuild");
      await build({
        entryPoints: [path("page.mjs")],
        bundle: true,
        format: "esm",
        outfile: path("dist/page.js"),
        logLevel: "error",
      });
      write("dist/index.html", html('<script type="module" src="./page.js"></script>'));
      const server = await serve(path("dist"), {
        "content-security-policy": "script-src 'self' 'wasm-unsafe-eval'; default-src 'self' data:",
      });
      try {
        return await browse(server.url, { chromium: chromium.path });
      } finally {
        server.close();
      }
    },
  },
  {
    name: "service worker (esbuild)",
    version: ({ chromium }) => chromium.version,
    async run({ path, write }, { chromium }) {
      const { build } = await tool("esbuild");
      write(
        "worker.mjs",
        'import { results } from "./app.mjs";\nself.addEventListener("message", (event) => event.waitUntil(results().then((all) => event.source.postMessage(all))));\nself.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));\n',
      );
      await build({
        entryPoints: [path("worker.mjs")],
        bundle: true,
        format: "esm",
        outfile: path("dist/worker.js"),
        logLevel: "error",
      });
      write(
        "dist/index.html",
        html(`<script type="module">
        navigator.serviceWorker.addEventListener("message", ({ data }) => { globalThis.RESULT = data; });
        await navigator.serviceWorker.register("./worker.js", { type: "module" });
        const { active } = await navigator.serviceWorker.ready;
        active.postMessage("run");
      </script>`),
      );
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  },
  ...["webpack", "@rspack/core"].map((name) => ({
    name: name === "webpack" ? "webpack" : "Rspack",
    all: name !== "webpack",
    version: () => version(name),
    async run({ dir, path, write }, { chromium }) {
      const bundler = (await tool(name)).default;
      const config = {
        mode: "production",
        context: dir,
        entry: "./page.mjs",
        output: { path: path("dist"), filename: "page.js" },
        performance: { hints: false },
      };
      const stats = await new Promise((done, fail) => {
        const compiler = bundler(config);
        compiler.run((error, result) => compiler.close(() => (error ? fail(error) : done(result))));
      });
      if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString("errors-warnings"));
      oneEngine(path("dist"));
      write("dist/index.html", html('<script src="./page.js"></script>'));
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  })),
  {
    name: "Vite, dev server",
    version: () => version("vite"),
    async run({ dir }, { chromium }) {
      const { createServer } = await tool("vite");
      const server = await createServer({
        root: dir,
        configFile: false,
        logLevel: "error",
        server: { host: "127.0.0.1", port: 0 },
        cacheDir: "cache",
      });
      try {
        await server.listen();
        return await browse(`http://127.0.0.1:${server.httpServer.address().port}/`, { chromium: chromium.path });
      } finally {
        await server.close();
      }
    },
  },
  {
    name: "Vite, build",
    version: () => version("vite"),
    async run({ dir, path }, { chromium }) {
      const { build } = await tool("vite");
      await build({ root: dir, configFile: false, logLevel: "error" });
      oneEngine(path("dist"));
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  },
  {
    name: "module Worker (Vite build)",
    version: () => version("vite"),
    async run({ dir, path, write }, { chromium }) {
      const { build } = await tool("vite");
      write("worker.mjs", worker);
      write(
        "page.mjs",
        'const worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });\nworker.onmessage = ({ data }) => { globalThis.RESULT = data; };\n',
      );
      await build({ root: dir, configFile: false, logLevel: "error", worker: { format: "es" } });
      oneEngine(path("dist"));
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  },
  {
    name: "Parcel",
    all: true,
    version: () => version("parcel"),
    async run({ dir, path }, { chromium }) {
      const { must } = await import("../project.mjs");
      await must(
        process.execPath,
        [
          toolFile("parcel/lib/bin.js"),
          "build",
          "index.html",
          "--no-cache",
          "--no-source-maps",
          "--no-autoinstall",
          "--public-url",
          "./",
          "--dist-dir",
          path("dist"),
        ],
        { cwd: dir },
      );
      oneEngine(path("dist"));
      return browseFolder(path("dist"), { chromium: chromium.path });
    },
  },
];
