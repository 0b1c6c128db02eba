// npm run size: what is shipped, against the committed budget. `-- --update` makes today's sizes the budget, `-- --peers`
// writes into docs/size.md what an app ships of it beside what it might have taken instead. `-- --by module` says where the
// bytes of the engine are, against a budget for each; with `--update "why"` that becomes theirs, and the reason of those that
// grew.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build, requireShipped } from "./build.mjs";
import { at, main, must } from "./common.mjs";

const budgetFile = at("benches/size.json");
const allowed = 1.02;
/**
 * The most bytes that wasm and glue may take together, compressed with gzip. The summaries that providers make, a summary
 * asked for behind the chat, telling pastes by their layout, and a second amendment for each sentence took 19 kB of them;
 * attempts that failed before one worked, lines weighed by what was used of them, and a report's template took 3 kB; the
 * files that commands take away, bring back or compare took 2; errors that show how a group of options is written, the warning
 * of usage that nothing could be read from, and moves that are worked out before the state changes took 4; listings, paths, names
 * that matter, lists in calls, folders of what was changed and commits that failed took 6; the outline of files that were read
 * and what a notice says of a tool that nobody described took 1; the turns that follow a provider's own summary directly, and
 * a search in fewer steps, took 4.
 */
const engineLimit = 415_500;
/**
 * The most bytes that an installation may take in node_modules, without the command line. 25 kB of it are what reads reports
 * and measures without the engine, loads it ahead and from files, and recognizes prompts; CommonJS has most of it twice. An
 * agent framework's entry takes 20 to 33 kB with its types, in both kinds of modules; no program loads any but its own. 40 kB are
 * the rules that `checkFormat` tries a format of one's own by, which only tests load; 15 kB are the providers' own compaction, by
 * their clients and by the AI SDK. 30 kB are what the limit of wasm and glue says last, in the file and in the text.
 */
const installedLimit = 2_107_000;
/**
 * The most bytes that the command line may add to that: no program that imports precis loads any of it. Two fifths are
 * the recorded session of `precis demo` and the page of `precis inspect --html`, so that both work where nothing else is; a
 * third are the rules of providers that `precis check` judges by, and the readers of the transcripts of thirty programs.
 */
const commandLineLimit = 288_000;

/** `{ name: { raw, gz, br } }` in bytes. */
async function measure() {
  requireShipped(at("pkg"));
  const sizes = {};
  const add = (name, bytes) => {
    sizes[name] = { raw: bytes.length, gz: gzipSync(bytes, { level: 9 }).length, br: brotliCompressSync(bytes).length };
  };
  const wasm = readFileSync(at("pkg/precis.wasm"));
  const glue = Buffer.from(await minified("js/src/boundary/glue.ts"));
  add("wasm + glue", Buffer.concat([wasm, glue]));
  add("wasm", wasm);
  add("glue", glue);
  for (const name of readdirSync(at("pkg")).sort()) if (/\.c?js$/.test(name)) add(name, readFileSync(at("pkg", name)));
  const [packed] = JSON.parse(
    await must("npm", ["pack", "--dry-run", "--json", "--silent"], { cwd: at("pkg"), quiet: true }),
  );
  sizes["whole package"] = { raw: packed.unpackedSize, gz: packed.size };
  const isCommandLine = ({ path }) => /^cli\b/.test(path);
  const sum = (files) => files.reduce((total, { size }) => total + size, 0);
  sizes.installed = { raw: sum(packed.files.filter((file) => !isCommandLine(file))) };
  sizes["command line"] = { raw: sum(packed.files.filter(isCommandLine)) };
  add("with a format", await bundled(withFormat));
  return sizes;
}

async function minified(file) {
  const { default: esbuild } = await import("esbuild");
  const how = { bundle: true, write: false, format: "esm", target: "es2022", minify: true };
  const { outputFiles } = await esbuild.build({ entryPoints: [at(file)], ...how });
  return outputFiles[0].text;
}

/** What a page ships of precis with a message format, the engine included. */
const withFormat = 'export { createCompactor } from "precis"; export { openaiChat } from "precis/formats";';

/** The program as a page would load it: one minified module, with precis as it is packed. */
async function bundled(contents) {
  const { default: esbuild } = await import("esbuild");
  const how = { bundle: true, write: false, format: "esm", minify: true, platform: "browser", tsconfigRaw: {} };
  const { outputFiles } = await esbuild.build({ stdin: { contents, resolveDir: at("pkg") }, ...how });
  return Buffer.from(outputFiles[0].contents);
}

/** Builds and compares; throws what grew. Gives the number of sizes compared. */
export async function compareSizes(show = () => {}) {
  await build();
  const sizes = await measure();
  const budget = JSON.parse(readFileSync(budgetFile, "utf8"));
  const faults = [];
  for (const [name, size] of Object.entries(sizes)) {
    show(name, size, budget[name]);
    for (const [kind, bytes] of Object.entries(size)) {
      const limit = budget[name]?.[kind];
      if (limit === undefined) faults.push(`${name} is not in benches/size.json`);
      else if (bytes > limit * allowed) faults.push(`${name} (${kind}) grew from ${limit} to ${bytes} bytes`);
    }
  }
  const engine = sizes["wasm + glue"].gz;
  const installed = sizes.installed.raw;
  const added = sizes["command line"].raw;
  if (added > commandLineLimit) faults.push(`the command line takes ${added} bytes, the limit is ${commandLineLimit}`);
  if (installed > installedLimit) faults.push(`the package takes ${installed} bytes, the limit is ${installedLimit}`);
  if (engine > engineLimit) faults.push(`wasm + glue take ${engine} bytes compressed, the limit is ${engineLimit}`);
  faults.push(...saidOtherwise(sizes["with a format"].gz));
  if (faults.length === 0) return Object.keys(sizes).length;
  throw new Error(`${[...new Set(faults)].join("\n")}\nmeant to be? npm run size -- --update`);
}

/** What the README says a page ships, if that is no longer so. */
function saidOtherwise(shipped) {
  const [, said] = readFileSync(at("README.md"), "utf8").match(/\*\*Size\*\*: about (\d+) kB compressed/) ?? [];
  const today = Math.round(shipped / 1_000);
  if (said !== undefined && Math.abs(said - today) <= today * (allowed - 1) + 1) return [];
  return [`README.md says that precis with a message format is about ${said} kB compressed; it is ${today} kB`];
}

/** Shows where the engine's bytes are, and throws what grew beyond its budget. */
async function compareModules(reason) {
  const { byModule } = await import("./modules.mjs");
  const budget = JSON.parse(readFileSync(budgetFile, "utf8"));
  const limits = budget.modules ?? {};
  const kept = {};
  const faults = [];
  let sum = 0;
  for (const { module, bytes, functions } of await byModule()) {
    sum += bytes;
    if (bytes < LEAST_MODULE) continue;
    const limit = limits[module];
    console.log(row(module, [`${bytes.toLocaleString("en")}${change(bytes, limit?.bytes)}`, `${functions} functions`]));
    const grew = limit === undefined || bytes > limit.bytes * allowed;
    if (grew) faults.push(`${module} takes ${bytes} bytes; its budget is ${limit?.bytes ?? "none"}`);
    kept[module] = { bytes, why: grew && reason !== undefined ? reason : (limit?.why ?? "") };
  }
  console.log(row("all", [sum.toLocaleString("en"), ""]));
  if (reason !== undefined) writeFileSync(budgetFile, `${JSON.stringify({ ...budget, modules: kept }, null, 2)}\n`);
  else if (faults.length > 0)
    throw new Error(`${faults.join("\n")}\nmeant to be? npm run size -- --by module --update "why"`);
}

/** Modules that take less have no budget of their own. */
const LEAST_MODULE = 2_000;

main(import.meta.url, async (args) => {
  if (args.includes("--by")) {
    if (args[args.indexOf("--by") + 1] !== "module") throw new Error("there is --by module");
    const updates = args.indexOf("--update");
    if (updates >= 0 && !args[updates + 1]) throw new Error('a reason is missing: --update "why"');
    return compareModules(updates < 0 ? undefined : args[updates + 1]);
  }
  if (args.includes("--peers")) {
    await build();
    const { writePeers } = await import("./peers.mjs");
    return writePeers();
  }
  if (args.includes("--update")) {
    await build();
    const { modules } = JSON.parse(readFileSync(budgetFile, "utf8"));
    writeFileSync(budgetFile, `${JSON.stringify({ ...(await measure()), modules }, null, 2)}\n`);
  }
  console.log(row("", ["raw", "gz", "br"]));
  await compareSizes((name, size, budget) => {
    const cells = Object.entries(size).map(
      ([kind, bytes]) => `${bytes.toLocaleString("en")}${change(bytes, budget?.[kind])}`,
    );
    console.log(row(name, cells));
  });
});

const row = (name, cells) => name.padEnd(16) + cells.map((cell) => cell.padStart(18)).join("");

function change(bytes, before) {
  if (before === undefined || bytes === before) return "";
  const percent = (100 * bytes) / before - 100;
  return ` (${percent > 0 ? "+" : ""}${percent.toFixed(1)} %)`;
}
