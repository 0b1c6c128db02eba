// The command line as packed and installed: every command on every recorded form, and what it promises to those who pipe.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { at } from "../../../js/scripts/common.mjs";
import { spread } from "../suite/length.mjs";
import { install, place, precis, started } from "./installed.mjs";

const folder = mkdtempSync(join(tmpdir(), "precis-cli-"));
before(install);
after(() => rmSync(folder, { recursive: true }));

const ESCAPE = String.fromCharCode(27);
const COMMANDS = ["demo", "inspect", "replay", "compact", "check"];
const fixture = (name) => at("tests/fixtures", name);
/** Each recorded form, and how many conversations the file holds. */
const FORMS = {
  "aider/chat-history.md": ["aider", 3],
  "ai-sdk/airline.json": ["ai-sdk", 1],
  "anthropic/claude-code.jsonl": ["claude-code", 1],
  "anthropic/requests.jsonl": ["anthropic", 12],
  "mini-swe-agent/github_issue.traj.json": ["openai-chat", 1],
  "openai-chat/chinese.jsonl": ["openai-chat", 3],
  "openai-chat/korean-japanese.jsonl": ["openai-chat", 8],
  "openai-chat/requests.jsonl": ["openai-chat", 12],
  "openhands/without-native-calls.json": ["openai-chat", 1],
  "pi-session/refactoring.jsonl": ["pi-session", 1],
  "provider-pairs/requests.jsonl": ["provider-pairs", 18],
  "swe-agent/crypto-eps.traj": ["swe-agent", 1],
  "swe-agent/marshmallow-1867.traj": ["swe-agent", 1],
  "tau-bench/airline.json": ["tau-bench", 2],
};
/** Two forms of which nothing was recorded whole: as their providers document them. */
const GEMINI = {
  contents: [
    { role: "user", parts: [{ text: "What is the weather in Oslo?" }] },
    { role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } } }] },
    { role: "user", parts: [{ functionResponse: { name: "weather", response: { result: "rain ".repeat(600) } } }] },
    { role: "model", parts: [{ text: "It rains." }] },
    { role: "user", parts: [{ text: "And in Bergen?" }] },
  ],
  systemInstruction: { parts: [{ text: "You know the weather." }] },
};
const RESPONSES = {
  model: "gpt-5",
  instructions: "You know the weather.",
  input: [
    { role: "user", content: "What is the weather in Oslo?" },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "AAAA" },
    { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
    { type: "function_call_output", call_id: "c1", output: "rain ".repeat(600) },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "It rains." }] },
    { role: "user", content: "And in Bergen?" },
  ],
};

const save = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content));
  return path;
};
const lines = (text) => text.trimEnd().split("\n");

/** A command that must end well and say nothing on the side but notices. */
function good(args, options) {
  const { stdout, stderr, status } = precis(args, options);
  assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
  assert.ok(!stdout.includes(ESCAPE) && !stderr.includes(ESCAPE), `${args.join(" ")} prints escape codes into a pipe`);
  return { stdout, stderr };
}

const json = (args, options) => JSON.parse(good([...args, "--json"], options).stdout);

test("--help of each command fits a screen; --version is the package's", () => {
  const { version } = JSON.parse(readFileSync(join(place, "node_modules/precis/package.json"), "utf8"));
  assert.equal(good(["--version"]).stdout, `${version}\n`);
  for (const args of [["--help"], [], ...COMMANDS.map((name) => [name, "--help"]), ["help", "inspect"]]) {
    const shown = lines(good(args).stdout);
    assert.ok(shown.length > 5 && shown.length <= 24, `${args.join(" ")} prints ${shown.length} lines`);
    for (const line of shown) assert.ok(line.length <= 100, `${args.join(" ")}: ${line}`);
  }
  for (const name of COMMANDS) assert.match(good(["--help"]).stdout, new RegExp(`^  ${name} `, "m"));
});

test("npx precis works in a folder that holds nothing but the installed package", () => {
  const shell = process.platform === "win32";
  const { stdout, stderr, status } = spawnSync("npx", ["--offline", "precis", "demo", "--window", "64k"], {
    cwd: place,
    encoding: "utf8",
    shell,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^a recorded coding session$/m);
  assert.match(stdout, /No request was over the window/);
});

test("the demo replays the session of the package, which can be saved and used", () => {
  const { stdout } = good(["demo", "--window", "32k"]);
  assert.match(stdout, /A window of 32,000 tokens/);
  assert.match(stdout, /compaction 1: [\d,]+ → [\d,]+ tokens/);
  assert.match(stdout, /by the provider's own recorded counts: at most [\d,]+ tokens, none over the window/);
  const path = join(folder, "session.jsonl");
  good(["demo", "--save", path]);
  assert.equal(readFileSync(path, "utf8"), readFileSync(fixture("pi-session/refactoring.jsonl"), "utf8"));
  assert.equal(precis(["demo", "--save", path]).status, 2);
  good(["demo", "--save", path, "--force"]);
  for (const line of lines(stdout)) assert.ok([...line].length <= 140, line);
});

for (const [file, [shape, count]] of spread(Object.entries(FORMS), 4))
  test(`every command reads ${file}`, () => {
    const path = fixture(file);
    const seen = json(["inspect", path, "--window", "64k"]);
    assert.equal(seen.shape, shape);
    const sum = seen.shares.reduce((total, { tokens }) => total + tokens, 0);
    assert.equal(sum, seen.usage.tokens, "the shares add up to the whole");
    assert.ok(good(["inspect", path]).stdout.includes(seen.shape));
    const totals = lines(good(["replay", path, "--window", "1m", "--json"]).stdout).map((line) => JSON.parse(line));
    assert.equal(totals.length, count);
    const checked = lines(precis(["check", path, "--json"]).stdout).map((line) => JSON.parse(line));
    assert.equal(checked.length, count);
    for (const { left, problems } of checked) assert.ok(left === 0 || problems.length > 0);
    const compared = lines(
      good(["replay", path, "--compare", "--window", "8k", "--prices", "3,0.3,3.75,15", "--json"]).stdout,
    );
    assert.equal(compared.length, 7);
    for (const line of compared) assert.ok(JSON.parse(line).bill >= 0);
  });

for (const file of spread(Object.keys(FORMS), 4))
  test(`compact writes ${file} so that it can be read again`, () => {
    const path = fixture(file);
    const args = ["compact", path, "--window", "64k", "--keep", "2", "--turns", "0"];
    if (file.startsWith("provider-pairs")) {
      const { stdout, stderr, status } = precis(args);
      assert.deepEqual([stdout, status], ["", 2]);
      return assert.match(stderr, /can be read but not written/);
    }
    const { stdout } = good(args);
    const before = json(["inspect", path]);
    const after = json(["inspect", "-"], { input: stdout });
    assert.equal(after.usage.tokens <= before.usage.tokens * 1.2 + 200, true);
    assert.deepEqual(after.unread, []);
    assert.equal(precis(["check", "-"], { input: stdout }).status, 0, "what was legal stays so");
  });

for (const [name, content] of Object.entries({ gemini: GEMINI, "openai-responses": RESPONSES }))
  test(`${name}: recognised, inspected, compacted in its own form`, () => {
    const path = save(`${name}.json`, content);
    const seen = json(["inspect", path]);
    assert.equal(seen.shape, name);
    assert.ok(
      seen.shares.some(({ kind, tool }) => kind === "tool results" && tool === "weather"),
      JSON.stringify(seen.shares),
    );
    assert.ok(seen.shares.some(({ kind }) => kind === "system"));
    assert.deepEqual(seen.unread, []);
    const written = JSON.parse(good(["compact", path]).stdout);
    assert.deepEqual(Object.keys(written), Object.keys(content), "a request stays a request");
    const [list] = Object.keys(content).filter((key) => Array.isArray(content[key]));
    const newest = (messages) => JSON.stringify(messages.at(-1).parts?.at(-1) ?? messages.at(-1));
    assert.equal(newest(written[list]), newest(content[list]));
    assert.ok(JSON.stringify(written).length < JSON.stringify(content).length);
    good(["check", path]);
    good(["replay", path]);
  });

test("inspect: parts, largest messages, duplicates, distance, what would be done", () => {
  const text = "the same file again, line by line. ".repeat(100);
  const call = (id) => ({
    role: "assistant",
    tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
  });
  const result = (id) => ({ role: "tool", tool_call_id: id, content: text });
  const history = [
    { role: "user", content: "Read it." },
    call("a"),
    result("a"),
    call("b"),
    result("b"),
    { role: "user", content: "So?" },
  ];
  const path = save("twice.json", history);
  const seen = json(["inspect", path, "--window", "4k"]);
  assert.deepEqual(
    seen.duplicates.map(({ what, indices }) => [what, indices]),
    [["tool results of read", [2, 4]]],
  );
  assert.equal(seen.biggest[0].role, "tool");
  assert.deepEqual(seen.biggest[0].tools, ["read"]);
  assert.equal(seen.usage.window, 4_000);
  const { stdout } = good(["inspect", path, "--window", "4k"]);
  assert.match(stdout, /tool results +[\d,]+ +\d+ % +█+/);
  assert.match(stdout, /Repeated content: [\d,]+ tokens/);
  assert.match(stdout, /messages 3, 5/);
  assert.match(stdout, /compaction starts at 3,500: [\d,]+ to go/);
  const small = json(["inspect", path, "--window", "1200"]);
  assert.equal(small.compaction.due, true);
  assert.ok(small.compaction.clipped.length + small.compaction.cleared.length + small.compaction.covered.length > 0);
});

test("inspect takes its counts from the provider's, where the transcript has them", () => {
  const seen = json(["inspect", fixture("pi-session/refactoring.jsonl")]);
  assert.equal(seen.usage.source, "reported");
  assert.ok(Math.abs(seen.usage.tokens - 132_128) < 1_000, String(seen.usage.tokens));
});

test("replay --requests tells every request", () => {
  const args = ["replay", fixture("swe-agent/marshmallow-1867.traj"), "--window", "6000", "--requests"];
  const requests = lines(good([...args, "--json"]).stdout).map((line) => JSON.parse(line));
  assert.deepEqual(
    requests.map(({ request }) => request),
    Array.from({ length: 11 }, (_, index) => index + 1),
  );
  assert.ok(requests.some(({ outcome }) => outcome === "compacted"));
  for (const { after, window } of requests) assert.ok(after.tokens <= window);
  assert.equal(lines(good(args).stdout).length, 12);
  assert.equal(lines(good([...args, "--limit", "3"]).stdout).length, 4);
});

test("replay --compare: sending everything is never fewer tokens, and its bill is the sum that it should be", () => {
  const [ours, , , , everything, newest, cleared] = lines(
    good([
      "replay",
      fixture("pi-session/refactoring.jsonl"),
      "--compare",
      "--window",
      "32k",
      "--prices",
      "2,0.5,4,10",
      "--json",
    ]).stdout,
  ).map((line) => JSON.parse(line));
  assert.equal(everything.way, "send everything");
  for (const { cached, written, output, bill, uncached } of [ours, everything, newest, cleared]) {
    assert.ok(Math.abs(bill - (cached * 0.5 + written * 4 + output * 10) / 1e6) < 1e-9);
    assert.ok(Math.abs(uncached - ((cached + written) * 2 + output * 10) / 1e6) < 1e-9);
  }
  assert.ok(ours.cached + ours.written < everything.cached + everything.written);
  assert.deepEqual([ours.overWindow, ours.invalid, ours.userMissing], [0, 0, 0]);
  assert.ok(everything.overWindow > 0 && everything.prefixBreaks === 0);
  assert.ok(newest.prefixBreaks > ours.prefixBreaks && cleared.prefixBreaks > ours.prefixBreaks);
  // What was recorded of the requests is what sending everything takes.
  const records = lines(readFileSync(fixture("pi-session/refactoring.jsonl"), "utf8")).map((line) => JSON.parse(line));
  const usages = records.flatMap(({ message }) => (message?.usage ? [message.usage] : []));
  const prompts = usages.map(({ input, cacheRead, cacheWrite }) => input + cacheRead + cacheWrite);
  assert.equal(everything.peakTokens, Math.max(...prompts));
});

test("compact --explain and --diff say what is done and write nothing; with -o they write as well", () => {
  const path = fixture("swe-agent/marshmallow-1867.traj");
  const { stdout } = good(["compact", path, "--explain", "--diff", "--turns", "0", "--keep", "4"]);
  assert.match(stdout, /replaced by the summary: \d+ \(messages? /);
  assert.match(stdout, /^- messages? [\d–, ]+: [\d,]+ tokens$/m);
  assert.match(stdout, /^\+ [\d,]+ tokens: \[Summary of the conversation so far\]/m);
  assert.ok(!stdout.includes('"role"'));
  const out = join(folder, "explained.json");
  const told = good(["compact", path, "--explain", "--turns", "0", "--keep", "4", "-o", out]).stdout;
  assert.match(told, /kept whole/);
  assert.ok(JSON.parse(readFileSync(out, "utf8")).length < 24);
  const { compaction, ...report } = json(["compact", path, "--turns", "0", "--keep", "4"]);
  assert.equal(compaction, undefined);
  assert.ok(report.covered.length > 0 && report.report.outcome === "compacted");
});

test("compact keeps the container: lines stay lines, an object keeps its other members, indentation stays", () => {
  const long = Array.from({ length: 12 }, (_, at) => [
    { role: "user", content: `Question ${at}: ${"why is that so? ".repeat(30)}` },
    { role: "assistant", content: `Answer ${at}: ${"because it is. ".repeat(30)}` },
  ]).flat();
  const asLines = save("chat.jsonl", long.map((one) => JSON.stringify(one)).join("\n"));
  const written = lines(good(["compact", asLines]).stdout).map((line) => JSON.parse(line));
  assert.ok(written.length < long.length);
  assert.deepEqual(written.at(-1), long.at(-1));
  const request = save("request.json", JSON.stringify({ model: "gpt-5", messages: long, temperature: 1 }, null, 2));
  const { stdout } = good(["compact", request]);
  assert.match(stdout, /^\{\n {2}"model": "gpt-5",\n {2}"messages": \[/);
  assert.equal(JSON.parse(stdout).temperature, 1);
});

test("check: what a provider refuses, and what precis repairs of it", () => {
  const history = [
    { role: "assistant", content: "Hello!" },
    { role: "user", content: "Hi." },
    { role: "user", content: "Are you there?" },
    { role: "tool", tool_call_id: "lost", content: "42" },
  ];
  const path = save("faulty.json", history);
  const rules = (provider) => {
    const { stdout, status } = precis(["check", path, "--json", ...(provider ? ["--provider", provider] : [])]);
    assert.equal(status, 1);
    const { problems, left, provider: said } = JSON.parse(stdout);
    return { rules: problems.map(({ rule, index }) => `${rule} ${index}`), left, said };
  };
  assert.deepEqual(rules(), { rules: ["orphan-result 3"], left: 0, said: "openai" });
  assert.deepEqual(rules("local").rules, ["opening 0", "alternation 2", "orphan-result 3"]);
  assert.deepEqual(rules("mistral").rules, ["role-order 3"]);
  assert.deepEqual(rules("bedrock").rules, ["opening 0", "orphan-result 1"]);
  assert.deepEqual(rules("gemini").rules, ["orphan-result 3"]);
  const { stdout, status } = precis(["check", path]);
  assert.equal(status, 1);
  assert.match(stdout, /message 4 {2}orphan-result {2}400: .*'tool' must be a response to a preceeding message/);
  assert.match(stdout, /^ {4}community\.openai\.com/m);
  assert.match(stdout, /precis repairs all of this/);
  assert.equal(
    good(["check", fixture("tau-bench/airline.json")]).stdout,
    "2 conversations, none of which would be refused\n",
  );
});

test("a summarizer is any command: the prompt on its standard input, its limit in the environment", () => {
  const script = save(
    "summarizer.mjs",
    `let text = ""; for await (const chunk of process.stdin) text += chunk;
    if (!text.includes("seven degrees") || !(Number(process.env.PRECIS_MAX_TOKENS) > 0)) process.exit(9);
    console.log("## Task\\nThe user asked for the weather in Oslo; it was seven degrees there, and that was told. " + "The user then asked about Bergen. ".repeat(4));`,
  );
  const chat = [
    { role: "user", content: `What is the weather in Oslo? ${"Tell me all about it. ".repeat(40)}` },
    { role: "assistant", content: `It is seven degrees. ${"The wind is weak. ".repeat(80)}` },
    { role: "user", content: "And in Bergen?" },
  ];
  const path = save("weather.json", chat);
  const node = process.execPath.includes(" ") ? `"${process.execPath}"` : process.execPath;
  const { stdout, stderr } = good(["compact", path, "--summarizer", `${node} "${script}"`]);
  assert.equal(stderr, "");
  assert.match(stdout, /seven degrees there, and that was told/);
});

test("transcripts come from standard input, compressed, or in UTF-16 as well", () => {
  const text = readFileSync(fixture("openai-chat/chinese.jsonl"), "utf8");
  const totals = (args, options) =>
    lines(good(["replay", ...args, "--json"], options).stdout).map((line) => JSON.parse(line).messages);
  const expected = totals([fixture("openai-chat/chinese.jsonl")]);
  assert.deepEqual(totals(["-"], { input: text }), expected);
  assert.deepEqual(totals([save("chinese.jsonl.gz", gzipSync(text))]), expected);
  assert.deepEqual(totals([save("chinese.utf16.jsonl", Buffer.from(`\ufeff${text}`, "utf16le"))]), expected);
  assert.deepEqual(totals([save("chinese.bom.jsonl", `\ufeff${text}`)]), expected);
});

test("a pipe that closes early ends it quietly", async () => {
  for (const args of [["demo"], ["replay", fixture("pi-session/refactoring.jsonl"), "--requests", "--json"]]) {
    const child = started(args);
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((done) => child.on("close", done));
    assert.deepEqual([code, stderr], [0, ""], args.join(" "));
  }
});

test("nothing in a transcript, in its name or in the command steers the terminal that shows it", () => {
  const BELL = String.fromCharCode(7);
  const evil = `x${ESCAPE}]0;title${BELL}${ESCAPE}[2J${ESCAPE}[31mred${ESCAPE}c${String.fromCharCode(0x9b)}5n\u202etxt\u200f\u061c\u2028\r`;
  const messages = Array.from({ length: 30 }, (_, n) => [
    { role: "user", name: evil, content: `${evil} ${n} ${"and so on ".repeat(60)}` },
    {
      role: "assistant",
      content: evil,
      tool_calls: [
        { id: `${evil}${n}`, type: "function", function: { name: evil, arguments: JSON.stringify({ evil }) } },
      ],
    },
    { role: "tool", tool_call_id: `${evil}${n}`, content: `${evil} `.repeat(20) },
  ]).flat();
  const file = save(`chat-${evil.replaceAll("/", "")}.json`, { model: evil, messages });
  const commands = [
    ["inspect", file],
    ["replay", file, "--window", "8000"],
    ["replay", file, "--window", "8000", "--compare"],
    ["compact", file, "--window", "8000", "--explain"],
    ["check", file],
    ["demo", file, "--window", "8000"],
    [evil],
    ["inspect", `${file}-none`],
    ["replay", file, "--window", evil],
    ["replay", file, `--${evil}`],
  ];
  for (const args of commands) {
    const { stdout, stderr } = precis(args);
    assert.ok(stdout.length + stderr.length > 0, args[0]);
    for (const text of [stdout, stderr])
      assert.doesNotMatch(text, /(?![\t\n])\p{Cc}|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u, args.join(" "));
  }
});

test("a file is written anew beside its place: a link that somebody planted there is not followed", () => {
  const target = join(folder, "planted-target.txt");
  writeFileSync(target, "theirs");
  const chat = save("planted.json", RESPONSES);
  const out = join(folder, "planted-out.json");
  for (let pid = process.pid; pid < process.pid + 200; pid++) symlinkSync(target, `${out}.${pid}.tmp`);
  good(["compact", chat, "--window", "8000", "-o", out]);
  assert.equal(readFileSync(target, "utf8"), "theirs");
});
