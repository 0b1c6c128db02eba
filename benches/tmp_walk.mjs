import { session, walk } from "./longterm/walk.mjs";
import { recorded } from "./longterm/work.mjs";
const planted = session(await recorded([]), 1_000_000);
const r=await walk(planted,{window:Number(process.argv[2]??20000),mode:"digest",compactions:100});
const t=(m)=>typeof m.content==="string"?m.content:JSON.stringify(m.content);
console.log(r.view.map(m=>m.role+" "+JSON.stringify(m).length).join("\n"));
const d=r.view.find(m=>/Condensed by code/.test(t(m)));
console.log(t(d)); console.log(r.largest);
