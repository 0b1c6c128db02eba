// What a check reads, so that `npm test` need not run again what passed on exactly the same. A check names the areas that
// it does not read; every other file of the repository is its input, also one that is new. One that names none always runs.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { ask, at, cache, files, hash, root } from "./common.mjs";

/** Parts of the repository that some check has nothing to do with. */
export const areas = {
  documents: ["docs", ".github", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  engine: ["src"],
  // What is declared to JavaScript stands in src/wasm alone, which `layers` checks.
  decisions: decisions(),
  "rust tests": ["tests/rust", "tests/wasm", "tests/proptest-regressions"],
  fuzzing: ["tests/fuzz"],
  typescript: ["js/src"],
  suites: ["tests/js", "tests/conformance", "tests/providers"],
  packaging: ["tests/packaging"],
  benches: ["benches"],
  examples: ["examples"],
};

/** What the engine is made of but for the part that JavaScript sees. */
function decisions() {
  const names = readdirSync(at("src")).filter((name) => name !== "wasm" && name !== "lib.rs");
  return names.map((name) => `src/${name}`);
}

/** What else decides how a check goes: programs, and the variables that they heed. */
const heeded = /^(PRECIS|PROPTEST|CARGO|RUST|NODE|NPM_CONFIG|CHROMIUM|VALGRIND|REDIS|CC|CXX|CFLAGS)/i;
/** Set by npm or by a run itself, each time to something else. */
const passing = /^(PRECIS_RUN|npm_|NODE$|INIT_CWD$)/;

const hashes = new Map();
/** The hash of a file's content, made again when the file was changed. */
function contentOf(path) {
  const { mtimeMs, ctimeMs, size } = statSync(path);
  const version = `${mtimeMs} ${ctimeMs} ${size}`;
  if (hashes.get(path)?.version !== version) hashes.set(path, { version, hash: hash([path]) });
  return hashes.get(path).hash;
}

/** What is committed or would be; without git, everything that no tool wrote. */
function listed() {
  const names = ask("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  if (!names) return files(".");
  const paths = [...new Set(names.split("\0"))].filter(Boolean).map((name) => at(name));
  return paths.filter((path) => existsSync(path) && statSync(path).isFile()).sort();
}

let surroundings;
function machine() {
  surroundings ??= JSON.stringify([
    process.version,
    process.platform,
    process.arch,
    ask("rustc", "-vV"),
    ask("cargo", "--version"),
    Object.entries(process.env)
      .filter(([name]) => heeded.test(name) && !passing.test(name))
      .sort(),
  ]);
  return surroundings;
}

const within = (folders) => (path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

/**
 * What identifies everything that a check reads at a level, on a kind of build, as it is now; or null where it does not say
 * what it leaves unread.
 */
export function inputsOf({ name, ignores }, level, kind) {
  if (!ignores) return null;
  const unread = within(foldersOf(ignores));
  const read = listed().filter((path) => !unread(placeOf(path)));
  return hash([], name, level, kind ?? "", machine(), ...read.map((path) => `${placeOf(path)} ${contentOf(path)}`));
}

const placeOf = (path) => relative(root, path).replaceAll("\\", "/");

function foldersOf(ignores) {
  return ignores.flatMap((area) => {
    if (!areas[area]) throw new Error(`no area is called "${area}"; there are ${Object.keys(areas).join(", ")}`);
    return areas[area];
  });
}

const record = ({ name }, level) => join(cache, "passed", level, `${name.replaceAll(/\W+/g, "-")}.json`);

/** How a check went when it passed at this level the last time: `{ inputs, count, seconds, at }`, or null. `inputs` is null if it failed since. */
export function lastPassed(check, level) {
  try {
    return JSON.parse(readFileSync(record(check, level), "utf8"));
  } catch {
    return null;
  }
}

/** Keeps that a check passed on these inputs. */
export function keepPassed(check, level, passed) {
  const path = record(check, level);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(passed));
  renameSync(`${path}.${process.pid}`, path);
}

/** A check that fails has to run again, whatever its inputs. How long it takes is known all the same: long ones start first. */
export function forgetPassed(check, level) {
  const before = lastPassed(check, level);
  if (before) keepPassed(check, level, { ...before, inputs: null });
}

/**
 * Watches what is read of the areas that a check says it does not read: the file system notes when a file was read last,
 * as long as it was changed since. Gives a function that lists the files that were read. Nothing else may run meanwhile.
 */
export function watchUnread({ ignores }) {
  const unread = within(foldersOf(ignores));
  const paths = listed().filter((path) => unread(placeOf(path)));
  for (const path of [...paths, probe()]) utimesSync(path, 0, statSync(path).mtimeMs / 1000);
  return () => {
    readFileSync(probe());
    if (statSync(probe()).atimeMs === 0)
      throw new Error("this file system does not note when a file is read (noatime)");
    return paths.filter((path) => statSync(path).atimeMs !== 0).map((path) => relative(root, path));
  };
}

function probe() {
  const path = join(cache, "probe");
  if (!existsSync(path)) writeFileSync(path, "read");
  return path;
}
