// What only a page can show: policies that forbid WebAssembly, and two copies of the package side by side.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

/** What a first call says. */
const call = `
import { createCompactor, PrecisError } from "precis";
import { openaiChat } from "precis/formats";
try {
  const { tokens } = createCompactor({ format: openaiChat, contextWindow: 8000 }).usage({ messages: [{ role: "user", content: "hello" }] });
  globalThis.said = { tokens };
} catch (error) {
  globalThis.said = { own: error instanceof PrecisError, code: error.code, advice: error.advice };
}`;

/** What `load` says in a page: overtaken by a call, or with an address that serves a page first. */
const ahead = `
import { createCompactor, load, PrecisError } from "precis";
import { openaiChat } from "precis/formats";
const tokens = () => createCompactor({ format: openaiChat, contextWindow: 8000 }).usage({ messages: [{ role: "user", content: "hello" }] }).tokens;
try {
  const loading = OVERTAKEN ? [load(), tokens(), load()] : [load({ url: "/no-wasm-here" }), load()];
  const codes = [];
  for (const one of loading) if (typeof one !== "number") codes.push((await one).problem?.code ?? null);
  globalThis.said = { codes: [...codes, (await load()).problem], tokens: tokens() };
} catch (error) {
  globalThis.said = { own: error instanceof PrecisError, code: error.code, advice: error.advice };
}`;

const twice = `
import * as one from "precis";
import * as two from "precis-again";
import { openaiChat } from "precis/formats";
const messages = Array.from({ length: 40 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "turn " + i + " " + "text ".repeat(60) }));
const options = { format: openaiChat, contextWindow: 2_500, maxOutputTokens: 200 };
const first = one.createCompactor(options);
const second = two.createCompactor(options);
const { state } = await first.beforeModel({ messages });
const more = [...messages, { role: "user", content: "and now?" }];
const views = await Promise.all([first, second].map((each) => each.beforeModel({ messages: more, state })));
let error;
try { second.usage({ messages: "none" }); } catch (thrown) { error = thrown; }
globalThis.said = {
  apart: one.createCompactor !== two.createCompactor,
  same: JSON.stringify(views[0]) === JSON.stringify(views[1]),
  compacted: views[0].view.length < more.length,
  instance: [error instanceof one.PrecisError, error instanceof two.PrecisError],
  code: error.code,
};`;

const cases = {
  "a policy that forbids WebAssembly: the error names the line": async (open) => {
    for (const policy of ["script-src 'self'", "default-src 'self'; script-src 'self' 'unsafe-inline'"]) {
      const { own, code, advice } = await open(call, policy);
      assert.deepEqual([own, code], [true, "engine-load"]);
      assert.match(advice, /script-src 'self' 'wasm-unsafe-eval'/);
    }
  },
  "the line that the error names is enough": async (open) => {
    assert.ok((await open(call, "script-src 'self' 'wasm-unsafe-eval'")).tokens > 0);
  },
  "load compiles in the background, also where a call overtakes it or the address serves a page": async (open) => {
    for (const overtaken of ["false", "true"]) {
      const { codes, tokens } = await open(
        ahead.replace("OVERTAKEN", overtaken),
        "script-src 'self' 'wasm-unsafe-eval'",
      );
      const first = overtaken === "true" ? null : "engine-load";
      assert.deepEqual(codes, [first, first, null]);
      assert.ok(tokens > 0);
    }
    const { own, code, advice } = await open(ahead.replace("OVERTAKEN", "false"), "script-src 'self'");
    assert.deepEqual([own, code], [true, "engine-load"]);
    assert.match(advice, /'wasm-unsafe-eval'/);
  },
  "two copies in one page: a state of one is a state of the other": async (open) => {
    assert.deepEqual(await open(twice, "script-src 'self' 'wasm-unsafe-eval'"), {
      apart: true,
      same: true,
      compacted: true,
      instance: [false, true],
      code: "messages-not-array",
    });
  },
};

/** Runs the cases: `{ pass, fail, said }`. */
export async function pages(browser) {
  const folder = mkdtempSync(join(tmpdir(), "precis-"));
  for (const name of ["precis", "precis-again"]) cpSync(pkg, join(folder, "node_modules", name), { recursive: true });
  const totals = { pass: 0, fail: 0, said: [] };
  try {
    for (const [name, run] of Object.entries(cases)) {
      try {
        await run((program, policy) => saidBy(browser, folder, program, policy));
        totals.pass += 1;
      } catch (error) {
        totals.fail += 1;
        totals.said.push(`not ok - ${name}\n${error.stack}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return totals;
}

/** What a program says in a page that is served with this content security policy. */
async function saidBy(browser, folder, program, policy) {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: folder },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "error",
  });
  const page = await browser.newPage();
  try {
    const headers = { "content-security-policy": policy };
    await page.route("https://page.test/*", (route) =>
      route.request().url().endsWith("/page.js")
        ? route.fulfill({ contentType: "text/javascript", body: outputFiles[0].text })
        : route.fulfill({ contentType: "text/html", headers, body: '<script type="module" src="/page.js"></script>' }),
    );
    await page.goto("https://page.test/");
    const said = await page.waitForFunction(() => globalThis.said, null, { timeout: 30_000 });
    return await said.jsonValue();
  } finally {
    await page.close();
  }
}
