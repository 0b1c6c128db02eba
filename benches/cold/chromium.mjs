// A fresh Chromium: how long the page's thread is blocked by a first call with 1,000 messages, with and without `load`, and by
// a compaction of 10,000 in the worker that docs/browsers.md shows.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import esbuild from "esbuild";
import { at } from "../../js/scripts/common.mjs";

const { chromium } = createRequire(at("tests/js/package.json"))("playwright-core");
const flags = [
  "no-sandbox",
  "disable-gpu",
  "no-first-run",
  "disable-background-networking",
  "disable-component-update",
];

const program = `
import { createCompactor, load } from "precis";
import { openaiChat } from "precis/formats";
const text = (i) => ("step " + i + ": the build failed again, order " + (4700 + i) + " in src/main.rs waits. ").repeat(2);
const messages = Array.from({ length: 1000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: text(i) }));
const pause = () => new Promise((done) => setTimeout(done, 300));
globalThis.measure = async (ahead) => {
  const longest = [0];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest.push(duration); }).observe({ entryTypes: ["longtask"] });
  await pause();
  longest.length = 1;
  const from = performance.now();
  if (ahead) { const { problem } = await load(ahead === "url" ? { url: "/precis.wasm" } : {}); if (problem) throw problem; }
  const loaded = performance.now();
  await pause();
  const start = performance.now();
  const { report } = await createCompactor({ format: openaiChat, contextWindow: 1_000_000 }).beforeModel({ messages });
  const call = performance.now() - start;
  if (report.outcome !== "unchanged") throw new Error(report.outcome);
  await pause();
  return { longest: Math.max(...longest), load: loaded - from, call };
};
globalThis.ready = true;
`;

/** What the guide shows under "In a worker": the worker, and what the page asks it by. */
function shown() {
  const [, section] = readFileSync(at("docs/browsers.md"), "utf8").split("## In a worker\n");
  const [worker, page] = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  return { worker, page: page.replace(/new URL\("[^"]+", import\.meta\.url\)/, '"/worker.js"') };
}

const beside = `
const text = (i) => ("step " + i + ": the build failed again, order " + (4700 + i) + " in src/main.rs waits. ").repeat(2);
const messages = Array.from({ length: 10_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: text(i) }));
const pause = () => new Promise((done) => setTimeout(done, 300));
globalThis.measure = async () => {
  const longest = [0];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest.push(duration); }).observe({ entryTypes: ["longtask"] });
  await pause();
  longest.length = 1;
  const start = performance.now();
  const { report } = await prepare("chat", messages, null);
  const call = performance.now() - start;
  if (report.outcome !== "compacted") throw new Error(report.outcome);
  await pause();
  return { longest: Math.max(...longest), load: 0, call };
};
globalThis.ready = true;
`;

async function bundled(contents, loader) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, loader, resolveDir: at("benches") },
    ...{ bundle: true, minify: true, format: "iife", platform: "browser", write: false, logLevel: "error" },
    tsconfigRaw: {},
  });
  return outputFiles[0].text;
}

/** The scripts of the pages by their paths: one that calls precis itself, and one that has a worker do it. */
export async function prepare() {
  const { worker, page } = shown();
  return {
    "/app.js": await bundled(program, "js"),
    "/beside.js": await bundled(page + beside, "ts"),
    "/worker.js": await bundled(worker, "ts"),
  };
}

/**
 * `{ longest, load, call }` of one fresh browser, in milliseconds. `way`: whether the page's script loads the engine ahead
 * ("text", "url") or not (null), or has a worker ("worker").
 */
export async function measure(binary, scripts, wasm, way) {
  const browser = await chromium.launch({
    executablePath: binary,
    headless: true,
    args: flags.map((flag) => `--${flag}`),
  });
  try {
    const page = await browser.newPage();
    const script = way === "worker" ? "/beside.js" : "/app.js";
    await page.route("https://cold.test/*", (route) => {
      const { pathname } = new URL(route.request().url());
      if (scripts[pathname]) return route.fulfill({ contentType: "text/javascript", body: scripts[pathname] });
      if (pathname.endsWith(".wasm")) return route.fulfill({ contentType: "application/wasm", body: wasm });
      return route.fulfill({ contentType: "text/html", body: `<!doctype html><script src="${script}"></script>` });
    });
    await page.goto("https://cold.test/");
    await page.waitForFunction(() => globalThis.ready);
    return await page.evaluate((ahead) => globalThis.measure(ahead), way);
  } finally {
    await browser.close();
  }
}
