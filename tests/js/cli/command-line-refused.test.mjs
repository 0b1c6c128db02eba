// What the command line cannot read, write or run: said on standard error with an exit code, nothing half done.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { install, precis } from "./installed.mjs";

const folder = mkdtempSync(join(tmpdir(), "precis-cli-refused-"));
before(install);
after(() => rmSync(folder, { recursive: true }));

const save = (name, content) => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content));
  return path;
};
const said = (role, content) => JSON.stringify({ role, content });
const CHAT = Array.from({ length: 8 }, (_, index) => [
  { role: "user", content: `Question ${index}: ${"why is it so? ".repeat(20)}` },
  { role: "assistant", content: `Answer ${index}: ${"because it is. ".repeat(20)}` },
]).flat();
const COMMANDS = ["demo", "inspect", "replay", "compact", "check"];

function refused(args, reason, options) {
  const { stdout, stderr, status } = precis(args, options);
  assert.deepEqual({ stdout, status }, { stdout: "", status: 2 }, `${args.join(" ")}: ${stderr}`);
  assert.match(stderr, reason, args.join(" "));
  assert.ok(!/^ +at /m.test(stderr), `a stack trace is no advice: ${stderr}`);
}

test("wrong words and options say what there is", () => {
  refused(["inspekt"], /There is no command "inspekt"\. The commands are demo, inspect/);
  refused([save("chat.json", CHAT)], /is a file, not a command\. Name a command first, for example: precis inspect/);
  refused(["inspect"], /Name one transcript/);
  refused(["replay"], /Name a transcript/);
  refused(["inspect", save("chat.json", CHAT), "--windw", "8k"], /--windw/);
  refused(["inspect", save("chat.json", CHAT), "--window", "8 GB"], /--window takes a number of tokens/);
  refused(["inspect", save("chat.json", CHAT), "--window", "8k,16k"], /takes one number here/);
  refused(
    ["inspect", save("chat.json", CHAT), "--conversation", "2"],
    /--conversation 2 is not among them: there is only one/,
  );
  refused(["inspect", mkdtempSync(join(folder, "empty-"))], /No conversation was found in/);
  refused(["replay", save("chat.json", CHAT), "--strategy", "ful"], /Did you mean "full"/);
  refused(["replay", save("chat.json", CHAT), "--prices", "1,2"], /--prices takes four prices/);
  refused(["replay", save("chat.json", CHAT), "--prices", "1,2,,4"], /--prices takes four prices/);
  refused(["check", save("chat.json", CHAT), "--provider", "acme"], /--provider takes one of openai/);
  refused(["compact", save("chat.json", CHAT), "--timeout", "soon"], /--timeout takes a whole number/);
});

for (const command of COMMANDS)
  test(`${command}: what is no transcript`, () => {
    refused([command, join(folder, "absent.json")], /absent\.json does not exist/);
    refused([command, save("notes.txt", "Dear diary,\nit rained.")], /neither JSON .* nor JSON lines/);
    refused([command, save("empty.json", "")], /empty\.json is empty/);
    refused([command, save("blank.json", " \n\n")], /blank\.json is empty/);
    refused([command, save("binary.json", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]))], /is binary/);
    refused([command, save("broken.json.gz", Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]))], /cannot be unpacked/);
    refused([command, save("receipts.json", [{ amount: 7 }])], /holds no conversation in a known format/);
    refused([command, save("number.json", "42")], /holds no conversation/);
    refused([command, save("deep.json", "[".repeat(200_000))], /neither JSON|holds no conversation/);
    refused([command, "-"], /standard input is empty/, { input: "" });
  });

test("a line that is cut off or merged with another is reported and skipped; the rest is used, and the exit code is 2", () => {
  const [first, second, third] = CHAT.map(({ role, content }) => said(role, content));
  const merged = `${second.slice(0, 30)}${third}`;
  const path = save("broken.jsonl", [first, second, merged, third, first.slice(0, 40)].join("\n"));
  const { stdout, stderr, status } = precis(["inspect", path, "--json"]);
  assert.equal(status, 2);
  assert.equal(JSON.parse(stdout).messages, 3);
  assert.match(stderr, /broken\.jsonl:3: this line is not JSON/);
  assert.match(stderr, /broken\.jsonl:5: this line is not JSON/);
  assert.match(stderr, /Skipped 2 lines or files/);
  refused(["inspect", path, "--strict"], /broken\.jsonl:3/);
});

test("control characters of a transcript never reach the terminal", () => {
  const ESC = String.fromCharCode(27);
  const red = `${ESC}[31mred${ESC}[0m ${ESC}]0;title${String.fromCharCode(7)}`;
  const path = save("red.json", [
    { role: "user", content: `${red} ${"hello ".repeat(200)}` },
    { role: "assistant", content: red.repeat(50) },
    { role: "user", content: red },
  ]);
  for (const args of [
    ["inspect", path],
    ["replay", path, "--window", "1k"],
    ["compact", path, "--explain", "--diff"],
    ["check", path],
  ]) {
    const { stdout, stderr } = precis(args);
    assert.ok(!(stdout + stderr).includes(ESC), args.join(" "));
  }
  const broken = precis(["inspect", save("red.jsonl", `${said("user", "hi")}\n${red}`)]);
  assert.ok(!broken.stderr.includes(ESC), JSON.stringify(broken.stderr));
});

test("messages of another form in the same list are said, counted, and never changed", () => {
  const strange = { type: "model_change", content: "?", role: "narrator" };
  const path = save("mixed.json", [
    ...CHAT.slice(0, 4),
    strange,
    ...CHAT.slice(4),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
  ]);
  const { stdout, stderr, status } = precis(["inspect", path, "--json"]);
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).unread, [4]);
  assert.match(precis(["inspect", path]).stdout, /message 5 cannot be read as anthropic/);
});

test("an output that is a directory, cannot be written, or exists is refused, before the summarizer is asked", () => {
  const path = save("chat.json", CHAT);
  const asked = join(folder, "asked");
  const summarizer = ["--summarizer", `echo x > "${asked}"`];
  refused(["compact", path, "-o", folder, ...summarizer], /is a directory/);
  refused(["compact", path, "-o", join(folder, "no", "such", "folder.json"), ...summarizer], /cannot be written/);
  const there = save("there.json", "mine");
  refused(["compact", path, "-o", there, ...summarizer], /already exists: --force overwrites it/);
  assert.equal(readFileSync(there, "utf8"), "mine");
  assert.ok(!existsSync(asked));
  assert.equal(precis(["compact", path, "-o", there, "--force"]).status, 0);
  assert.ok(JSON.parse(readFileSync(there, "utf8")).length < CHAT.length);
  if (process.getuid?.() === 0) return;
  chmodSync(there, 0o400);
  refused(["compact", path, "-o", there, "--force"], /cannot be written/);
});

test("a summarizer that fails, hangs, says nothing or does not stop: a digest takes its place, exit code 3", () => {
  const path = save("chat.json", CHAT);
  const failing = {
    "echo no key >&2; exit 4": /ended with exit code 4: no key/,
    "no-such-program-at-all": /ended with exit code (127|1)/,
    "sleep 60": /took too long|timeout|no answer|within/i,
    "sleep 60 | cat": /took too long|timeout|no answer|within/i,
    true: /empty|nothing/i,
    "yes something": /printed more than 1000 kB|more than/,
    "head -c 10000000 /dev/zero | tr '\\0' x": /printed more than 1000 kB|more than/,
  };
  for (const [command, reason] of Object.entries(failing)) {
    const from = Date.now();
    const { stdout, stderr, status } = precis(["compact", path, "--summarizer", command, "--timeout", "1"]);
    assert.equal(status, 3, `${command}: ${stderr}`);
    assert.match(stderr, reason, command);
    assert.match(stderr, /A digest written by code takes its place/);
    assert.ok(JSON.parse(stdout).length < CHAT.length, command);
    assert.ok(Date.now() - from < 20_000, `${command} was waited for`);
  }
});
