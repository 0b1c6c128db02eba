// node benches/remembered.mjs [FILE…] [--superseded | --required] [--set NAME] [--limit N]: what the memory holds of sessions
// when all of each is covered, a line each, to be read by eye: what a person required, or what took the place of what. Without
// files: the fixtures. Nothing is judged here: tests/fixtures/requirements has the sentences that are labelled.
import { parseArgs } from "node:util";
import { main, packages } from "../js/scripts/common.mjs";

/** Room enough that hardly anything is left out for want of it. */
const WINDOW = 60_000;
const SHOWN = 200;

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      superseded: { type: "boolean", default: false },
      required: { type: "boolean", default: false },
      set: { type: "string" },
      limit: { type: "string" },
    },
  });
  await packages("benches");
  const { setsOf } = await import("./recall/sets.mjs");
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  const sets = await setsOf(positionals, { set: values.set, limit });
  const seen = new Set();
  for (const [name, sessions] of sets)
    for (const session of sessions)
      for (const { kind, text, was } of await remembered(session)) {
        if ((values.superseded && !was) || (values.required && kind !== "required")) continue;
        const line = [name, kind, short(text), ...(was ? [`was: ${short(was)}`] : [])].join("\t");
        if (!seen.has(line)) console.log(line);
        seen.add(line);
      }
  console.log(`${seen.size} lines`);
});

/** What a person required, decided and told, as the memory has it at the end; half of a session is covered first. */
async function remembered({ format, messages, system, tools }) {
  const { createCompactor } = await import("precis");
  const compactor = createCompactor({ format, contextWindow: WINDOW, keep: { messages: 1 } });
  let state = null;
  for (const count of [Math.floor(messages.length / 2), messages.length])
    if (count > 2) ({ state } = await compactor.compact({ messages: messages.slice(0, count), system, tools, state }));
  const entries = (kind) => (state?.memory?.[kind] ?? []).map((entry) => ({ kind, ...entry }));
  return ["required", "decided", "told"].flatMap(entries);
}

const short = (text) => text.replace(/\s+/g, " ").slice(0, SHOWN);
