// A fresh Chromium: how long the page's thread is blocked by a first call with 1,000 messages, with and without `load`.
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

/** The page's script. */
export async function prepare() {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: program, resolveDir: at("benches") },
    ...{ bundle: true, minify: true, format: "iife", platform: "browser", write: false, logLevel: "error" },
    tsconfigRaw: {},
  });
  return outputFiles[0].text;
}

/** `{ longest, load, call }` of one fresh browser, in milliseconds. `ahead`: null, "text" or "url". */
export async function measure(binary, script, wasm, ahead) {
  const browser = await chromium.launch({
    executablePath: binary,
    headless: true,
    args: flags.map((flag) => `--${flag}`),
  });
  try {
    const page = await browser.newPage();
    await page.route("https://cold.test/*", (route) => {
      const url = route.request().url();
      if (url.endsWith("app.js")) return route.fulfill({ contentType: "text/javascript", body: script });
      if (url.endsWith(".wasm")) return route.fulfill({ contentType: "application/wasm", body: wasm });
      return route.fulfill({ contentType: "text/html", body: '<!doctype html><script src="/app.js"></script>' });
    });
    await page.goto("https://cold.test/");
    await page.waitForFunction(() => globalThis.ready);
    return await page.evaluate((ahead) => globalThis.measure(ahead), ahead);
  } finally {
    await browser.close();
  }
}
