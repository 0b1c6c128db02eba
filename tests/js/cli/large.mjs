// A transcript of 200 MB: looked at in under two minutes with less than a gigabyte, or refused with advice.
import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { install, precis } from "./installed.mjs";

const MEGABYTES = 200;
const SECONDS = 120;
const MOST_MEMORY = 1_000;
/** Megabytes of V8's heap. Without a limit V8 leaves garbage where a machine has memory enough: 1.4 GB on one of 24 GB. */
const HEAP = 600;
const WORDS = "the file path error build test const return import async value engine window token line result".split(
  " ",
);

const folder = mkdtempSync(join(tmpdir(), "precis-large-"));
try {
  await install();
  const file = join(folder, "large.jsonl");
  generate(file);
  const hook = join(folder, "memory.mjs");
  writeFileSync(
    hook,
    `process.on("exit", () => console.error("MEMORY", Math.round(process.resourceUsage().maxRSS / 1024)));`,
  );
  const run = (...args) => {
    const from = performance.now();
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP} --import ${pathToFileURL(hook)}` };
    const { stdout, stderr, status } = precis(args, { env });
    const seconds = (performance.now() - from) / 1_000;
    const memory = Number(stderr.match(/MEMORY (\d+)/)?.[1]);
    console.log(`${args[0]}: ${seconds.toFixed(1)} s, ${memory} MB`);
    assert.ok(seconds < SECONDS, `${args[0]} took ${seconds} s`);
    assert.ok(memory < MOST_MEMORY, `${args[0]} took ${memory} MB`);
    return { stdout, stderr, status };
  };
  assert.ok(JSON.parse(run("inspect", file, "--json").stdout).usage.tokens > 20_000_000);
  assert.equal(run("check", file).status, 0);
  const out = join(folder, "out.jsonl");
  assert.equal(run("compact", file, "-o", out).status, 0);
  const { stdout, stderr, status } = run("replay", file);
  assert.deepEqual([stdout, status], ["", 2]);
  assert.match(stderr, /--limit 5000 stops there\. precis inspect shows the whole/);
  assert.equal(run("replay", file, "--limit", "2000").status, 0);
  console.log("5 commands");
} finally {
  rmSync(folder, { recursive: true });
}

function generate(file) {
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const word = () => WORDS[Math.floor(random() * WORDS.length)] + (random() < 0.1 ? Math.floor(random() * 1e5) : "");
  const text = (words) => Array.from({ length: words }, word).join(" ");
  const out = openSync(file, "w");
  for (let bytes = 0, call = 0; bytes < MEGABYTES * 1e6; call++) {
    const named = { name: ["read", "bash", "grep"][call % 3], arguments: JSON.stringify({ path: `src/${call}.ts` }) };
    const messages = [
      ...(call % 20 === 0 ? [{ role: "user", content: `Request ${call}: ${text(30)}` }] : []),
      { role: "assistant", content: text(20), tool_calls: [{ id: `c${call}`, type: "function", function: named }] },
      { role: "tool", tool_call_id: `c${call}`, content: text(600 + Math.floor(random() * 1_200)) },
    ];
    bytes += writeSync(out, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }
  closeSync(out);
}
