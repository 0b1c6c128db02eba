// Projects of a user: an empty folder, the packed tarball installed, one program. And what running one takes.
import { spawn } from "node:child_process";
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { at, end, must as mustEnd } from "../../js/scripts/common.mjs";
import { program } from "./program.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
export const projects = join(here, "projects");
/** What one program may take, in milliseconds: Next.js builds for half a minute where nothing else runs. */
const patience = 180_000;

/** Runs a program that must succeed, quietly and in time. */
export const must = (command, args, options) => mustEnd(command, args, { quiet: true, timeout: patience, ...options });

/** Installs the tarball into an empty project and writes the program into it, as both kinds of module. */
export async function project(name, tarball, subpaths) {
  const dir = join(projects, name.toLowerCase().replace(/[^a-z0-9]+/g, "-"));
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const write = (file, text) => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text);
    return join(dir, file);
  };
  write("package.json", JSON.stringify({ name: "user", private: true, type: "module" }));
  // Without it, some would go up to the one of this repository, which says where precis has its sources.
  write("tsconfig.json", "{}");
  await must("npm", ["install", "--ignore-scripts", "--offline", "--no-audit", "--no-fund", tarball], {
    cwd: dir,
  });
  write("app.mjs", program(subpaths));
  write("app.cjs", program(subpaths, "require"));
  write(
    "print.mjs",
    'import { results } from "./app.mjs";\nconsole.log(`RESULT ${JSON.stringify(await results())}`);\n',
  );
  write("print.cjs", 'require("./app.cjs").results().then((all) => console.log(`RESULT ${JSON.stringify(all)}`));\n');
  write(
    "page.mjs",
    'import { results } from "./app.mjs";\nresults().then((all) => { globalThis.RESULT = all; }, (error) => { globalThis.RESULT = { error: String(error.stack) }; });\n',
  );
  write("index.html", html('<script type="module" src="./page.mjs"></script>'));
  write(
    "fetch.mjs",
    'import { results } from "./app.mjs";\nexport default { fetch: async () => Response.json(await results()) };\n',
  );
  return { dir, write, path: (file) => join(dir, file) };
}

/** It names no charset, as pages do that were forgotten: what is published must be ASCII, or it breaks there. */
export const html = (body) =>
  `<!doctype html><html><head><link rel="icon" href="data:,"></head><body>${body}</body></html>`;

/** What a program printed as its result. */
export async function printed(command, args, cwd, env = {}) {
  const output = await must(command, args, { cwd, env });
  const line = output.split("\n").find((one) => one.includes("RESULT "));
  if (!line) throw new Error(`nothing was printed:\n${output}`);
  return JSON.parse(line.slice(line.indexOf("RESULT ") + 7));
}

/** The version of one of the tools. */
export function version(tool) {
  return JSON.parse(readFileSync(join(here, "node_modules", tool, "package.json"), "utf8")).version;
}

/** One of the tools, imported. */
export const tool = async (name) => import(name);
/** A file of one of the tools. */
export const toolFile = (...path) => join(here, "node_modules", ...path);

/** There must be one engine in what a bundler made: as the file, or as the text that the package holds. */
export function oneEngine(folder) {
  const files = everyFile(folder);
  const wasm = files.filter((file) => file.endsWith(".wasm")).length;
  const code = files.filter((file) => /\.[cm]?js$/.test(file)).map((file) => readFileSync(file, "utf8"));
  const inlined = code.reduce((sum, one) => sum + one.split(trace()).length - 1, 0);
  if (inlined + wasm !== 1) throw new Error(`${folder} holds ${inlined} engines as text and ${wasm} as files`);
}

/** Some characters of the engine's text that no bundler writes in another way. */
function trace() {
  const text = readFileSync(at("pkg/precis.wasm.js"), "utf8");
  const [longest] = text.match(/[A-Za-z0-9]{10,}/g).sort((a, b) => b.length - a.length);
  const part = longest.slice(0, 60);
  if (text.split(part).length !== 2) throw new Error("nothing tells the engine's text from other texts");
  return part;
}

function everyFile(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
  ".json": "application/json",
  ".css": "text/css",
};

/** Serves a folder as any static server would. */
export async function serve(folder, headers = {}) {
  const server = createServer((request, response) => {
    const path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream", ...headers });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

let browser;

/** What a page says in `globalThis.RESULT`. */
export async function browse(url, { chromium, timeout = 60_000 }) {
  browser ??= launch(chromium);
  const context = await (await browser).newContext();
  const heard = [];
  try {
    const page = await context.newPage();
    const broken = new Promise((_, fail) => page.on("pageerror", fail));
    // It may come before anything waits for it.
    broken.catch(() => {});
    page.on("console", (message) => heard.push(message.text()));
    page.on("requestfailed", (request) => heard.push(`${request.url()} failed`));
    page.on(
      "response",
      (response) => response.status() >= 400 && heard.push(`${response.url()}: ${response.status()}`),
    );
    await page.goto(url);
    const said = page.waitForFunction(() => globalThis.RESULT, null, { timeout });
    said.catch(() => {});
    return await (await Promise.race([said, broken])).jsonValue();
  } catch (error) {
    throw new Error([error.message, ...heard].join("\n"));
  } finally {
    await context.close();
  }
}

async function launch(executablePath) {
  const { chromium } = await import("playwright-core");
  const flags = [
    "no-sandbox",
    "disable-gpu",
    "disable-quic",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
  ];
  return chromium.launch({ executablePath, headless: true, args: flags.map((flag) => `--${flag}`) });
}

/** Serves a folder and looks at its page. */
export async function browseFolder(folder, options) {
  const server = await serve(folder);
  try {
    return await browse(`${server.url}/${options.page ?? ""}`, options);
  } finally {
    server.close();
  }
}

/** Starts a server as a child process, waits until it says where it listens, and stops it after `work`. */
export async function during(command, args, { cwd, env, ready }, work) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", ...env },
    detached: true,
  });
  let output = "";
  try {
    const url = await new Promise((done, fail) => {
      const take = (chunk) => {
        output += chunk;
        const found = output.match(ready);
        if (found) done(found[0]);
      };
      child.stdout.setEncoding("utf8").on("data", take);
      child.stderr.setEncoding("utf8").on("data", take);
      take("");
      child.on("exit", (code) => fail(new Error(`ended with ${code} before it listened:\n${output}`)));
      setTimeout(() => fail(new Error(`did not listen within a minute:\n${output}`)), 60_000).unref();
    });
    return await work(url);
  } catch (error) {
    throw new Error(`${error.message}\n${output.slice(-3000)}`);
  } finally {
    child.removeAllListeners("exit");
    end(child);
  }
}

/** JSON from a server that may still be starting. */
export async function json(url, tries = 20) {
  for (let left = tries; ; left--) {
    try {
      const response = await fetch(url);
      const text = await response.text();
      if (!response.ok)
        throw Object.assign(new Error(`${url}: ${response.status}\n${text.slice(0, 2000)}`), {
          final: response.status >= 500,
        });
      return JSON.parse(text);
    } catch (error) {
      if (left === 0 || error.final) throw error;
      await new Promise((next) => setTimeout(next, 500));
    }
  }
}

export async function close() {
  if (browser) await (await browser).close();
}
