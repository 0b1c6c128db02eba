// prints the last digest (views' ours parts) of sessions matching
import { replays } from "./recall/measure.mjs";
import { setsOf } from "./recall/sets.mjs";
const [file, re, frac = "0.25", which = "-1"] = process.argv.slice(2);
const sets = await setsOf([file], {});
const how = frac.endsWith("k") ? { window: Number(frac.slice(0, -1)) * 1000 } : { fraction: Number(frac) };
for await (const { conversation, session, points } of replays(sets, how)) {
  if (re && !new RegExp(re).test(conversation.name)) continue;
  const p = points.at(Number(which));
  const orig = new Set(session.items.slice(0, p.index).map((i) => `${i.role}\n${i.text}`));
  console.log("=====", conversation.name, "at", p.index, "of", session.items.length, "view", p.budget);
  for (const v of p.view) console.log(orig.has(`${v.role}\n${v.text}`) ? `--- ${v.role} whole ${v.tokens}: ${v.text.slice(0, 80).replace(/\n/g, "⏎")}` : `### ${v.role} ${v.tokens}\n${v.text}`);
}
