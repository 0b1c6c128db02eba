// The same loop of 200 steps in each agent framework, kept inside its window by nothing, by what the framework has for it, by
// context-chef, and by precis: `npm run bench -- loop`. By itself: node benches/loop.bench.mjs [--update] [--json]
// [WORDS of a framework]. `--update` writes the table of docs/frameworks.md. The provider is a server of tests/providers,
// which refuses what OpenAI refuses of a history and counts tokens by bytes; it replies to what is too long, so that the
// loop goes on.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { at, main, must, packages } from "../js/scripts/common.mjs";
import { node } from "../js/scripts/tools.mjs";

const WINDOW = 32_000;
const REPLY = 2_000;
const STEPS = 200;
/** What the model writes when it is asked for a summary: nothing that the user has said. */
const SUMMARY = "- Every file so far was read, and nothing was found.";
const document = "docs/frameworks.md";

main(import.meta.url, async (args) => {
  if (Number(process.versions.node.split(".")[0]) < 22) {
    // Some of the frameworks ask for it.
    const output = await must(await node(22), [at("benches/loop.bench.mjs"), ...args], { quiet: true });
    process.stdout.write(output);
    return;
  }
  await packages("benches");
  await packages("tests/js", "--force");
  await packages("tests/js/cloudflare");
  const words = args.filter((arg) => !arg.startsWith("--"));
  const results = await played(words);
  if (args.includes("--update")) write(results);
  else for (const row of results) console.log(JSON.stringify(rowOf(row)));
});

async function played(words) {
  const { linesOf, ways } = await import("../tests/js/frameworks/ways.mjs");
  const chef = await import(
    pathToFileURL(createRequire(at("benches/loop.bench.mjs")).resolve("@context-chef/ai-sdk-middleware"))
  );
  const results = [];
  // Each package is loaded once, and what comes first is slow: the first round is not counted.
  for (const round of [0, 1])
    for (const [framework, way, whose, play, lines = linesOf(play)] of ways) {
      if (!words.every((word) => framework.toLowerCase().includes(word.toLowerCase()))) continue;
      const result = await one(play, { chef }, round === 0 ? 5 : STEPS);
      if (round === 1) results.push({ framework, way, whose, lines, ...result });
    }
  return results;
}

/** One way through the loop, and what its requests were. */
async function one(play, more, steps) {
  const scenario = await import("../tests/js/frameworks/scenario.mjs");
  const { NEEDLE, REQUEST, SYSTEM, contentOf, serve, tokensOf, withSummaries } = scenario;
  const served = serve("openai", { steps });
  const given = {
    ...{
      window: WINDOW,
      reply: REPLY,
      steps,
      system: SYSTEM,
      request: REQUEST,
      fetch: withSummaries(served.fetch, SUMMARY),
    },
    // Enough for several windows.
    contentOf: (path) => contentOf(path, 4),
    ...more,
  };
  const { console: own } = globalThis;
  globalThis.console = Object.assign(Object.create(own), { log() {}, warn() {}, error() {}, info() {} });
  const began = performance.now();
  let failed = null;
  try {
    await play(given);
  } catch (error) {
    failed = String(error?.message ?? error).slice(0, 120);
  } finally {
    globalThis.console = own;
  }
  const ms = performance.now() - began;
  const { requests, refused } = served.server;
  const bodies = requests.map(({ body }) => body);
  const sizes = bodies.map(tokensOf);
  return {
    ...{ requests: bodies.length, peak: Math.max(0, ...sizes), ms, failed },
    over: sizes.filter((size) => size + REPLY > WINDOW).length,
    refused: refused.length,
    lost: bodies.filter((body) => !JSON.stringify(body).includes(NEEDLE)).length,
  };
}

/** For js/scripts/bench.mjs: how many of the requests are too long, refused, or have lost what the user asked. */
function rowOf({ framework, way, whose, requests, over, refused, lost, ...samples }) {
  const bad = over + refused + lost + (STEPS - requests);
  const ok = whose !== "precis" || bad === 0;
  const workload = `${framework}, ${way}: ${STEPS} steps in a window of ${WINDOW / 1_000}k`;
  const told = { workload, peer: null, ratio: bad, unit: "requests too long, refused or without the user's words" };
  return { ...told, goal: whose === "precis" ? "0" : null, ok, samples: { requests, over, refused, lost, ...samples } };
}

function write(results) {
  const number = (value) => value.toLocaleString("en");
  const cells = (...list) => `| ${list.join(" | ")} |`;
  const table = [
    cells("framework", "kept inside by", "lines", "peak", "over", "refused", "lost", "ms"),
    cells("---", "---", ..."x".repeat(6).replaceAll("x", "---: ").trim().split(" ")),
    ...results.map(({ framework, way, whose, lines, requests, peak, over, refused, lost, ms, failed }) =>
      cells(
        framework,
        `${whose === "precis" ? `**${way}**` : way}${failed ? `, which failed after ${requests} requests` : ""}`,
        lines ?? "–",
        ...[number(peak), over, refused, lost, number(Math.round(ms))],
      ),
    ),
  ].join("\n");
  const text = readFileSync(at(document), "utf8");
  const marked = /(<!-- loop -->\n)[\s\S]*?(<!-- \/loop -->)/;
  if (!marked.test(text)) throw new Error(`${document} has no place for the table`);
  writeFileSync(
    at(document),
    text.replace(marked, (_, before, after) => `${before}\n${table}\n\n${after}`),
  );
  console.log(table);
}
