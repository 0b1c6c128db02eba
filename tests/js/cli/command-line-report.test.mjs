// precis inspect --html: the page holds what replay says of the same chat, whatever is in the chat, and is never half written.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import { history, recorder, replay } from "precis/testing";
import { at } from "../../../js/scripts/common.mjs";
import { program } from "../../../js/scripts/demo.mjs";
import { install, precis } from "./installed.mjs";

const { packed, unpacked } = await import(pathToFileURL(await program("inspector/packed")).href);
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
  return { page, document: unpacked(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString())) };
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

// The ways without precis were shown by estimate alone, and without their rewrites.
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
    if (way.startsWith("precis")) continue;
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

test("a page of 10,000 messages takes less than 1 MB, and holds every text of them", () => {
  const chat = [];
  for (let seed = 1; chat.length < 10_000; seed++) chat.push(...history(openaiChat, { seed, turns: 50 }));
  const { page, document } = shown([save("long.json", chat), "--window", "64k"]);
  assert.ok(page.length < 1_000_000, `${page.length} bytes`);
  assert.equal(document.messages.length, chat.length);
  const text = ({ content }) => (typeof content === "string" ? content : (content?.[0].text ?? ""));
  for (const [index, message] of chat.entries())
    assert.ok(document.messages[index].text.includes(text(message)), `messages[${index}]`);
});

test("a document is packed and unpacked to the same", () => {
  const text = "the first line of a summary\nthe second one\n\nthe first line of a summary";
  const odd = {
    lists: [[], [0], [5, -3, 2 ** 53 - 1], [0.5, 1], [null, true, "short"], [[1, 2], []]],
    text,
    none: null,
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
