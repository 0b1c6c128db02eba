// node benches/digests.mjs [FILE…] [--window 24000] [--set NAME] [--limit N] [--misses]: what a digest of all of a recorded
// session says about what was done: benches/digests/measure.mjs has the definitions, made of what was recorded. No LLM.
// Without files: the recorded sessions of tests/fixtures.
import { parseArgs } from "node:util";
import { main, note, packages } from "../js/scripts/common.mjs";

main(import.meta.url, async (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      window: { type: "string", default: "24000" },
      set: { type: "string" },
      limit: { type: "string" },
      misses: { type: "boolean", default: false },
    },
  });
  await packages("benches");
  const { setsOf } = await import("./recall/sets.mjs");
  const { judged, summed } = await import("./digests/measure.mjs");
  const limit = values.limit === undefined ? undefined : Number(values.limit);
  const all = [];
  for (const [name, sessions] of await setsOf(positionals, { set: values.set, limit })) {
    const found = [];
    for (const session of sessions) found.push(await judged(session, Number(values.window)));
    if (values.misses) for (const one of found) for (const miss of one.misses) note(`${name}\t${miss}`);
    console.log(lineOf(name, summed(found)));
    all.push(...found);
  }
  console.log(lineOf("all", summed(all)));
});

function lineOf(name, { sessions, actions, outcomes }) {
  const share = actions ? ` (${((outcomes / actions) * 100).toFixed(0)} %)` : "";
  return `${name.padEnd(20)}  ${sessions} digests  actions with their outcome ${outcomes} of ${actions}${share}`;
}
