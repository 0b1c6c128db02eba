// What `npm test` runs: a row for each check. docs/checks.md has them as a table.
import { browserExample, durableObjects, example, manyChats, queuedChats, storesOfOthers } from "./checks/examples.mjs";
import { documentationSite, leastTypeScript, lint, programs, rehearse, types } from "./checks/package.mjs";
import {
  fuzzing,
  fuzzLint,
  growing,
  rustDocs,
  rustFormat,
  rustLint,
  rustTests,
  vectors,
  wasmLint,
  wasmTests,
} from "./checks/rust.mjs";
import {
  aiSdk,
  commandLine,
  conformance,
  demo,
  frameworks,
  largeTranscript,
  packedCommandLine,
  providers,
  runtimeSuite,
  shortSuite,
  soaking,
  suite,
  typescriptProperties,
} from "./checks/suites.mjs";
import { checkLayers } from "./layers.mjs";
import { checkLinks, checkPublishedLinks } from "./links.mjs";
import { checkPictures } from "./picture.mjs";
import { runReadme } from "./readme.mjs";
import { compareSizes } from "./size.mjs";
import { checkStyle } from "./style.mjs";
import { checkTable } from "./table.mjs";
import { checkTables } from "./tables.mjs";

/** Nodes that the package supports. */
const NODES = [20, 22, 24];

/** Areas that these do not read. */
const ignoredBy = {
  everything: [],
  crate: ["documents", "typescript", "suites", "packaging", "examples"],
  rustTests: ["suites", "packaging", "examples"],
  sources: ["rust tests", "fuzzing", "suites", "packaging", "examples"],
  types: ["documents", "decisions", "rust tests", "fuzzing", "suites", "packaging", "benches"],
  declarations: ["decisions", "rust tests", "fuzzing", "packaging", "benches"],
  package: ["rust tests", "fuzzing", "packaging", "benches"],
  suites: ["rust tests", "fuzzing", "packaging"],
};

/**
 * The checks, as a Node of this major version runs them. A row has
 *
 * - `name`, by which `npm test -- WORDS` chooses
 * - `run`, which gets the level's lengths (levels.mjs) and gives the number of tests it ran (none is a failure), or nothing
 *   where there is nothing to count; it throws when the check fails, and gives `{ missing }`, how to get what it lacks, if
 *   it cannot run
 * - `job`: which job of CI runs it
 * - `takes`: about how many seconds, of one that takes long: where it has not run yet, long ones start first all the same
 * - `from`: the first level that has it (levels.mjs); without, every level
 * - `ignores`: areas that it does not read (inputs.mjs): `npm test` does not run it again while nothing else has changed.
 *   Without, it always runs
 * - `pkg`: works on pkg/, so the build must have succeeded; "shipped" if a fast build is not enough
 * - `single`: keeps one core busy, so it may run beside another check
 * - `uses`: what two checks must not use at once
 * - `optional`: not run, and no failure in CI either, on a machine that lacks what it needs
 */
export function checksFor(thisNode) {
  const others = NODES.filter((major) => major !== thisNode);
  const sdkNode = NODES.includes(thisNode) ? thisNode : NODES[1];
  // biome-ignore format: a check is a line.
  return [
    { name: "build", takes: 120, job: "build", single: true, run: ({ build, kind }) => build(kind) },
    { name: "layers", job: "build", single: true, ignores: ignoredBy.sources, run: checkLayers },
    { name: "token tables", job: "build", single: true, ignores: ignoredBy.sources, run: checkTables },
    { name: "table of checks", job: "build", single: true, ignores: ignoredBy.everything, run: checkTable },
    { name: "rust format", job: "build", single: true, ignores: ignoredBy.crate, run: rustFormat },
    { name: "typescript types", job: "build", pkg: true, single: true, ignores: ignoredBy.types, run: types },
    { name: "typescript lint and format", job: "build", single: true, uses: "snippets", ignores: ["engine", "rust tests"], run: lint },
    { name: "links", job: "build", single: true, ignores: ignoredBy.everything, run: checkLinks },
    { name: "style", job: "build", single: true, ignores: ignoredBy.everything, run: checkStyle },
    { name: "links of the published README", job: "build", pkg: true, single: true, ignores: ignoredBy.everything, run: checkPublishedLinks },
    { name: "release, dry run", from: "all", job: "build", pkg: "shipped", single: true, run: rehearse },
    { name: "size", from: "all", job: "build", pkg: "shipped", single: true, run: () => compareSizes() },

    { name: "rust lint", job: "rust", ignores: ignoredBy.crate, run: rustLint },
    { name: "rust lint, fuzz targets", single: true, from: "all", job: "rust", run: fuzzLint },
    { name: "rust docs", single: true, from: "all", job: "rust", run: rustDocs },
    { name: "rust tests", takes: 420, job: "rust", ignores: ignoredBy.rustTests, run: rustTests },
    { name: "native and wasm decide alike", job: "rust", pkg: true, ignores: ["documents", "packaging", "examples"], run: vectors },
    { name: "fuzz, the corpus and some seconds a target", single: true, takes: 130, from: "all", job: "rust", pkg: true, optional: true, run: fuzzing },

    { name: "rust lint, wasm32", single: true, from: "all", job: "wasm", run: wasmLint },
    { name: "rust tests in wasm", single: true, takes: 100, from: "all", job: "wasm", run: wasmTests },
    { name: "growth, twice the input takes twice the time", single: true, takes: 125, from: "all", job: "wasm", run: growing },
    { name: "typescript properties", takes: 95, from: "all", job: "wasm", pkg: true, run: typescriptProperties },
    { name: "soak, everything around it going wrong", takes: 60, from: "all", job: "wasm", pkg: true, single: true, run: soaking },

    { name: "README and documentation examples", job: "node", pkg: true, single: true, ignores: ignoredBy.package, run: runReadme },
    { name: "programs compile", takes: 45, job: "node", pkg: true, single: true, uses: "snippets", ignores: ignoredBy.declarations, run: programs },
    { name: "least TypeScript", from: "all", job: "node", pkg: true, single: true, ignores: ignoredBy.declarations, run: leastTypeScript },
    { name: "conformance, both presets", job: "node", pkg: true, single: true, ignores: ignoredBy.package, run: conformance },
    { name: "demo, no request over the window", job: "node", pkg: true, single: true, ignores: ignoredBy.package, run: demo },
    { name: "command line", takes: 60, job: "node", pkg: true, ignores: ignoredBy.suites, run: commandLine },
    { name: "pictures and samples", from: "all", job: "node", pkg: true, single: true, run: checkPictures },
    { name: "command line, 200 MB", from: "full", job: "node", pkg: true, single: true, run: largeTranscript },
    { name: "providers, no request refused", takes: 70, from: "all", job: "node", pkg: true, single: true, run: providers },
    { name: "suite, this Node", takes: 220, job: "node", pkg: true, ignores: ignoredBy.suites, run: suite },
    // Every other Node once, the first of them by `require`, which loads other files. At night each in both ways.
    ...NODES.flatMap((major) =>
      (major === thisNode ? ["require"] : ["import", "require"]).map((way) => {
        const once = major !== thisNode && way === (major === others[0] ? "require" : "import");
        return { name: `suite, Node ${major}, ${way}`, takes: 55, from: once ? "all" : "full", job: "node", pkg: true, run: () => shortSuite(major, way, once) };
      }),
    ),

    ...["chromium", "deno", "bun", "workerd"].map((runtime) => ({ name: `suite, ${runtime}`, takes: 65, from: "all", job: "runtimes", pkg: true, single: true, run: () => runtimeSuite(runtime) })),
    ...NODES.map((major) => `Node ${major}`).concat("Deno", "Bun").map((runtime) => ({ name: `command line, as packed, ${runtime}`, takes: 50, from: "all", job: "runtimes", pkg: true, single: true, run: (lengths) => packedCommandLine(runtime, lengths) })),

    // Version 7 asks for Node 22; older ones run 5 and 6 alone.
    ...NODES.map((major) => ({ name: `AI SDK, Node ${major}`, takes: 55, from: major === sdkNode ? "quick" : "all", job: "sdk", pkg: true, ignores: ignoredBy.package, run: (lengths) => aiSdk(lengths, major) })),
    { name: "agent frameworks, 200 steps in each", takes: 40, from: "all", job: "sdk", pkg: true, run: frameworks },

    { name: "documentation site", takes: 90, from: "all", job: "examples", pkg: true, single: true, run: documentationSite },
    // It measures how long frames take.
    { name: "inspector in Chromium", from: "all", job: "examples", pkg: true, uses: "examples", run: () => browserExample("inspector.mjs") },
    ...[
      { name: "examples, Durable Objects killed under load", run: durableObjects },
      { name: "examples, many chats ahead of time, workers killed", optional: true, run: manyChats },
      { name: "examples, many chats through BullMQ and Cloudflare Queues", takes: 90, run: queuedChats },
      { name: "stores, against their databases, writers killed", run: storesOfOthers },
      { name: "examples, the AI SDK and Deno", run: () => example("smoke.mjs") },
      { name: "examples, a chat in Chromium", run: () => browserExample("browser.mjs") },
      { name: "examples, a divider and a meter with useChat", run: () => browserExample("use-chat.mjs") },
      { name: "examples, a chat in Next.js", takes: 50, run: () => browserExample("smoke.mjs", "next") },
    ].map((check) => ({ from: "all", job: "examples", pkg: true, single: true, uses: "examples", ...check })),
  ];
}

export const checks = checksFor(Number(process.versions.node.split(".")[0]));
