// node tests/js/examples/browser.mjs: the example for browsers, built by Vite, in Chromium: 300 messages, reloaded in the
// middle, the second half without a network, then two tabs on one chat. With a folder as its argument the screenshots go
// there. Prints what it saw; exits 1 if anything is wrong.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { buildAny } from "../../../js/scripts/build.mjs";
import { at, cache, main, must, packages } from "../../../js/scripts/common.mjs";
import { chromium as chromiumPath } from "../../../js/scripts/tools.mjs";
import { serve } from "../../packaging/project.mjs";

const half = 75;
const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];

main(import.meta.url, async ([screenshots]) => {
  await buildAny();
  await packages("examples/browser-chat");
  const folder = join(cache, "browser-chat");
  rmSync(folder, { recursive: true, force: true });
  const vite = at("examples/browser-chat/node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--outDir", folder, "--emptyOutDir", "--logLevel", "error", "--base", "./"];
  await must(process.execPath, args, { cwd: at("examples/browser-chat"), quiet: true, timeout: 120_000 });

  const { chromium } = await import("playwright-core");
  const server = await serve(folder);
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    headless: true,
    args: flags.map((flag) => `--${flag}`),
  });
  const context = await browser.newContext({ viewport: { width: 640, height: 720 } });
  context.setDefaultTimeout(60_000);
  const broken = [];
  const address = (chat) => `${server.url}/?pace=0#${chat}`;
  const from = performance.now();
  try {
    const page = await open(address("first"));
    for (let turn = 1; turn <= half; turn++) await say(page, turn);
    const before = await stored(page, "first");
    assert.equal(before.messages.length, 2 * half);
    await picture(page, "online");

    await reload(page);
    assert.deepEqual(await stored(page, "first"), before, "a reload changes nothing that is stored");
    assert.equal(await page.locator("main p").count(), 2 * half, "after a reload all messages are there");

    await context.setOffline(true);
    await reload(page);
    for (let turn = half + 1; turn <= 2 * half; turn++) await say(page, turn);
    const { messages, state } = await stored(page, "first");
    assert.equal(messages.length, 4 * half);
    for (let turn = 1; turn <= 2 * half; turn++) {
      assert.equal(messages[2 * turn - 2].content, question(turn));
      assert.equal(messages[2 * turn - 1].role, "assistant");
    }
    const divider = await page.locator("main details summary").innerText();
    const covered = Number(divider.match(/\d+/)[0]);
    assert.ok(covered > 2 * half, divider);
    const status = await page.locator("#status").innerText();
    const [tokens, window] = status.match(/[\d,]+/g).map((text) => Number(text.replaceAll(",", "")));
    assert.ok(tokens > 1_000 && tokens < window, status);
    opens(messages, state);
    await page.locator("main details").scrollIntoViewIfNeeded();
    await page.locator("main details summary").click();
    await picture(page, "compacted");
    console.log(`300 messages, half of them without a network: ${status}; ${divider.toLowerCase()}`);

    const tabs = [await open(address("shared")), await open(address("shared"))];
    await Promise.all(
      tabs.map(async (tab, number) => {
        for (let turn = 1; turn <= 40; turn++) await say(tab, 1_000 * (number + 1) + turn);
      }),
    );
    const shared = await stored(tabs[0], "shared");
    assert.deepEqual(await stored(tabs[1], "shared"), shared);
    assert.equal(shared.messages.length, 160);
    for (const number of [1_000, 2_000]) {
      const own = shared.messages.filter(({ content }) => content.startsWith(`Question ${number / 1_000}0`));
      assert.deepEqual(
        own.map(({ content }) => content),
        Array.from({ length: 40 }, (_, index) => question(number + index + 1)),
        "every question of a tab is there once, in its order",
      );
    }
    opens(shared.messages, shared.state);
    assert.ok(shared.state.checkpoints.length > 0);
    console.log("two tabs on one chat: 160 messages, none lost, none twice; the state opens");
    assert.deepEqual(broken, []);
    console.log(`ok, ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  } finally {
    await browser.close();
    server.close();
  }

  async function open(url) {
    const page = await context.newPage();
    page.on("pageerror", (error) => broken.push(String(error)));
    await page.goto(url);
    await page.waitForFunction(() => document.body.dataset.ready);
    return page;
  }

  async function reload(page) {
    await page.reload();
    await page.waitForFunction(() => document.body.dataset.ready);
  }

  async function say(page, turn) {
    await page.fill("input", question(turn));
    await page.press("input", "Enter");
    await page.waitForFunction(() => !document.body.dataset.busy);
  }

  async function picture(page, name) {
    if (!screenshots) return;
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(screenshots, `browser-chat-${name}.png`) });
  }
});

const question = (turn) =>
  `Question ${turn}: who wrote the ${turn}th book on the shelf${turn % 9 === 0 ? `, ${"and what does its long first chapter say about the harbour, ".repeat(12)}please` : ""}?`;

/** What lies in IndexedDB. */
const stored = (page, chat) =>
  page.evaluate(async (name) => {
    const answer = (request) =>
      new Promise((done, fail) => {
        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
      });
    const database = await answer(indexedDB.open("precis-chats", 1));
    const transaction = database.transaction(["messages", "states"]);
    const range = IDBKeyRange.bound([name, 0], [name, Number.MAX_SAFE_INTEGER]);
    const messages = await answer(transaction.objectStore("messages").getAll(range));
    const { state } = await answer(transaction.objectStore("states").get(name));
    database.close();
    return { messages, state };
  }, chat);

/** Node opens the state that a browser wrote, and has nothing to object to. */
function opens(messages, state) {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 8_000, maxOutputTokens: 300 });
  const { report } = compactor.plan({
    messages,
    state,
    system: "You are a patient librarian. Answer in a few sentences.",
  });
  assert.equal(report.diverged, null);
  assert.deepEqual(report.warnings, []);
}
