// examples/recipes/use-chat in Chromium: the meter rises and falls, and the divider stands before the first message that the
// model is still sent as it was, also after a reload. `node tests/js/examples/use-chat.mjs`; exits 1 if anything is wrong.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { at, end, freePort, main, packages } from "../../../js/scripts/common.mjs";
import { chromium as chromiumPath, node } from "../../../js/scripts/tools.mjs";

const turns = 40;
const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];

main(import.meta.url, async () => {
  await packages("examples/recipes/use-chat");
  const port = await freePort();
  const server = spawn(await node(22), ["server.mjs"], {
    cwd: at("examples/recipes/use-chat"),
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PORT: String(port) },
  });
  let browser;
  try {
    await new Promise((ready, fail) => server.stdout.once("data", ready).once("end", fail));
    const { chromium } = await import("playwright-core");
    browser = await chromium.launch({
      executablePath: await chromiumPath(),
      headless: true,
      args: flags.map((flag) => `--${flag}`),
    });
    await drive(await browser.newPage(), `http://127.0.0.1:${port}/`);
  } finally {
    await browser?.close();
    end(server);
  }
});

async function drive(page, url) {
  const broken = [];
  page.on("pageerror", (error) => broken.push(String(error)));
  await page.goto(url);
  await page.waitForSelector('main[data-status="ready"]');
  assert.equal(await page.locator("#context").innerText(), "Nothing was said yet.");
  const fill = [];
  const dividers = new Set();
  for (let turn = 1; turn <= turns; turn++) {
    await page.fill("input", `Question ${turn}: who wrote book ${turn}?`);
    await page.press("input", "Enter");
    await page.waitForFunction((count) => document.querySelectorAll("article").length === count, 2 * turn);
    await page.waitForSelector('main[data-status="ready"]');
    const { value, told, divided, below, newest } = await shown(page);
    const [, tokens, window] = told.match(/^\s*(\d+) of (\d+) tokens$/).map(Number);
    assert.equal(window, 4_000);
    assert.ok(Math.abs(value - tokens / window) < 0.001, `${value}: ${told}`);
    assert.ok(value > 0 && value < 1);
    fill.push(value);
    const oldest = newest.match(/oldest question that I was sent is (Question \d+)\./)[1];
    // A summary that is written after the answer stands in the next request.
    if (divided.length === 0) assert.equal(oldest, "Question 1");
    else if (dividers.has(divided[0])) assert.equal(below.match(/Question \d+/)[0], oldest, `turn ${turn}`);
    assert.ok(divided.length <= 1, `${divided.length} dividers`);
    for (const id of divided) dividers.add(id);
  }
  assert.ok(dividers.size >= 2, `${dividers.size} compactions were shown`);
  const falls = fill.filter((value, at) => at > 0 && value < fill[at - 1]).length;
  assert.ok(falls >= 1 && falls < turns / 4, `the meter fell ${falls} times`);

  const before = await shown(page);
  await page.reload();
  await page.waitForSelector('main[data-status="ready"]');
  assert.deepEqual(await shown(page), before, "after a reload the page is the same");
  assert.equal(await page.locator("article").count(), 2 * turns, "all messages are there");
  await page.locator("#divider summary").click();
  assert.match(
    await page.locator("#divider p").innerText(),
    /^- The person asks about books, one after the other\./,
    "the divider has the summary's text",
  );
  assert.equal(await page.locator("[role=alert]").count(), 0);
  assert.deepEqual(broken, []);
  console.log(
    `use-chat: ${2 * turns} messages, ${dividers.size} dividers after each other, the meter fell ${falls} times`,
  );
}

/** The meter, the messages before which dividers stand, all text below, and the newest answer. */
const shown = (page) =>
  page.evaluate(() => {
    const dividers = [...document.querySelectorAll("#divider")];
    const articles = [...document.querySelectorAll("article")];
    const from = dividers.length > 0 ? articles.indexOf(dividers[0].nextElementSibling) : 0;
    return {
      value: document.querySelector("meter").value,
      told: document.querySelector("#context").textContent,
      divided: dividers.map(({ nextElementSibling }) => nextElementSibling?.dataset.id),
      below: articles
        .slice(from)
        .map(({ textContent }) => textContent)
        .join("\n"),
      newest: articles.at(-1).textContent,
    };
  });
