// Transcripts with members that are missing, of another type, twice, or in another's place: each is read as far as it can be
// or refused with advice, and none ends a command with a bug.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { at } from "../../../js/scripts/common.mjs";
import { cases, spread } from "../suite/length.mjs";
import { CASES } from "./readers.mjs";

const folder = mkdtempSync(join(tmpdir(), "precis-damaged-"));
after(() => rmSync(folder, { recursive: true }));

/** Of the command line: something that nobody foresaw. */
const BUG = 70;

function runs(...args) {
  const { status, stderr } = spawnSync(process.execPath, [at("pkg/cli.js"), ...args], { encoding: "utf8" });
  assert.ok(status !== null && status !== BUG, `${args.join(" ")}: ${stderr}`);
}

/** Numbers that look random and are the same in every run: a linear congruential generator. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 16) % below;
  };
}

const OTHERS = [
  null,
  0,
  -1,
  1e21,
  "",
  "x",
  true,
  [],
  {},
  [null],
  [[]],
  ["x"],
  { type: "x" },
  { a: { b: [{}] } },
  "\ud800",
];

/** Every place in a value where something stands. */
function places(holder, found = []) {
  for (const [key, value] of Object.entries(holder)) {
    found.push([holder, key]);
    if (value !== null && typeof value === "object") places(value, found);
  }
  return found;
}

function damage(value, next) {
  const root = [value];
  const [holder, key] = (([first, ...rest]) => rest[next(rest.length)] ?? first)(places(root));
  const others = places(root);
  const [donor, part] = others[next(others.length)];
  const ways = [
    () => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key]),
    () => (holder[key] = structuredClone(OTHERS[next(OTHERS.length)])),
    () => (holder[key] = structuredClone(donor[part])),
    () => Object.assign(holder, { [Array.isArray(holder) ? holder.length : `${key}2`]: structuredClone(holder[key]) }),
  ];
  ways[next(ways.length)]();
  return root[0] ?? null;
}

/** A transcript with some damage. */
function damaged(path, name, next) {
  const text = readFileSync(at("tests/fixtures", path), "utf8").replace(/^\ufeff/, "");
  const isLines = path.endsWith(".jsonl");
  let value = isLines ? text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : [])) : JSON.parse(text);
  for (let count = 1 + next(4); count > 0; count--) value = damage(value, next);
  const written =
    isLines && Array.isArray(value) ? value.map((line) => JSON.stringify(line)).join("\n") : JSON.stringify(value);
  const file = join(folder, `${name}.${isLines ? "jsonl" : "json"}`);
  writeFileSync(file, written);
  return file;
}

const paths = CASES.map(([, path]) => path).filter((path) => /\.jsonl?$/.test(path));

test("a transcript that is damaged anywhere is read or refused, by every command", () => {
  const next = numbers(7);
  const files = Array.from({ length: cases(120, 30) }, (_, number) =>
    damaged(paths[number % paths.length], `damaged-${number}`, next),
  );
  runs("check", ...files);
  runs("replay", ...files, "--window", "8000");
  for (const file of spread(files, 3).slice(0, 20)) {
    runs("inspect", file);
    runs("compact", file, "--window", "4000", "-o", `${file}.compacted`);
  }
});

test("names and texts that are none are counted, and shown as what they are", () => {
  const messages = [
    { role: "user", content: [{ type: "text", text: { deep: true } }] },
    { role: "assistant", content: [{ type: "tool_use", id: 7, name: { no: "name" }, input: "x" }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: 7, content: [{ type: "text", text: 5 }] }] },
    { role: "assistant", content: [{ type: "text", text: "Done." }] },
  ];
  const file = join(folder, "names.json");
  writeFileSync(file, JSON.stringify({ system: "Help.", messages }));
  runs("inspect", file);
  const { stdout } = spawnSync(process.execPath, [at("pkg/cli.js"), "inspect", file], { encoding: "utf8" });
  assert.match(stdout, /^tool inputs +\d+/m);
  assert.match(stdout, /Done\.$/m);
});
