// npm run picture: all that documents show of programs. The picture of the README, drawn of what `precis replay` says; the
// samples of docs/cli.md; and with `-- --screens` the screenshots of the inspector and of the chat in a page,
// which take Chromium. The check “pictures and samples” says what is stale.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { withSamples } from "../../tests/js/cli/readers.mjs";
import { buildAny } from "./build.mjs";
import { at, files, hash, main, must } from "./common.mjs";

const WINDOW = 32_000;
const WIDTH = 860;
const HEIGHT = 300;
const PLOT = { left: 56, right: 12, top: 44, bottom: 34 };

const session = at("docs/images/session.svg");
const page = at("docs/cli.md");
/** What screenshots show, by the program that takes them, and of which sources those in docs/images were taken. */
const SCREENS = {
  "tests/js/examples/inspector.mjs": ["examples/inspector/src", "js/src/cli/inspector"],
  "tests/js/examples/browser.mjs": ["examples/browser-chat/src", "examples/browser-chat/index.html"],
};
const taken = at("docs/images/screens.json");

main(import.meta.url, async (words) => {
  await buildAny();
  writeFileSync(session, sessionPicture());
  writeFileSync(page, withSamples(readFileSync(page, "utf8")));
  if (!words.includes("--screens")) return;
  for (const program of Object.keys(SCREENS)) await must(process.execPath, [program, "docs/images"]);
  // No document shows the chat before its first compaction.
  rmSync(at("docs/images/browser-chat-online.png"), { force: true });
  noteScreens();
});

/** Notes of which sources the screenshots are. */
export function noteScreens() {
  writeFileSync(taken, `${JSON.stringify(hashes(), null, 2)}\n`);
}

/** Throws what documents show otherwise than the programs do. Gives the number of pictures and samples. */
export async function checkPictures() {
  await buildAny();
  const stale = [];
  if (readFileSync(session, "utf8") !== sessionPicture()) stale.push("docs/images/session.svg: npm run picture");
  const text = readFileSync(page, "utf8");
  if (text !== withSamples(text)) stale.push("the samples of docs/cli.md: npm run picture");
  const before = JSON.parse(readFileSync(taken, "utf8"));
  for (const [program, sources] of Object.entries(hashes()))
    if (before[program] !== sources) stale.push(`the screenshots of ${program}: npm run picture -- --screens`);
  if (stale.length > 0) throw new Error(`stale:\n${stale.join("\n")}`);
  return 2 + Object.keys(SCREENS).length;
}

const hashes = () =>
  Object.fromEntries(Object.entries(SCREENS).map(([name, sources]) => [name, hash(files(...sources))]));

/** What `npm run picture` draws for the README. */
export function sessionPicture() {
  const folder = at("tests/fixtures/pi-session");
  const file = `${folder}/${readdirSync(folder).find((name) => name.endsWith(".jsonl"))}`;
  return drawn(requestsOf(file, WINDOW), requestsOf(file, 10_000_000));
}

function requestsOf(file, window) {
  const options = ["replay", file, "--window", String(window), "--requests", "--json"];
  const output = execFileSync(process.execPath, [at("pkg/cli.js"), ...options], { encoding: "utf8", maxBuffer: 1e8 });
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter((line) => line.after);
}

function drawn(sent, whole) {
  const most = Math.ceil(Math.max(...whole.map((one) => one.after.tokens)) / 20_000) * 20_000;
  const inner = { width: WIDTH - PLOT.left - PLOT.right, height: HEIGHT - PLOT.top - PLOT.bottom };
  const x = (index) => PLOT.left + (index * inner.width) / sent.length;
  const y = (tokens) => PLOT.top + inner.height * (1 - tokens / most);
  const bar = (kind) => (one, index) => {
    const top = y(one.after.tokens);
    const width = inner.width / sent.length - 1;
    return `<rect class="${kind}" x="${x(index).toFixed(1)}" y="${top.toFixed(1)}" width="${width.toFixed(1)}" height="${(PLOT.top + inner.height - top).toFixed(1)}"/>`;
  };
  const marks = sent.flatMap((one, index) =>
    one.outcome === "compacted"
      ? [`<path class="mark" d="M${(x(index) + 3).toFixed(1)} ${(y(WINDOW) - 4).toFixed(1)} l-4 -7 h8 z"/>`]
      : [],
  );
  const ticks = Array.from({ length: most / 20_000 + 1 }, (_, index) => index * 20_000);
  const compactions = marks.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title about">
<title id="title">A recorded coding session in a window of 32,000 tokens</title>
<desc id="about">${sent.length} requests. The messages grow to ${thousands(whole.at(-1).after.tokens)} tokens; what is sent stays below 32,000, with ${compactions} compactions.</desc>
<style>
text { font: 12px system-ui, sans-serif; fill: #57606a; }
.head { font-size: 14px; font-weight: 600; fill: #24292f; }
.whole { fill: #d0d7de; }
.sent { fill: #0969da; }
.limit { stroke: #cf222e; stroke-width: 1.5; stroke-dasharray: 5 4; }
.mark { fill: #cf222e; }
.grid { stroke: #d0d7de; stroke-width: .5; }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1; }
  .head { fill: #f0f6fc; }
  .whole { fill: #3d444d; }
  .sent { fill: #4493f8; }
  .limit { stroke: #f85149; }
  .mark { fill: #f85149; }
  .grid { stroke: #3d444d; }
}
</style>
<text class="head" x="${PLOT.left}" y="20">A recorded coding session, ${sent.length} requests, in a window of 32,000 tokens</text>
<rect class="whole" x="${PLOT.left}" y="28" width="10" height="10"/><text x="${PLOT.left + 15}" y="37">all messages</text>
<rect class="sent" x="${PLOT.left + 105}" y="28" width="10" height="10"/><text x="${PLOT.left + 120}" y="37">what precis sends</text>
<path class="mark" d="M${PLOT.left + 242} 38 l-4 -8 h8 z"/><text x="${PLOT.left + 252}" y="37">${compactions} compactions, no LLM</text>
${ticks.map((tick) => `<line class="grid" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(tick)}" y2="${y(tick)}"/><text x="${PLOT.left - 8}" y="${y(tick) + 4}" text-anchor="end">${thousands(tick)}</text>`).join("\n")}
${whole.map(bar("whole")).join("\n")}
${sent.map(bar("sent")).join("\n")}
<line class="limit" x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(WINDOW)}" y2="${y(WINDOW)}"/>
${marks.join("\n")}
<text x="${PLOT.left}" y="${HEIGHT - 10}">request 1</text>
<text x="${WIDTH - PLOT.right}" y="${HEIGHT - 10}" text-anchor="end">request ${sent.length}</text>
</svg>
`;
}

const thousands = (tokens) => (tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens));
