// node js/scripts/mutate.mjs [WORDS]: what if a line of the engine were wrong? All mutations of tests/mutations.json are
// built into one copy of the engine, each behind a switch, so that it is compiled once; then the Rust tests run with one
// switch on after the other, and what caught each is written to docs/mutations.md.
//
// A mutation is `find`, an expression or statements that stand exactly once in `file` (or once in `at`, which does), and
// `put` in its place. `equal` says why no test can tell the two apart. What was found is kept under target/: a run that
// was stopped goes on where it was, and what survived is tried again. WORDS: only those whose file or description has
// these words, tried in any case; `--write` tries nothing and writes the file from what is known.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask, at, cache, main, must, note } from "./common.mjs";

const scratch = join(cache, "mutants");
const known = join(cache, "mutants.json");
/** Seconds after which tests that do not end count as a catch. */
const PATIENCE = 900;
/** Reads the sources for what mutations replace, which their switches stand around here. */
const OF_SOURCES = "documentation::each_mutation_stands_once_in_the_engine";
/** The quick tests first: a property takes as long as all the examples together. */
const ROUNDS = [["--skip", "properties::", "--skip", OF_SOURCES], ["properties::"]];

main(import.meta.url, async ([...words]) => {
  const mutations = JSON.parse(readFileSync(at("tests/mutations.json"), "utf8"));
  const found = existsSync(known) ? JSON.parse(readFileSync(known, "utf8")) : {};
  if (words[0] === "--write") return write(mutations, found);
  const program = await build(mutations);
  if (Object.keys(found).length === 0)
    for (const round of ROUNDS) {
      const { code, output } = await run(program, -1, round);
      if (code !== 0) throw new Error(`without a mutation the tests fail:\n${output}`);
    }
  for (const [number, mutation] of mutations.entries()) {
    const title = `${mutation.file}: ${mutation.what}`;
    const before = found[key(mutation)];
    if (words.length > 0 ? !words.every((word) => title.includes(word)) : before?.length > 0) continue;
    const from = performance.now();
    const caught = await catchers(program, number);
    found[key(mutation)] = caught;
    writeFileSync(known, JSON.stringify(found, null, 1));
    note(`${((performance.now() - from) / 1000).toFixed(0)} s  ${title}: ${told(caught)}`);
    write(mutations, found);
  }
  write(mutations, found);
});

const key = ({ file, at = "", find, put }) => JSON.stringify([file, at, find, put]);

/** The engine with all mutations in it; the path of its test program. */
async function build(mutations) {
  const listed = ask(
    "git",
    "ls-files",
    "--",
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "tests",
    "docs",
    "js/src",
    "README.md",
  );
  rmSync(join(scratch, "src"), { recursive: true, force: true });
  rmSync(join(scratch, "tests"), { recursive: true, force: true });
  for (const path of listed.split("\n").filter((path) => existsSync(at(path)))) {
    mkdirSync(dirname(join(scratch, path)), { recursive: true });
    cpSync(at(path), join(scratch, path));
  }
  // Failures of mutants are no regressions.
  rmSync(join(scratch, "tests/proptest-regressions"), { recursive: true, force: true });
  for (const [number, mutation] of mutations.entries()) {
    const path = join(scratch, mutation.file);
    writeFileSync(path, switched(readFileSync(path, "utf8"), number, mutation));
  }
  const map = join(scratch, "src/lib.rs");
  writeFileSync(map, readFileSync(map, "utf8") + SWITCH);
  const env = { CARGO_TARGET_DIR: join(scratch, "target"), CARGO_PROFILE_DEV_DEBUG: "0" };
  const args = ["test", "--quiet", "--test", "rust", "--no-run", "--message-format=json"];
  const lines = (await must("cargo", args, { cwd: scratch, env, quiet: true })).trim().split("\n");
  const programs = lines.map((line) => JSON.parse(line)).filter(({ executable }) => executable);
  return programs.at(-1).executable;
}

const SWITCH = `
extern crate std;
/// Whether this mutation is on.
#[doc(hidden)]
pub fn mutant(number: i64) -> bool {
    static ON: std::sync::OnceLock<i64> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(-1)) == number
}
`;

/** A source with one more switch in it. Where two mutations are of one place, the first one's `else` holds the second. */
function switched(source, number, { file, what, at: around = null, find, put }) {
  const original = readFileSync(at(file), "utf8");
  if (original.split(around ?? find).length !== 2)
    throw new Error(`${file}: ${what}: does not stand there exactly once`);
  const from = source.lastIndexOf(around ?? find);
  const start = around === null ? from : source.indexOf(find, from);
  if (from < 0 || start < 0) throw new Error(`${file}: ${what}: another mutation is in its way`);
  const statements = /[;}]\s*$/.test(find) && /;/.test(find);
  const choice = `if crate::mutant(${number}) { ${put} } else { ${find} }`;
  return source.slice(0, start) + (statements ? choice : `(${choice})`) + source.slice(start + find.length);
}

/** The tests that fail with a mutation on; none if it survives. */
async function catchers(program, number) {
  for (const round of ROUNDS) {
    const { code, output } = await run(program, number, round);
    if (code === 0) continue;
    if (code === "late") return ["(the tests do not end)"];
    const names = [...output.matchAll(/^ {4}([a-z_0-9]+(?:::[a-z_0-9]+)+)$/gm)].map(([, name]) => name);
    return names.length > 0 ? [...new Set(names)].sort() : [`(the test program ends with ${code})`];
  }
  return [];
}

function run(program, number, args) {
  const env = { ...process.env, MUTANT: String(number), PROPTEST_RNG_SEED: "20261121", NO_COLOR: "1" };
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd: scratch, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, PATIENCE * 1_000);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    child.on("error", fail);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      done({ code: late ? "late" : (code ?? signal), output });
    });
  });
}

const told = (caught) => {
  if (caught.length === 0) return "SURVIVED";
  return caught.length > 1 ? `${caught[0]} and ${caught.length - 1} more` : caught[0];
};

function write(mutations, found) {
  const rows = mutations.map((mutation) => ({ ...mutation, caught: found[key(mutation)] }));
  const ran = rows.filter(({ caught }) => caught);
  const survived = ran.filter(({ caught }) => caught.length === 0);
  const table = rows.map(({ file, what, equal, caught }) => {
    const by = !caught
      ? "no example; properties not run yet"
      : caught.length === 0
        ? `**survived**${equal ? `: ${equal}` : ""}`
        : `\`${caught[0]}\`${caught.length > 1 ? ` and ${caught.length - 1} more` : ""}`;
    return `| \`${file.replace("src/", "")}\` | ${what} | ${by} |`;
  });
  writeFileSync(
    at("docs/mutations.md"),
    `# Mutations

What if a line of the engine were wrong? Each row below puts one such line, from
[tests/mutations.json](../tests/mutations.json), into a copy of the engine and names the Rust test that fails then: the
first by name, and how many more. Properties run only where no example fails. A mutation that survives is explained here
or lacks a test.

\`node js/scripts/mutate.mjs\` does this and writes this file.

${rows.length} mutations, ${ran.length} run: ${ran.length - survived.length} caught, ${survived.length} survived.

| file of src/ | what is wrong | caught by |
|---|---|---|
${table.join("\n")}
`,
  );
}
