// node tests/js/examples/inspector.mjs: the inspector in Chromium: recorded chats and one of 10,000 messages dropped on it,
// the window moved, placeholders opened, exports opened again; what is no transcript; HTML and scripts in every field; axe.
// With a folder as its argument it takes the screenshots alone, into that folder. Prints what it saw; exits 1 if anything is wrong.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { history, recorder, replay } from "precis/testing";
import { buildAny } from "../../../js/scripts/build.mjs";
import { at, cache, main } from "../../../js/scripts/common.mjs";
import { inspectorPage } from "../../../js/scripts/inspector.mjs";
import { chromium as chromiumPath } from "../../../js/scripts/tools.mjs";
import { serve } from "../../packaging/project.mjs";
import { install, precis } from "../cli/installed.mjs";

const flags = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", "disable-background-networking"];
const fixtures = [
  "tests/fixtures/pi-session/refactoring.jsonl",
  "tests/fixtures/tau-bench/airline.json",
  "tests/fixtures/anthropic/claude-code.jsonl",
];
/** No task of the page may keep a frame waiting longer, in milliseconds. */
const LONGEST = 50;
/** Garbage is collected when it pleases: the best of so many tries counts. */
const TRIES = 5;
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

main(import.meta.url, async ([screenshots]) => {
  await buildAny();
  const folder = join(cache, "inspector");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.html"), await inspectorPage());
  const { chromium } = await import("playwright-core");
  const server = await serve(folder);
  const browser = await chromium.launch({
    executablePath: await chromiumPath(),
    headless: true,
    args: flags.map((flag) => `--${flag}`),
  });
  const broken = [];
  const asked = [];
  let messages = 0;
  const from = performance.now();
  try {
    if (screenshots) await pictures(screenshots);
    else await everyTest(await open(server.url));
    assert.deepEqual(broken, [], "no error in any page");
    assert.deepEqual(asked, [], "nothing was asked of any host but for the page itself");
    console.log(`ok, ${messages} messages, ${((performance.now() - from) / 1_000).toFixed(1)} s`);
  } finally {
    await browser.close();
    server.close();
  }

  async function everyTest(page) {
    await transcripts(page);
    await large(page);
    await reports(page);
    await recordings(page);
    await refused(page);
    await harmless(page);
    await offline();
  }

  async function open(url, options = {}) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      acceptDownloads: true,
      ...options,
    });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.on("pageerror", (error) => broken.push(String(error)));
    page.on("console", (message) => message.type() === "error" && broken.push(message.text()));
    page.on("dialog", (dialog) => {
      broken.push(`a script of a transcript ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const own = [url, `${url}/`, pathToFileURL(join(folder, "index.html")).href];
      if (!own.includes(request.url()) && !/^(blob|data):/.test(request.url())) asked.push(request.url());
    });
    await page.goto(url);
    await page.waitForFunction(() => document.body.dataset.ready);
    return page;
  }

  /** Drops a file as a person does, and waits until `plays` variants were played. */
  async function drop(page, name, content, plays = 2) {
    await page.evaluate(() => {
      document.body.dataset.played = "0";
    });
    const data = Buffer.from(content).toString("base64");
    await page.evaluate(
      ([name, data]) => {
        const own = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([own], name));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
      },
      [name, data],
    );
    if (plays > 0) await played(page, plays);
  }

  function played(page, plays) {
    const done = (plays) => Number(document.body.dataset.played) >= plays;
    return page.waitForFunction(done, plays, { timeout: 120_000 });
  }

  async function transcripts(page) {
    for (const path of fixtures) {
      const content = readFileSync(at(path));
      const gzip = path.endsWith(".json");
      const name = path.split("/").at(-1) + (gzip ? ".gz" : "");
      await drop(page, name, gzip ? gzipSync(content) : content);
      const text = await page.locator("#what").innerText();
      const [count] = text.match(/[\d,]+(?= messages)/) ?? [];
      assert.ok(Number(count?.replaceAll(",", "")) > 3, text);
      messages += Number(count.replaceAll(",", ""));
      if (path === fixtures[0]) await asReplayed(page, path);
      await window(page, 2_500);
      const [ours, everything] = await sums(page);
      assert.ok(ours.compactions > 0, `${path} is compacted in a small window`);
      assert.ok(ours.peak < everything.peak && everything.compactions === 0, path);
      await page.locator("#previous").click();
      assert.match(await page.locator("#facts").innerText(), /^Compacted here/);
    }

    // What stood instead of a result that was cleared.
    await drop(page, "session.jsonl", readFileSync(at(fixtures[0])));
    // It opens at the first compaction, below the table of all variants.
    assert.match(await page.locator("#facts").innerText(), /^Compacted here/);
    await page.locator("#previous").click();
    assert.match(await page.locator("#facts").innerText(), /^Compacted here/, "there is none before it");
    assert.deepEqual((await page.locator("#work h2").allInnerTexts()).slice(0, 2), ["Side by side", "Variants"]);
    await page.locator("#request").press("End");
    await page.locator(".row.cleared").first().click();
    await page.waitForSelector("#detail h3");
    const detail = await page.locator("#detail").innerText();
    assert.match(detail, /What is sent[\s\S]*this tool result was removed[\s\S]*What stood there/);
    const original = detail.split("What stood there")[1];
    assert.ok(original.length > 500, "the whole result is there");

    // The tabs, by the keyboard.
    await page.locator('[role="tab"][aria-selected="true"]').focus();
    for (const [name, seen] of [
      ["Summary", /Condensed by code/],
      ["Memory", /message \d+/],
      ["State", /"checkpoints"/],
      ["Compactions", /reached the trigger/],
      ["Bill", /read from the cache/],
    ]) {
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction((name) => document.activeElement?.textContent === name, name);
      await page.waitForFunction(
        (text) => new RegExp(text).test(document.getElementById("panel").innerText),
        seen.source,
      );
    }
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator("#panel table button").first().waitFor();
    const rows = (await page.locator("#panel table tr").allInnerTexts()).map((row) => row.split("\t"));
    const names = rows.filter(([kind]) => kind === "name");
    assert.ok(
      names.length > 10 && names.every(([, text, note]) => text !== "" && / messages?$/.test(note)),
      `${names}`,
    );
    const words = names.filter(([, text]) => /^[^[]*[a-z]/i.test(text));
    assert.ok(words.length > names.length / 2, `${names}`);
    await page.locator("#panel table button").first().click();
    await page.waitForSelector("#detail h3");
    await page.locator("#messages").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /message 2 |precis/.test(document.querySelector("#detail h3").textContent));

    // Prices give the bill.
    await page.getByText("Prices of a million tokens").click();
    await page.getByLabel("Common prices").selectOption("3 / 0.3 / 3.75 / 15");
    await page.getByRole("tab", { name: "Bill" }).click();
    assert.match(await page.locator("#panel").innerText(), /Together [\d.]+; without a cache [\d.]+/);

    // A third variant, with a strategy and a policy of its own.
    await page.locator("#add").click();
    await page.locator("#set-way").selectOption("full");
    await page.getByText("Tool policies").click();
    await page.locator("#policy-0").selectOption("always");
    await page.waitForFunction(() =>
      /policies/.test(document.querySelector("#compare tbody tr:nth-child(3)")?.textContent),
    );
    await page.waitForFunction(() => document.querySelectorAll("#compare tbody tr:nth-child(3) td").length > 5);
    await clean(page, "the page, desktop");
    console.log(`${fixtures.length} recorded chats: dropped, slid, inspected`);
  }

  /** 10,000 messages: the page stays at hand while the window moves. */
  async function large(page) {
    await drop(page, "long.jsonl", chat(10_000), 2);
    messages += 10_000;
    await page.getByRole("tab", { name: "Messages" }).click();
    await page.locator('#charts .card button[aria-label="Remove variant 2"]').click();
    const worst = [];
    for (let tries = 0; tries < TRIES; tries++) {
      await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
      await page.locator("#window").focus();
      for (let step = 0; step < 12; step++) {
        await page.keyboard.press(tries % 2 === 0 ? "ArrowRight" : "ArrowLeft");
        await page.waitForTimeout(60);
      }
      await page.locator("#messages").hover();
      for (let step = 0; step < 6; step++) await page.mouse.wheel(0, 3_000);
      await page.waitForTimeout(500);
      worst.push(longestTask(JSON.parse((await browser.stopTracing()).toString()).traceEvents));
      if (worst.at(-1) <= LONGEST) break;
    }
    assert.ok(Math.min(...worst) <= LONGEST, `tasks of ${worst.join(", ")} ms`);
    await page.waitForFunction(() => /requests [\d,]+ were played/.test(document.getElementById("status").textContent));
    assert.ok((await page.locator("#messages .row").count()) < 60, "only rows that are seen are there");
    const html = await exported(page, "#export-html", "long.html");
    assert.ok(statSync(html).size < 1_000_000, `a report of ${statSync(html).size} bytes`);
    const table = await page.locator("#compare").innerText();
    const report = await open(pathToFileURL(html).href);
    asked.splice(0, asked.length, ...asked.filter((one) => one !== pathToFileURL(html).href));
    assert.equal(
      await report.locator("#compare").innerText(),
      table,
      "a report that is shortened has the same figures",
    );
    assert.match(await report.locator("#shortened").innerText(), /leaves out the middle of [\d,]+ texts/);
    await report.locator("#request").press("End");
    await everything(report);
    await report.context().close();
    console.log(`10,000 messages: longest task ${Math.round(Math.min(...worst))} ms (of ${worst.length} tries)`);
  }

  async function reports(page) {
    await drop(page, "airline.json", readFileSync(at(fixtures[1])));
    await window(page, 3_000, 1);
    await window(page, 3_000);
    await page.getByRole("tab", { name: "Messages" }).click();
    const json = await exported(page, "#export-json", "export.json");
    const html = await exported(page, "#export-html", "report.html");
    const table = await page.locator("#compare").innerText();

    const report = await open(pathToFileURL(html).href);
    asked.splice(0, asked.length, ...asked.filter((one) => one !== pathToFileURL(html).href));
    assert.equal(await report.locator("#compare").innerText(), table, "the report says what the page said");
    assert.match(await report.locator("#facts").innerText(), /^Compacted here/);
    await report.locator("#request").press("End");
    await report.locator(".row.made").first().click();
    await report.waitForSelector("#detail h3");
    assert.match(await report.locator("#detail").innerText(), /Written by precis/);
    assert.ok(!(await report.locator("#settings").isVisible()));
    await clean(report, "a report");
    await report.context().close();

    await drop(page, "export.json", readFileSync(json));
    assert.equal(await page.locator("#compare").innerText(), table, "an export opens as it was");

    // The same, from the command line.
    await install();
    const out = join(folder, "cli.html");
    const { status, stderr } = precis([
      "inspect",
      at(fixtures[1]),
      "--window",
      "3000",
      "--prices",
      "3,0.3,3.75,15",
      "--html",
      out,
    ]);
    assert.equal(status, 0, stderr);
    const own = await open(pathToFileURL(out).href);
    asked.splice(0, asked.length, ...asked.filter((one) => one !== pathToFileURL(out).href));
    assert.equal(await own.locator("#compare").innerText(), table);
    await own.context().close();
    console.log("exports: JSON and HTML opened again, and the page of precis inspect --html");
  }

  async function exported(page, button, name) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(button).click()]);
    const path = join(folder, name);
    await download.saveAs(path);
    return path;
  }

  /** What `recorder()` wrote, with and without texts. */
  async function recordings(page) {
    const chat = history(openaiChat, { seed: 5, turns: 24 });
    for (const texts of [false, true]) {
      const recording = recorder({ texts });
      const compactor = recording.watch(
        createCompactor({ format: openaiChat, contextWindow: 6_000, maxOutputTokens: 600 }),
      );
      const { requests } = await replay(compactor, openaiChat, chat);
      await drop(page, "recording.jsonl", recording.text(), 1);
      const [sum] = await sums(page);
      assert.equal(sum.peak, Math.max(...requests.map(({ report }) => report.after.tokens)));
      assert.ok(sum.compactions > 0);
      assert.equal(await page.locator("#add").isVisible(), texts, "with texts it can be played in other ways");
      if (!texts) continue;
      await page.locator("#request").press("End");
      await page.getByRole("tab", { name: "Summary" }).click();
      await page.waitForFunction(() => /Condensed by code/.test(document.getElementById("panel").innerText));
    }
    console.log("recordings: without texts and with them");
  }

  async function refused(page) {
    const cases = {
      "notes.txt": ["Dear diary,\nit rained.", /neither JSON .* nor JSON lines/],
      "empty.json": ["", /empty\.json is empty/],
      "picture.png": [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), /is binary/],
      "broken.json.gz": [Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), /cannot be unpacked/],
      "receipts.json": [JSON.stringify([{ amount: 7 }]), /holds no conversation in a known format/],
      "damaged.json": [JSON.stringify({ precis: "inspector", version: 1, messages: [{}] }), /is damaged/],
      "odd.jsonl": [JSON.stringify({ precis: "recording", type: "usage" }), /there is no request/],
    };
    for (const [name, [content, reason]] of Object.entries(cases)) {
      await drop(page, name, content, 0);
      await page.waitForFunction(
        (source) => new RegExp(source).test(document.getElementById("alert").textContent),
        reason.source,
      );
    }
    const lines = chat(8).split("\n");
    await drop(page, "cut.jsonl", `${lines.slice(0, 6).join("\n")}\n${lines[6].slice(0, 30)}`);
    assert.match(await page.locator("#alert").innerText(), /cut\.jsonl:7: this line is not JSON/);
    console.log(`${Object.keys(cases).length + 1} files that are no transcripts, or not whole: said so`);
  }

  /** HTML and scripts in every field: nothing runs, in the page or in its report. */
  async function harmless(page) {
    const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>\u2028--><!--<script>`;
    const call = (id) => ({
      id,
      type: "function",
      function: { name: evil, arguments: JSON.stringify({ [evil]: evil }) },
    });
    const turns = Array.from({ length: 30 }, (_, index) => [
      { role: "user", name: evil, content: `${evil} ${index}` },
      { role: "assistant", content: evil, tool_calls: [call(`${evil}${index}`)] },
      { role: "tool", tool_call_id: `${evil}${index}`, content: evil.repeat(20) },
      { role: "assistant", content: evil },
    ]).flat();
    const chat = JSON.stringify({
      model: evil,
      tools: [{ type: "function", function: { name: evil } }],
      messages: turns,
    });
    await drop(page, `${evil.replaceAll("/", "")}.json`, chat);
    await window(page, 3_000);
    await everything(page);
    const html = await exported(page, "#export-html", "evil.html");
    assert.equal(readFileSync(html, "utf8").match(/<script>alert/g), null);
    const report = await open(pathToFileURL(html).href);
    asked.splice(0, asked.length, ...asked.filter((one) => one !== pathToFileURL(html).href));
    await everything(report);
    assert.equal(await report.locator("img, svg, iframe").count(), 0);
    await report.context().close();
    // The page would not run it if it were there.
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
      return window.ran === true;
    });
    assert.equal(ran, false, "the policy of the page runs its own script alone");
    assert.ok(
      broken.every((one) => /Content Security Policy/.test(one)),
      broken.join("\n"),
    );
    broken.length = 0;
    console.log("HTML and scripts in every field: nothing ran");
  }

  async function everything(page) {
    for (const name of ["Summary", "Memory", "State", "Compactions", "Bill", "Messages"]) {
      await page.getByRole("tab", { name }).click();
      await page.waitForTimeout(50);
    }
    await page.locator("#messages .row").first().click();
    await page.waitForSelector("#detail h3");
  }

  /** From a file, without a network. */
  async function offline() {
    const page = await open(pathToFileURL(join(folder, "index.html")).href, {
      ...{ offline: true, viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    });
    await page.locator("#samples button").nth(1).click();
    await played(page, 2);
    await clean(page, "the page, phone, dark");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `nothing is wider than a phone: ${wide}`);
    await page.context().close();
    console.log("from a file, offline, at phone width");
  }

  /** Nothing that axe-core calls serious. */
  async function clean(page, name) {
    const { violations } = await page.evaluate(`(() => { ${readFileSync(axe, "utf8")}; return axe.run(); })()`);
    const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(
      bad.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`),
      [],
      name,
    );
  }

  async function window(page, tokens, variant = 0) {
    await page.locator("#charts .card").nth(variant).locator("button").first().click();
    await page.locator("#window-number").fill(String(tokens));
    await page.evaluate(() => {
      document.body.dataset.played = "0";
    });
    await page.locator("#window-number").press("Enter");
    await played(page, 2);
  }

  /**
   * The page says what the command line says. Before the first chat was played it counted a quarter of the bytes, a fifth
   * too little; and of precis it showed estimates, which are up to 3,000 tokens off what is billed.
   */
  async function asReplayed(page, path) {
    await install();
    const { stdout } = precis(["replay", at(path), "--window", "32k", "--compare", "--json"]);
    const sent = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const said = sent.map(({ cached, written, requests, peakTokens, overWindow }) => ({
      ...{ mean: Math.round((cached + written) / requests), peak: peakTokens, tooLong: overWindow },
    }));
    const shown = (await sums(page)).map(({ mean, peak, tooLong }) => ({ mean, peak, tooLong }));
    assert.deepEqual(shown, [said[0], said[4]]);
  }

  /** The table, a line for each variant. */
  async function sums(page) {
    const rows = await page.locator("#compare tbody tr").allInnerTexts();
    return rows.map((row) => {
      const [mean, peak, tooLong, compactions] = row
        .split("\t")
        .slice(1)
        .map((cell) => Number(cell.replaceAll(",", "")));
      return { mean, peak, tooLong, compactions };
    });
  }

  async function pictures(to) {
    mkdirSync(to, { recursive: true });
    for (const [width, height, device] of [
      [1280, 1120, "desktop"],
      [390, 844, "phone"],
    ])
      for (const colorScheme of ["light", "dark"]) {
        const page = await open(server.url, { viewport: { width, height }, colorScheme });
        await drop(page, "session.jsonl", readFileSync(at(fixtures[0])));
        await page.locator("#request").press("End");
        await page.evaluate(() => document.activeElement?.blur());
        await page.locator(".row.cleared").first().click();
        await page.waitForSelector("#detail h3");
        await page.evaluate(() => scrollTo(0, 0));
        await page.waitForTimeout(300);
        await page.screenshot({
          path: join(to, `inspector-${device}-${colorScheme}.png`),
          fullPage: device === "desktop",
        });
        await page.context().close();
      }
  }
});

/** The longest task of the page's own thread, in milliseconds of the processor's time: what else runs here is not counted. */
function longestTask(events) {
  const threads = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const isOwn = ({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = events.filter((event) => /RunTask$/.test(event.name) && event.ph === "X" && isOwn(event));
  assert.ok(tasks.length > 100, "the trace holds tasks of the page");
  return Math.max(...tasks.map(({ tdur, dur }) => tdur ?? dur)) / 1_000;
}

/** A long chat with tools, the same every time. */
function chat(length) {
  const words = "what was sent before is kept by the provider and a request that begins otherwise is read anew".split(
    " ",
  );
  let seed = 7;
  const next = (most) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const text = (count) => Array.from({ length: count }, () => words[next(words.length)]).join(" ");
  const messages = [];
  for (let turn = 0; messages.length < length; turn++) {
    messages.push({ role: "user", content: `Question ${turn}: ${text(30)}` });
    const id = `call_${turn}`;
    const call = {
      id,
      type: "function",
      function: { name: ["read", "search"][next(2)], arguments: `{"path":"${turn}.ts"}` },
    };
    messages.push({ role: "assistant", content: text(8), tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: id, content: text(50 + next(250)) });
    messages.push({ role: "assistant", content: text(40) });
  }
  return messages
    .slice(0, length)
    .map((message) => JSON.stringify(message))
    .join("\n");
}
