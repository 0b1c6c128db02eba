// examples/own-counter: a tokenizer of the host's counts, exactly and once for each text.
import { equal, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "own-counter-"));
cpSync(here("../../../examples/own-counter/index.mjs"), join(folder, "index.mjs"));
symlinkSync(here("../node_modules"), join(folder, "node_modules"), "junction");
after(() => rmSync(folder, { recursive: true, force: true }));

test("the example runs, and its requests are as large as they are by hand", () => {
  const said = execFileSync(process.execPath, [join(folder, "index.mjs")], { encoding: "utf8" });
  const turns = [...said.matchAll(/(\w+), (\d+) tokens, by hand (\d+)/g)];
  equal(turns.length, 30);
  ok(turns.some(([, outcome]) => outcome === "compacted"));
  for (const [line, , tokens, exact] of turns) {
    ok(Number(exact) < 3_500, line);
    // Also with a summary in it.
    equal(tokens, exact, line);
  }
});

test("what the tokenizer says is what counts, also of its own special tokens", async () => {
  const { compactor, count } = await import(pathToFileURL(join(folder, "index.mjs")));
  const raw = (content) => compactor.usage({ messages: [{ role: "user", content }], model: "gpt-4o" }).raw;
  for (const text of ["Hello, world.", "Съешь же ещё этих французских булок", "🙂".repeat(9), "<|endoftext|>"]) {
    equal(raw(text) - raw(""), count(text), text);
  }
});
