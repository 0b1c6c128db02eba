import { replays } from "./recall/measure.mjs";
import { setsOf } from "./recall/sets.mjs";
const [file, window] = process.argv.slice(2);
const sets = await setsOf([file], {});
for await (const { name, conversation, session, points } of replays(sets, { window: Number(window) }))
  for (const p of points) {
    const orig = new Set(session.items.slice(0, p.index).map((i) => `${i.role}\n${i.text}`));
    let whole = 0, ours = 0, n = 0; const parts=[];
    for (const v of p.view) { if (orig.has(`${v.role}\n${v.text}`)) { whole += v.tokens; n++; } else { ours += v.tokens; parts.push(v.tokens); } }
    const j = p.judge(p.view), hard = j.filter((x) => x.hard);
    console.log(conversation.name.split("/").pop(), p.index, p.until, p.rung, "whole", n, whole, "ours", ours, "["+parts.sort((a,b)=>b-a).slice(0,8)+"]", "fixed", session.fixed.tokens, "miss", j.filter((x) => !x.kept).length, "/", j.length, hard.length);
  }
