import { createCompactor, summaryOf } from "precis";
import { conversation, digesting, requestsOf, shapes } from "./scenarios.mjs";
const shape = shapes.openaiChat;
const history = conversation(shape, { messages: 190, size: 500, tools: true, seed: 7 });
const options = { format: shape.format, contextWindow: 6000, maxOutputTokens: 500, tune: { strategy: process.argv[2] ?? "tail" } };
async function run(isFed) {
  const c = createCompactor(options); const out = []; let state = null, given = [], seen = 0;
  for (const at of requestsOf(history).slice(0, 60)) {
    given = isFed ? [...given, ...history.slice(seen, at)] : history.slice(0, at); seen = at;
    const { view, report, state: s } = await c.beforeModel({ messages: given, state });
    out.push({ at, view, report, state: s });
    state = JSON.parse(JSON.stringify(c.afterModel(s, { prompt_tokens: Math.round(report.after.raw * 1.3) + 150 }, report.request)));
    if (isFed) given = view;
  }
  return out;
}
const J = (v) => JSON.stringify(v).replace(/tool result of \d+ char/g, "tool result of N char");
const raw = await run(false), fed = await run(true);
for (let i = 0; i < 60; i++) {
  const same = J(raw[i].view) === J(fed[i].view);
  console.log(i, raw[i].at, same, raw[i].report.rung, fed[i].report.rung, raw[i].report.outcome, fed[i].report.outcome, raw[i].report.before.tokens, fed[i].report.before.tokens, fed[i].report.diverged);
  if (!same) {
    for (let k = 0; k < Math.max(raw[i].view.length, fed[i].view.length); k++) if (J(raw[i].view[k] ?? 0) !== J(fed[i].view[k] ?? 0)) { console.log(k, "RAW", JSON.stringify(raw[i].view[k])?.slice(0, 3000)); console.log(k, "FED", JSON.stringify(fed[i].view[k])?.slice(0, 3000)); break; }
    console.log(JSON.stringify(raw[i].state.clips), JSON.stringify(fed[i].state.clips), JSON.stringify(raw[i].state.cleared), JSON.stringify(fed[i].state.cleared));
    break;
  }
}
