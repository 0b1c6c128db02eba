// node docs/.vitepress/check.mjs CHROMIUM: the built site as readers get it. Every link and every anchor leads somewhere, and
// axe finds nothing serious in some pages, light on a wide screen and dark on a phone.
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import { LinkChecker } from "linkinator";
import { chromium } from "playwright-core";

const site = fileURLToPath(new URL("dist", import.meta.url));
const origin = "http://site.invalid";

/** One of each kind: the home page, a short page, pictures, tables, much code, the reference, a part of design.md. */
const screens = [
  {
    screen: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
    pages: ["index", "start", "concepts", "tuning", "ai-sdk", "api/precis/seal", "internals/ladder"],
  },
  {
    screen: { colorScheme: "dark", viewport: { width: 390, height: 844 } },
    pages: ["index", "start", "concepts", "tuning"],
  },
];

const links = await followLinks();
const pages = await lookAtPages();
const faults = [...links.faults, ...pages.faults];
if (faults.length > 0) throw new Error(faults.join("\n"));
console.log(`${links.count} links followed\n${pages.count} pages looked at`);

async function followLinks() {
  const options = { path: site, recurse: true, checkFragments: true, retry: false };
  const { links } = await new LinkChecker().check({ ...options, linksToSkip: async (link) => !isOurs(link) });
  const followed = links.filter(({ state }) => state !== "SKIPPED");
  const dead = followed.filter(({ state }) => state === "BROKEN");
  return { count: followed.length, faults: dead.map(({ url, parent }) => `${parent}: ${url} leads nowhere`) };
}

function isOurs(link) {
  return ["localhost", "127.0.0.1"].includes(new URL(link).hostname);
}

async function lookAtPages() {
  const faults = [];
  const browser = await chromium.launch({
    executablePath: process.argv[2],
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  try {
    for (const { screen, pages } of screens) {
      const context = await browser.newContext(screen);
      await context.route("**", answer);
      const page = await context.newPage();
      for (const name of pages) faults.push(...(await faultsOf(page, name)).map((fault) => `${name}: ${fault}`));
      await context.close();
    }
  } finally {
    await browser.close();
  }
  return { count: screens.flatMap(({ pages }) => pages).length, faults };
}

/** No server: the browser is given the files. */
function answer(route) {
  const path = join(site, decodeURIComponent(new URL(route.request().url()).pathname));
  return existsSync(path) && !relative(site, path).startsWith("..")
    ? route.fulfill({ path })
    : route.fulfill({ status: 404 });
}

async function faultsOf(page, name) {
  const response = await page.goto(`${origin}/${name}.html`, { waitUntil: "load" });
  if (!response?.ok()) return ["there is no such page"];
  await page.waitForFunction(() => document.querySelector("#app")?.__vue_app__);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const faults = violations.filter(isSerious).map(told);
  const overhang = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  return overhang > 0 ? [...faults, `${overhang} pixels wider than the screen`] : faults;
}

function isSerious({ impact }) {
  return impact === "serious" || impact === "critical";
}

function told({ id, help, nodes }) {
  return `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" ")}`;
}
