// The module that is shipped, for the fuzz target `wasm`: a call a line on standard input, what came of it a line on
// standard output. What the engine asks in the middle of a call is asked back in the same way.
import { readFileSync, readSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { outputFiles } = await build({
  entryPoints: [at("js/src/boundary/glue.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const source = Buffer.from(outputFiles[0].text).toString("base64");
const { glue, instantiate } = await import(`data:text/javascript;base64,${source}`);
const program = new WebAssembly.Module(readFileSync(at("pkg/precis.wasm")));
const encoder = new TextEncoder();
let memory;

const words = (list) => list && new Uint32Array(list);
const bytes = (list) => new Uint8Array(list);
const input = (call) => ({ ...call, system: words(call.system), tools: words(call.tools) });
const committed = (outcome) => ({
  ...outcome,
  standing: outcome.standing ?? null,
  template: outcome.template ?? null,
  next: outcome.next ?? null,
});

const host = {
  read(indices, reading) {
    for (const { ops, text } of ask("read", [...indices])) {
      const written = encoder.encode(text);
      new Uint8Array(memory.buffer, reading.pointer, written.length).set(written);
      glue.push(reading, words(ops), written.length);
    }
    reading.free();
  },
  summary: (text, id, covers) => words(ask("summary", [text, id, covers])),
  remade: (index, key) => words(ask("remade", [index, key])) ?? undefined,
  replace: (index, key, parts, texts) => words(ask("replace", [index, key, [...parts], texts])),
  result: (index, id, name, text) => words(ask("result", [index, id, name, text])) ?? undefined,
  merge: (pair) => words(ask("merge", [...pair])),
};

const calls = {
  fresh() {
    memory = instantiate(program).memory;
    return null;
  },
  digest: ({ estimator, ops, text }) => glue.records(estimator, words(ops), encoder.encode(text), null, null).records,
  usage: ({ call, records, flags }) => glue.usage(input(call), words(records), bytes(flags), host),
  begin({ call, records, flags }) {
    const begun = glue.begin(input(call), words(records), bytes(flags), host);
    return "plan" in begun ? begun : committed(begun);
  },
  requests: ({ call, records, flags, plan }) => glue.requests(input(call), words(records), bytes(flags), plan, host),
  commit: ({ call, records, flags, plan, results }) =>
    committed(glue.commit(input(call), words(records), bytes(flags), plan, results, host)),
  after_model: ({ options, state, usage }) => glue.after_model(options, state, usage, undefined),
};

function say(value) {
  const list = (_, one) => (ArrayBuffer.isView(one) ? Array.from(one) : one);
  const line = Buffer.from(`${JSON.stringify(value, list)}\n`);
  for (let from = 0; from < line.length; ) from += writeSync(1, line, from);
}

let unread = Buffer.alloc(0);
const chunk = Buffer.alloc(65_536);

/** The next line, or none. */
function heard() {
  for (;;) {
    const end = unread.indexOf(10);
    if (end >= 0) {
      const line = unread.toString("utf8", 0, end);
      unread = unread.subarray(end + 1);
      return JSON.parse(line);
    }
    const read = readSync(0, chunk);
    if (read === 0) return undefined;
    unread = Buffer.concat([unread, chunk.subarray(0, read)]);
  }
}

function ask(name, args) {
  say({ ask: name, args });
  return heard();
}

for (let call = heard(); call !== undefined; call = heard()) {
  try {
    say({ done: calls[call.name](call) ?? null });
  } catch (error) {
    const refused = typeof error === "object" && "advice" in error;
    say(refused ? { refused: error } : { broke: String(error?.stack ?? error) });
  }
}
