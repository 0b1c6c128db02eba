// precis inspect --html: the page holds what replay says of the same chat, whatever is in the chat, and is never half written.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { history, recorder, replay } from "precis/testing";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";
import { cases } from "../suite/length.mjs";
import { install, precis } from "./installed.mjs";

const inspector = async (name) => import(pathToFileURL(await program(`inspector/${name}`)).href);
const { packed, unpacked } = await inspector("packed");
const { fitted } = await inspector("fitted");
const { overviewOf, pageOf, rememberedOf } = await inspector("book");
const folder = mkdtempSync(join(tmpdir(), "precis-cli-report-"));
before(install);
after(() => rmSync(folder, { recursive: true }));

const save = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

/** The document in a page that was written. */
function shown(args, out = join(folder, "report.html")) {
  const { stdout, stderr, status } = precis(["inspect", ...args, "--html", out, "--force"]);
  assert.deepEqual({ stdout, status }, { stdout: "", status: 0 }, stderr);
  const page = readFileSync(out, "utf8");
  const [, data] = page.match(/<script type="application\/gzip" id="document">([\w+/=]*)<\/script>/);
  return { page, stderr, document: unpacked(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString())) };
}

/** Texts of a recorded session in other orders of their words, so that none is there twice. */
function longChat(length) {
  const recorded = readFileSync(at("tests/fixtures/pi-session/refactoring.jsonl"), "utf8");
  const texts = [...recorded.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].map(([, text]) =>
    JSON.parse(text).slice(0, 3_000).split(" "),
  );
  let seed = 7;
  const next = (most) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  return Array.from({ length }, (_, index) => {
    const words = [...texts[index % texts.length]];
    for (let at = words.length - 1; at > 0; at--) {
      const other = next(at + 1);
      [words[at], words[other]] = [words[other], words[at]];
    }
    return { role: index % 2 ? "assistant" : "user", content: `${index}. ${words.join(" ")}` };
  });
}

const played = (args) =>
  precis(["replay", ...args, "--requests", "--json"])
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ after }) => after);

test("a page says of each request what replay says", () => {
  const args = [at("tests/fixtures/tau-bench/airline.json"), "--window", "4k"];
  const { document } = shown(args);
  const [ours, everything] = document.variants;
  const longest = document.requests.length;
  assert.ok(longest > 5 && ours.compactions.length > 0);
  assert.equal(ours.tokens.length, longest);
  assert.ok(ours.tokens.every((tokens, at) => tokens <= everything.tokens[at] + 1_500));
  assert.ok(ours.views.every(({ entries }) => entries.length > 0));
});

// The ways without precis were shown by estimate alone, and without their rewrites; then those of precis by the parts of
// its report.
test("a page says of each way what replay --compare says", () => {
  const args = [at("tests/fixtures/pi-session/refactoring.jsonl"), "--window", "32k", "--compare"];
  const { document } = shown(args);
  const sums = precis(["replay", ...args, "--json"])
    .stdout.trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(document.variants.length, sums.length);
  const total = (list) => list.reduce((sum, one) => sum + one, 0);
  for (const [at, { way, ...sum }] of sums.entries()) {
    const { tokens, parts, settings, ...trace } = document.variants[at];
    for (const name of ["cached", "written", "output"]) assert.equal(total(trace[name]), sum[name], `${way}: ${name}`);
    assert.deepEqual([trace.rewrites, trace.forgets], [sum.prefixBreaks, sum.userMissing], way);
    for (const [request, one] of tokens.entries())
      assert.equal(total(Object.values(parts).map((part) => part[request])), one, way);
    const { peakTokens, overWindow } = sum;
    assert.deepEqual([Math.max(...tokens), tokens.filter((one) => one > 32_000).length], [peakTokens, overWindow], way);
  }
});

test("of a long chat only requests around compactions are played, and they are those that replay finds", () => {
  const turns = Array.from({ length: 450 }, (_, turn) => [
    { role: "user", content: `Question ${turn}: ${"why is it so? ".repeat(12 + (turn % 7))}` },
    { role: "assistant", content: `Answer ${turn}: ${"because it is. ".repeat(15 + (turn % 11))}` },
  ]).flat();
  const args = [save("long.json", turns), "--window", "8k"];
  const { document } = shown(args);
  const [ours] = document.variants;
  const whole = played(args);
  assert.equal(ours.tokens.length, whole.length);
  assert.ok(ours.calculated > whole.length / 2, `${ours.calculated} were calculated`);
  assert.deepEqual(
    ours.compactions.map(({ request }) => request),
    whole.flatMap(({ outcome }, request) => (outcome === "compacted" ? [request] : [])),
  );
  for (const [request, { after }] of whole.entries()) {
    const [tokens, exact] = [ours.tokens[request], after.tokens ?? after];
    assert.equal(tokens, exact, `request ${request}`);
  }
});

test("a recording is shown as it was recorded, with texts or without", async () => {
  const chat = history(openaiChat, { seed: 9, turns: 20 });
  for (const texts of [false, true]) {
    const recording = recorder({ texts });
    const own = createCompactor({ format: openaiChat, contextWindow: 6_000, maxOutputTokens: 600 });
    const { requests } = await replay(recording.watch(own), openaiChat, chat);
    const file = save("recording.jsonl", recording.text());
    const { document } = shown([file]);
    assert.deepEqual(
      document.variants[0].tokens,
      requests.map(({ report }) => report.after.tokens),
    );
    assert.equal(document.messages.length > 0, texts);
    const { status, stderr } = precis(["replay", file, "--window", "6k"]);
    assert.equal(status, texts ? 0 : 2, stderr);
    if (!texts) assert.match(stderr, /is a recording without texts/);
  }
});

/** The messages of a long chat. */
const LONG = cases(10_000, 5_000);

test("a page of a long chat takes less than 1 MB, and holds every text of it", () => {
  const chat = [];
  for (let seed = 1; chat.length < LONG; seed++) chat.push(...history(openaiChat, { seed, turns: 50 }));
  const { page, document } = shown([save("long.json", chat), "--window", "64k"]);
  assert.ok(page.length < 1_000_000, `${page.length} bytes`);
  assert.equal(document.messages.length, chat.length);
  const text = ({ content }) => (typeof content === "string" ? content : (content?.[0].text ?? ""));
  for (const [index, message] of chat.entries())
    assert.ok(document.messages[index].text.includes(text(message)), `messages[${index}]`);
});

// 8,084 recorded messages took 1.22 MB.
test("a page of many long messages takes less than 1 MB, and says how much of their texts it leaves out", () => {
  const chat = longChat(LONG);
  const { page, document, stderr } = shown([save("long-texts.json", chat), "--window", "128k"]);
  assert.ok(Buffer.byteLength(page) < 1_000_000, `${page.length} bytes`);
  assert.ok(Buffer.byteLength(page) > 800_000, `${page.length} bytes: more of the texts had fitted`);
  assert.equal(document.messages.length, chat.length);
  const { texts, characters, of } = document.shortened;
  assert.ok(texts > 1_000 && characters > of / 4, `${texts} texts, ${characters} of ${of} characters`);
  const notes = document.messages.flatMap(
    ({ text }) => text.match(/(?<=^\[… )[\d,]+(?= characters are not in this)/gm) ?? [],
  );
  assert.equal(notes.length, texts);
  assert.equal(
    notes.reduce((sum, note) => sum + Number(note.replaceAll(",", "")), 0),
    characters,
  );
  assert.match(stderr, /leaves out the middle of [\d,]+ texts: [\d,]+ of [\d,]+ characters \(\d+ %\)/);
});

test("a document that is shortened keeps its figures, and beginnings and ends of its texts", async () => {
  const args = [at("tests/fixtures/pi-session/refactoring.jsonl"), "--window", "16k"];
  const { document } = shown(args);
  const sizeOf = (one) => gzipSync(JSON.stringify(packed(one))).length;
  assert.equal(await fitted(document, sizeOf(document), sizeOf), document, "what fits is left alone");
  const whole = sizeOf(document);
  for (const most of [whole * 0.8, whole * 0.5, whole * 0.25]) {
    const small = await fitted(document, most, sizeOf);
    assert.ok(sizeOf(small) <= most, `${sizeOf(small)} of ${most}`);
    assert.deepEqual(small.variants.map(overviewOf), document.variants.map(overviewOf));
    assert.deepEqual(
      small.messages.map(({ text, ...one }) => one),
      document.messages.map(({ text, ...one }) => one),
    );
    for (const [index, { text }] of small.messages.entries()) {
      const [head, tail = ""] = text.split(/\n\[… [\d,]+ characters are not in this report …\]\n/);
      const original = document.messages[index].text;
      assert.ok(original.startsWith(head) && original.endsWith(tail), `messages[${index}]`);
    }
    for (const [variant, { views }] of small.variants.entries())
      for (const { request } of views) {
        const [one, other] = [document, small].map((from) => rememberedOf(from, variant, request));
        assert.equal(other.summary === null, one.summary === null);
        if (!other.isEarlier) assert.deepEqual(other.memory.length, one.memory.length);
        assert.deepEqual(
          pageOf(small, variant, request, "sent", 0, 9).total,
          pageOf(document, variant, request, "sent", 0, 9).total,
        );
      }
  }
});

test("a document is packed and unpacked to the same", () => {
  const text = "the first line of a summary\nthe second one\n\nthe first line of a summary";
  const odd = {
    lists: [[], [0], [5, -3, 2 ** 53 - 1], [0.5, 1], [null, true, "short"], [[1, 2], []]],
    text,
    none: null,
    // Values, numbers beside those of the value before, and texts that are there again in other orders.
    views: [1, 2, 3].map((n) => ({
      state: [
        ["a name", 1, 7],
        ["another name", 2, 7 + n],
      ],
      counts: [9, 20, 31 + n, 42],
    })),
    texts: [`${text}\nmore of it than sixteen`, `more of it than sixteen\n${text}`, text],
    ["__proto__"]: { empty: {} },
  };
  const document = { again: [text, `${text}\n`, "\n".repeat(20)], odd, 0: "a key like the mark of a list" };
  assert.deepEqual(unpacked(JSON.parse(JSON.stringify(packed(document)))), document);
});

test("HTML and scripts of a chat are text in the page", () => {
  const evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(2)>";
  const chat = Array.from({ length: 20 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: evil }));
  const { page, document } = shown([save("evil.json", chat)]);
  assert.equal(document.messages[0].text, evil);
  assert.equal(page.split("</script>").length, 3, "the document and the page's own script end, nothing else");
  assert.match(page, /script-src 'sha256-/);
});

test("an output that is taken or cannot be written, and what is no transcript: refused, nothing written", () => {
  const chat = save("chat.json", [{ role: "user", content: "hi" }]);
  const taken = save("taken.html", "mine");
  const refused = (args, reason) => {
    const { status, stderr } = precis(["inspect", ...args]);
    assert.equal(status, 2, stderr);
    assert.match(stderr, reason);
  };
  refused([chat, "--html", taken], /already exists: --force overwrites it/);
  assert.equal(readFileSync(taken, "utf8"), "mine");
  refused([chat, "--html", folder], /is a directory/);
  refused([chat, "--html", join(folder, "no", "such.html")], /there is no folder/);
  refused([chat, "--html", join(folder, "new.html"), "--prices", "1,2"], /--prices takes four prices/);
  refused([save("notes.txt", "Dear diary,\nit rained."), "--html", join(folder, "new.html")], /neither JSON/);
  assert.ok(!existsSync(join(folder, "new.html")));
});
