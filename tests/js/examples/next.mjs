// The example for Next.js: built, started, and driven in Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { createMeter } from "precis";
import { aiSdkUI } from "precis/formats";
import { at, cache, end, freePort, must, packages } from "../../../js/scripts/common.mjs";
import { chromium as chromiumPath, node } from "../../../js/scripts/tools.mjs";
import { refuses, together } from "./bodies.mjs";

const turns = 20;
const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];

export async function next() {
  const cwd = at("examples/nextjs-chat");
  await packages("examples/nextjs-chat", "--force");
  const chats = join(cache, "examples", "chats.db");
  rmSync(join(cwd, ".next"), { recursive: true, force: true });
  const binary = await node(22);
  const program = join(cwd, "node_modules/next/dist/bin/next");
  const env = {
    NEXT_TELEMETRY_DISABLED: "1",
    NODE_ENV: "production",
    CHATS: chats,
    CONTEXT_WINDOW: "4000",
    AI_GATEWAY_API_KEY: undefined,
  };
  await must(binary, [program, "build"], { cwd, quiet: true, env, timeout: 240_000 });
  const port = await freePort();
  const server = spawn(binary, [program, "start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd,
    detached: true,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    headless: true,
    args: flags.map((flag) => `--${flag}`),
  });
  try {
    const page = await browser.newPage();
    for (let left = 200; !(await page.goto(`http://127.0.0.1:${port}/`).catch(() => null)); left--) {
      if (left === 0) throw new Error("Next.js does not answer");
      await new Promise((again) => setTimeout(again, 50));
    }
    const url = `http://127.0.0.1:${port}`;
    const stored = (chat) => chatIn(binary, chats, chat);
    await refuses({ url: `${url}/api/chat`, good: message, stored: async (chat) => (await stored(chat)).messages });
    await together({ url: `${url}/api/chat`, good: message, stored: async (chat) => (await stored(chat)).messages });
    const ready = () => page.waitForSelector('main[data-status="ready"]');
    await ready();
    for (let turn = 1; turn <= turns; turn++) {
      // The long one is too much at once: it cannot wait for a summary ahead of time.
      const more = turn === turns - 2 ? ` ${"What does its chapter on harbours say? ".repeat(150)}` : "";
      await page.fill("input", `Question ${turn}: who wrote the ${turn}th book?${more}`);
      await page.press("input", "Enter");
      await page.waitForFunction((count) => document.querySelectorAll("article").length === count, 2 * turn);
      await ready();
      if (turn === turns / 2) {
        await page.reload();
        await ready();
      }
    }
    const told = await page.locator("#context").innerText();
    assert.match(told, /^\d+ of 4000 tokens, [1-9]\d* of them a summary$/);
    const compactions = await page.locator('hr[data-compaction="done"]').count();
    assert.ok(compactions > 0, "no compaction was shown");
    assert.equal(await page.locator("[role=alert]:not(next-route-announcer *)").count(), 0);
    const { messages, state } = await stored(new URL(page.url()).pathname.slice(1));
    assert.equal(messages.length, 2 * turns);
    assert.equal(state.checkpoints.length > 0, true);
    const whole = createMeter({ format: aiSdkUI, contextWindow: 4_000 }).usage({ messages });
    assert.ok(whole.tokens > 0);
    console.log(
      `nextjs-chat: ${messages.length} messages, reloaded in the middle, ${told}, ${compactions} compactions shown`,
    );
  } finally {
    await browser.close();
    end(server);
  }
}

/** The body of a request that says this. */
const message = (chat, id, text) => ({ id: chat, message: { id, role: "user", parts: [{ type: "text", text }] } });

/** A chat as it lies in the database. Read by the Node that has SQLite. */
async function chatIn(binary, file, chat) {
  const program = `
    const { DatabaseSync } = require("node:sqlite");
    const [file, chat] = process.argv.slice(1);
    const open = new DatabaseSync(file);
    const messages = open.prepare("SELECT json FROM message WHERE chat = ? ORDER BY seq").all(chat);
    const state = open.prepare("SELECT json FROM state WHERE chat = ?").get("main:" + chat);
    console.log(JSON.stringify({ messages: messages.map(({ json }) => JSON.parse(json)), state: JSON.parse(state?.json ?? "null") }));`;
  const output = await must(binary, ["--disable-warning=ExperimentalWarning", "-e", program, file, chat], {
    quiet: true,
  });
  return JSON.parse(output);
}
