// Every table of the package that outlives a call is bounded, or holds its entries weakly. This list says by what; a table
// that is added and not listed here fails, and so does one that is listed and gone.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { deepEqual, ok, test } from "./harness.mjs";

const source = fileURLToPath(new URL("../../../js/src", import.meta.url));

/** By file and name: the constant of that file that bounds it, or what does. */
const BOUNDS = {
  "adapter/again.ts before": "the messages of one view",
  "adapter/chat.ts reports": "MOST_REPORTS",
  "ai-sdk/lineage.ts lines": "this.bounds",
  "ai-sdk/lineage.ts stems": "this.bounds",
  "ai-sdk/own-prompts.ts prompts": "the questions that are open",
  "ai-sdk/retry.ts PREFACE": "constant",
  "ai-sdk/read-prompts.ts chats": "MOST_CHATS",
  "ai-sdk/revisions.ts states": "MOST",
  "ai-sdk/session.ts reports": "MOST_REPORTS",
  "ai-sdk/session.ts reply": "one step",
  "ai-sdk/store.ts troubles": "the calls of a store in one call: taken out by each",
  "ai-sdk/told.ts done": "the compactions of one call: taken out by each",
  "boundary/engine.ts waiting": "the calls that wait for a summarizer",
  "boundary/message-stamp.ts leaves": "one message",
  "cache/history.ts NOWHERE": "constant",
  "cache/indexes.ts all": "MOST",
  "cache/recent.ts chats": "MOST_CHARACTERS",
  "cache/system-and-tools.ts NONE_LOADED": "constant",
  "cache/system-and-tools.ts texts": "MOST_TEXTS",
  "call-host.ts known": "one call",
  "call-host.ts made": "one call",
  "call-reader.ts models": "MOST_MODELS",
  "call-reader.ts readers": "the families of tokenizers that the engine knows",
  "formats/ai-sdk.ts NONE": "constant",
  "formats/anthropic.ts NONE": "constant",
  "formats/openai-chat.ts NONE": "constant",
  "langchain/state.ts goto": "constant",
  "pi/format.ts ROLES": "constant",
};

const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
  // A command ends, and so do tests; rules and generated code are constants.
  .filter((file) => !/^(cli|testing|providers|boundary\/generated)\//.test(file) && file !== "testing.ts");

/** Tables of modules and of classes: what functions make ends with their call. */
const TABLE =
  /^(?:(?:export )?(?:const|let) | {2}(?:(?:private|protected|public|readonly|static) )*)(\w+)(?:: [^=\n]+)? = (?:\/\* @__PURE__ \*\/ )?(?:new (?:Map|Set)\b|\[\];)/gm;

test("every table that outlives a call has a bound", () => {
  const found = files.flatMap((file) =>
    [...readFileSync(join(source, file), "utf8").matchAll(TABLE)]
      .filter(([line]) => !/^ {2}(const|let) /.test(line))
      .map(([, name]) => `${file} ${name}`),
  );
  deepEqual([...new Set(found)].sort(), Object.keys(BOUNDS).sort());
  for (const [table, bound] of Object.entries(BOUNDS)) {
    if (!/^(MOST\w*|this\.bounds)$/.test(bound)) continue;
    const code = readFileSync(join(source, table.split(" ")[0]), "utf8");
    ok(code.split(bound).length > 2, `${bound} bounds nothing in ${table}`);
  }
});
