// The suite in a page.
import { chromium } from "playwright-core";
import { pages } from "./pages.mjs";

const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];

export async function run({ binary, bundle }) {
  const { text } = await bundle("runAll().then((totals) => { globalThis.totals = totals; });", {});
  const browser = await chromium.launch({
    executablePath: binary,
    headless: true,
    args: [...flags, "disable-component-update", "disable-sync"].map((flag) => `--${flag}`),
  });
  try {
    const page = await browser.newPage();
    const broken = new Promise((_, fail) => page.on("pageerror", fail));
    await page.route("https://suite.test/*", (route) =>
      route.request().url().endsWith("/suite.js")
        ? route.fulfill({ contentType: "text/javascript", body: text })
        : route.fulfill({ contentType: "text/html", body: '<script type="module" src="/suite.js"></script>' }),
    );
    await page.goto("https://suite.test/");
    const done = page.waitForFunction(() => globalThis.totals, null, { timeout: 300_000 });
    const suite = await (await Promise.race([done, broken])).jsonValue();
    const { pass, fail, said } = await pages(browser);
    return { pass: suite.pass + pass, fail: suite.fail + fail, said: [...suite.said, ...said] };
  } finally {
    await browser.close();
  }
}
