import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { commandLine } from "../../../js/scripts/demo.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "precis-demo-"));
let program;

before(async () => {
  program = await commandLine();
});
after(() => rmSync(folder, { recursive: true }));

const FIELDS = [
  "file",
  "messages",
  "requests",
  "compactions",
  "summarizerCalls",
  "peakTokens",
  "window",
  "overWindow",
  "infeasible",
  "newestMissing",
  "userMissing",
  "invalid",
  "prefixBreaks",
];

test("every fixture is read, and its form recognised", () => {
  const found = new Map();
  const folders = ["ai-sdk", "anthropic", "openai-chat", "pi-session", "provider-pairs", "swe-agent", "tau-bench"];
  for (const one of objects(...folders.map((folder) => `tests/fixtures/${folder}`), "--window", "1m")) {
    const { conversations = 0, messages = 0, requests = 0 } = found.get(one.file) ?? {};
    found.set(one.file, {
      conversations: conversations + 1,
      messages: messages + one.messages,
      requests: requests + one.requests,
    });
  }
  const expected = {
    "ai-sdk/airline.json": [1, 46, 22],
    "anthropic/claude-code.jsonl": [1, 12, 5],
    "anthropic/requests.jsonl": [12, 97, 48],
    "openai-chat/chinese.jsonl": [3, 74, 37],
    "openai-chat/korean-japanese.jsonl": [8, 128, 60],
    "openai-chat/requests.jsonl": [12, 67, 30],
    "pi-session/refactoring.jsonl": [1, 188, 89],
    "provider-pairs/requests.jsonl": [18, 35, 8],
    "swe-agent/crypto-eps.traj": [1, 29, 14],
    "swe-agent/marshmallow-1867.traj": [1, 24, 11],
    "tau-bench/airline.json": [2, 102, 49],
  };
  for (const [file, [conversations, messages, requests]] of Object.entries(expected))
    assert.deepEqual(found.get(`tests/fixtures/${file}`), { conversations, messages, requests }, file);
  assert.equal(found.size, Object.keys(expected).length);
});

test("--json prints one object for each conversation and window, and nothing else", () => {
  const lines = objects("tests/fixtures/swe-agent/crypto-eps.traj", "--window", "8000,1m", "--window", "32_000");
  assert.deepEqual(
    lines.map(({ window }) => window),
    [8_000, 1_000_000, 32_000],
  );
  for (const line of lines) assert.deepEqual(Object.keys(line), FIELDS);
});

test("a real coding session fits a window a quarter of its size", () => {
  const [whole] = objects("--window", "1m");
  const [totals] = objects("--window", "32000", "--strategy", "full");
  assert.ok(whole.peakTokens > 100_000 && whole.compactions === 0 && whole.prefixBreaks === 0);
  assert.ok(totals.compactions > 0 && totals.summarizerCalls === 0);
  for (const fault of ["overWindow", "infeasible", "newestMissing", "userMissing", "invalid"])
    assert.equal(totals[fault], 0, fault);
});

test("a person reads bars, compactions and a table", () => {
  const { stdout, status } = demo("--window", "32k");
  assert.equal(status, 0);
  assert.match(stdout, /A window of 32,000 tokens/);
  assert.match(stdout, /request +\d+ {2}█+/);
  assert.match(stdout, /compaction 1: [\d,]+ → [\d,]+ tokens/);
  assert.match(stdout, /^window +requests +compactions/m);
  assert.ok(!stdout.includes("\u001b"), "no colour outside a terminal");
});

test("tau2-bench: the agent's side only, with the usage of its replies", () => {
  const call = (id, requestor) => [{ id, name: "look", arguments: { at: id }, requestor }];
  const file = save("tau2.json", {
    info: { environment_info: { policy: "Be kind." } },
    simulations: [
      {
        task_id: "7",
        messages: [
          { role: "assistant", content: "Hi!", usage: null },
          { role: "user", content: "My phone is broken.", tool_calls: null },
          { role: "user", content: null, tool_calls: call("u1", "user") },
          { role: "tool", id: "u1", content: "no bars", requestor: "user" },
          { role: "assistant", content: null, tool_calls: call("a1", "assistant"), usage: { prompt_tokens: 900 } },
          { role: "tool", id: "a1", content: "a line", requestor: "assistant" },
          { role: "assistant", content: "Restart it.", usage: { prompt_tokens: 950, completion_tokens: 5 } },
        ],
      },
    ],
  });
  const [{ messages, requests }] = objects(file, "--window", "8000");
  assert.deepEqual({ messages, requests }, { messages: 5, requests: 2 });
});

test("mini-swe-agent: what was sent, without its bookkeeping", () => {
  const file = save("mini.traj.json", {
    trajectory_format: "mini-swe-agent-1.1",
    messages: [
      { role: "system", content: "You fix bugs." },
      { role: "user", content: "Fix it." },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: "{}" } }],
        extra: { response: { usage: { prompt_tokens: 40, completion_tokens: 9 } } },
      },
      { role: "tool", tool_call_id: "c1", content: "done", extra: { returncode: 0 } },
      { role: "exit", content: "submitted" },
    ],
  });
  const [{ messages, requests }] = objects(file, "--window", "8000");
  assert.deepEqual({ messages, requests }, { messages: 4, requests: 1 });
});

test("a UI's messages become what the AI SDK would send", () => {
  const tool = {
    type: "tool-weather",
    toolCallId: "w1",
    state: "output-available",
    input: { city: "Oslo" },
    output: 7,
  };
  const file = save("ui.json", {
    messages: [
      { id: "1", role: "user", parts: [{ type: "text", text: "Weather?" }] },
      {
        id: "2",
        role: "assistant",
        parts: [{ type: "step-start" }, tool, { type: "step-start" }, { type: "text", text: "Seven degrees." }],
      },
    ],
  });
  const [{ messages, requests }] = objects(file, "--window", "8000");
  assert.deepEqual({ messages, requests }, { messages: 4, requests: 2 });
});

test("what cannot be read or done is said on stderr, with exit code 2", () => {
  refused(["no-such-file.json"], /no-such-file\.json does not exist/);
  refused([save("notes.txt", "hello")], /holds no conversation/);
  refused([save("broken.json", '{"role":"user",', true)], /neither JSON .* nor JSON lines/);
  refused([save("empty.json", "", true)], /is empty/);
  refused(["--window", "many"], /--window takes a number of tokens/);
  refused(["--strategy", "ful"], /full/);
  refused(["--colour"], /--colour/);
});

const said = (role, content) => JSON.stringify({ role, content });
const RECORDS = [said("user", "hi"), said("assistant", "Hello."), said("user", "And now?"), said("assistant", "Now.")];

test("a broken line is skipped, reported with file and line, and counted; the rest is replayed", () => {
  const [first, second, third, fourth] = RECORDS;
  const joined = `${third.slice(0, 20)}${fourth}`;
  const file = save("session.jsonl", [first, "", second, joined, third, fourth, first.slice(0, 12)].join("\n"), true);
  const { stdout, stderr, status } = demo(file, "--window", "8000", "--json");
  assert.equal(status, 2);
  assert.equal(JSON.parse(stdout).messages, 4);
  const lines = stderr.trimEnd().split("\n");
  assert.equal(lines.length, 3, stderr);
  assert.match(lines[0], /session\.jsonl:4: this line is not JSON \(.+\) and is skipped\./);
  assert.match(lines[1], /session\.jsonl:7: this line is not JSON/);
  assert.equal(lines[2], "Skipped 2 lines or files that cannot be read.");
  refused([file, "--strict"], /^.*session\.jsonl:4: this line is not JSON .*\n$/);
});

test("a file in no known form is reported, and the others go on", () => {
  const good = save("good.jsonl", RECORDS.join("\n"), true);
  const bad = save("receipts.json", [{ amount: 7 }]);
  const { stdout, stderr, status } = demo(bad, good, "--window", "8000", "--json");
  assert.equal(status, 2);
  assert.equal(JSON.parse(stdout).messages, 4);
  assert.match(stderr, /receipts\.json holds no conversation in a known format/);
  assert.match(stderr, /Skipped 1 line or file that cannot be read\./);
  refused([bad, good, "--strict"], /receipts\.json holds no conversation/);
  const { status: well, stderr: nothing } = demo(good, "--window", "8000", "--json", "--strict");
  assert.deepEqual([well, nothing], [0, ""]);
});

test("SWE-agent: a history without its trajectory, one run or one a line", () => {
  const run = (task) => ({
    environment: "swe_main",
    history: [
      { role: "system", content: "You fix bugs.", agent: "primary" },
      { role: "user", content: task, agent: "primary", is_demo: false },
      { role: "assistant", content: "ls", thought: "Look first.", action: "ls", agent: "primary" },
      { role: "user", content: "setup.py", agent: "primary" },
      { role: "assistant", content: "submit", thought: "Done.", action: "submit", agent: "primary" },
    ],
  });
  const totals = ({ messages, requests }) => ({ messages, requests });
  const [one] = objects(save("history.traj", run("Fix it.")), "--window", "8000");
  assert.deepEqual(totals(one), { messages: 5, requests: 2 });
  const several = save("runs.jsonl", `${JSON.stringify(run("One."))}\n${JSON.stringify(run("Two."))}`, true);
  assert.deepEqual(objects(several, "--window", "8000").map(totals), [totals(one), totals(one)]);
});

function refused(args, reason) {
  const { stdout, stderr, status } = demo(...args);
  assert.deepEqual({ stdout, status }, { stdout: "", status: 2 }, args.join(" "));
  assert.match(stderr, reason);
}

function objects(...args) {
  const { stdout, stderr, status } = demo(...args, "--json");
  assert.equal(status, 0, stderr);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function demo(...args) {
  return spawnSync(process.execPath, [program, "demo", ...args], { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
}

function save(name, content, raw = false) {
  const path = join(folder, name);
  writeFileSync(path, raw ? content : JSON.stringify(content));
  return path;
}
