// node tests/js/browser/run.mjs CHROMIUM: bundles the suite as a user's bundler would and runs it in a page.
// Files named *.node.test.mjs need Node and stay out. Prints TAP's `# pass N`; exits 1 if a test failed.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const suite = join(here, "../suite");
const names = readdirSync(suite).filter((name) => name.endsWith(".test.mjs") && !name.endsWith(".node.test.mjs"));

const { outputFiles } = await build({
  stdin: { contents: names.map((name) => `import "./${name}";`).join("\n"), resolveDir: suite },
  bundle: true,
  format: "esm",
  platform: "browser",
  write: false,
  alias: {
    "node:test": join(here, "node-test.mjs"),
    "node:assert/strict": join(here, "node-assert.mjs"),
  },
  tsconfigRaw: {},
  define: { global: "globalThis", process: "globalThis.process" },
  logLevel: "warning",
});

const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];
const browser = await chromium.launch({
  executablePath: process.argv[2],
  headless: true,
  args: [...flags, "disable-component-update", "disable-sync"].map((flag) => `--${flag}`),
});
try {
  const page = await browser.newPage();
  page.on("console", (message) => console.log(message.text()));
  const broken = new Promise((_, fail) => page.on("pageerror", fail));
  await page.route("https://suite.test/*", (route) =>
    route.request().url().endsWith("/suite.js")
      ? route.fulfill({ contentType: "text/javascript", body: outputFiles[0].text })
      : route.fulfill({ contentType: "text/html", body: '<script type="module" src="/suite.js"></script>' }),
  );
  await page.goto("https://suite.test/");
  const done = page.waitForFunction(() => globalThis.totals, null, { timeout: 300_000 });
  const { pass, fail } = await (await Promise.race([done, broken])).jsonValue();
  console.log(`# pass ${pass}\n# fail ${fail}`);
  process.exitCode = fail === 0 && pass > 0 ? 0 : 1;
} finally {
  await browser.close();
}
