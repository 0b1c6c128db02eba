// What every script needs: places, running programs, and the few tools that must be there first.
// Standard output belongs to the program that was asked for, so all of this speaks on standard error.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
export const target = resolve(root, process.env.CARGO_TARGET_DIR ?? "target");
export const cache = join(target, "precis");
export const ci = process.env.CI === "true" || process.env.CI === "1";
export const at = (...path) => join(root, ...path);
export const note = (text) => process.stderr.write(`${text}\n`);

const plain = { NO_COLOR: "1", FORCE_COLOR: "0", CARGO_TERM_COLOR: "never" };
const windows = process.platform === "win32";

/**
 * Runs a program to its end; shows what it says as it comes unless `quiet`. With a `timeout`, in milliseconds, it and
 * whatever it started are ended then; so they are when this process is told to end.
 */
export function run(command, args, { cwd = root, env = {}, quiet = false, timeout } = {}) {
  return new Promise((done, fail) => {
    if (ending) return;
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...(quiet && plain), ...env },
      shell: windows && command === "npm",
      stdio: ["ignore", "pipe", "pipe"],
      detached: !windows,
    });
    started(child);
    const late = timeout && setTimeout(() => end(child), timeout);
    let stdout = "";
    let all = "";
    const take = (chunk) => {
      all += chunk;
      if (!quiet) process.stderr.write(chunk);
    };
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
      take(chunk);
    });
    child.stderr.setEncoding("utf8").on("data", take);
    child.on("error", (error) => fail(new Error(`${command} could not be started: ${error.message}`)));
    child.on("close", (code, signal) => {
      clearTimeout(late);
      running.delete(child);
      done({ code: code ?? signal, stdout, all });
    });
  });
}

/** Programs that were started and have not ended. */
const running = new Set();
let heeding = false;
/** Nothing is started any more. */
let ending = false;

/** Each leads a group of its own, which the terminal does not end, so this process hands on what it is told. */
function started(child) {
  running.add(child);
  if (heeding) return;
  heeding = true;
  for (const [signal, number] of [
    ["SIGINT", 2],
    ["SIGTERM", 15],
    ["SIGHUP", 1],
  ]) {
    process.once(signal, () => {
      ending = true;
      // What they started in groups of their own they end themselves.
      for (const child of running) end(child, "SIGTERM");
      setTimeout(() => {
        for (const child of running) end(child);
        process.exit(128 + number);
      }, 500);
    });
  }
}

/** Ends a program that was started as the leader of its group, with all of the group. */
export function end(child, signal = "SIGKILL") {
  try {
    if (windows) child.kill();
    else process.kill(-child.pid, signal);
  } catch {}
}

/** A port that nobody listens at. */
export async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** The same for a program that must succeed. Resolves to its standard output. */
export async function must(command, args, options) {
  const { code, stdout, all } = await run(command, args, options);
  if (code === 0) return stdout;
  throw new Error(`${[command, ...args].join(" ")} failed (${code})${options?.quiet ? `\n${all}` : ""}`);
}

/**
 * Compiles by cargo without optimizing as a whole. A compilation that was killed, or found the disk full, can leave parts that
 * do not fit together: where the crate has no fault and still cannot be linked, they are removed and it is compiled once more.
 */
export async function compile(args, { wasm, ...options } = {}) {
  try {
    return await must("cargo", args, options);
  } catch (error) {
    const parts = join(target, ...(wasm ? [wasm] : []), "debug", "incremental");
    const where = wasm ? ["--lib", "--target", wasm] : ["--tests"];
    const checked =
      existsSync(parts) && (await run("cargo", ["check", "--quiet", ...where], { ...options, quiet: true }));
    if (!checked || checked.code !== 0) throw error;
    note("compiling again, without what earlier compilations left …");
    rmSync(parts, { recursive: true, force: true });
    return must("cargo", args, options);
  }
}

/** What a short program prints, or null if it cannot be run. */
export function ask(command, ...args) {
  const { status, stdout } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

/** All files below `paths` (files or folders), sorted, leaving out what tools wrote. */
export function files(...paths) {
  const skip = new Set(["node_modules", "target", "generated", "pkg", ".git"]);
  const walk = (path) =>
    !existsSync(path)
      ? []
      : statSync(path).isDirectory()
        ? readdirSync(path)
            .filter((name) => !skip.has(name))
            .flatMap((name) => walk(join(path, name)))
        : [path];
  return paths.flatMap((path) => walk(at(path))).sort();
}

/** One hash over the names and contents of files, and over further words. */
export function hash(paths, ...words) {
  const sum = createHash("sha256").update(JSON.stringify(words));
  for (const path of paths) sum.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  return sum.digest("hex");
}

/** The files of a script: itself, and what it imports of the repository, also by way of others. */
export function imported(script, found = new Set()) {
  const path = at(script);
  if (found.has(path)) return [...found];
  found.add(path);
  for (const [, name] of readFileSync(path, "utf8").matchAll(/(?:from |import\()"(\.[^"]+\.mjs)"/g))
    imported(relative(root, resolve(dirname(path), name)), found);
  return [...found].sort();
}

/** Does `work` unless it was done with the same `key` before and what it made is still there. */
export async function once(name, key, made, work) {
  const stamp = join(cache, `${name}.stamp`);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key && made.every((path) => existsSync(path))) return;
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(cache, { recursive: true });
  writeFileSync(stamp, key);
}

/** Lets one process at a time through; a lock left by a process that died is taken over. */
export async function exclusively(name, work) {
  const lock = join(cache, `${name}.lock`);
  mkdirSync(cache, { recursive: true });
  for (let told = false; !take(lock); await new Promise((next) => setTimeout(next, 200))) {
    if (!told) note(`waiting for process ${ownerOf(lock)?.split(" ")[0]}, which works on the same files …`);
    told = true;
  }
  const release = () => rmSync(lock, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    process.off("exit", release);
    release();
  }
}

/** A lock is there at once with the name of its owner, or not at all, also on a full disk. */
function take(lock) {
  const mine = `${lock}.${process.pid}`;
  try {
    writeFileSync(mine, identity(process.pid));
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  } finally {
    rmSync(mine, { force: true });
  }
  const owner = ownerOf(lock);
  if (owner !== null && identity(owner.split(" ")[0]) !== owner) takeAway(lock, owner);
  return false;
}

/** Removes the lock of an owner that died, unless another process took it over in the meantime. */
function takeAway(lock, owner) {
  const old = `${lock}.old-${process.pid}`;
  try {
    renameSync(lock, old);
    if (readFileSync(old, "utf8") !== owner) linkSync(old, lock);
  } catch {
  } finally {
    rmSync(old, { force: true });
  }
}

function ownerOf(lock) {
  try {
    return readFileSync(lock, "utf8");
  } catch {
    return null;
  }
}

/** A process, and when it began where the system says so: numbers of processes are used again. */
function identity(pid) {
  if (!(Number(pid) > 0)) return "none";
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code === "ESRCH") return "none";
  }
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[19]}`;
  } catch {
    return `${pid}`;
  }
}

/** Installs the npm packages a lock file names, if they are not there in these versions. */
export async function packages(folder = ".", ...flags) {
  const lock = read(folder, "package-lock.json");
  if (!lock) throw new Error(`${folder}/package-lock.json is missing`);
  if (holds(folder, lock)) return;
  await exclusively(`packages-${folder.replaceAll("/", "-")}`, async () => {
    if (holds(folder, lock)) return;
    note(`installing the npm packages of ${folder === "." ? "the workspace" : folder} …`);
    await must("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...flags], {
      cwd: at(folder),
    });
  });
}

/** Whether a folder has the packages of its lock file. */
function holds(folder, lock) {
  const there = read(folder, "node_modules/.package-lock.json");
  const fresh = ([path, { version, optional, link }]) =>
    !path.startsWith("node_modules/") || link || optional || there?.packages[path]?.version === version;
  return there !== null && Object.entries(lock.packages).every(fresh);
}

function read(...path) {
  return existsSync(at(...path)) ? JSON.parse(readFileSync(at(...path), "utf8")) : null;
}

/** The version of a crate in the engine's Cargo.lock. */
export function locked(crate) {
  const lock = readFileSync(at("Cargo.lock"), "utf8");
  return lock.match(new RegExp(`name = "${crate}"\nversion = "([^"]+)"`))?.[1] ?? null;
}

/** Rust's target for WebAssembly, added if rustup manages this toolchain and it is missing. */
export async function wasmTarget() {
  if (ask("cargo", "--version") === null) {
    throw new Error("cargo was not found: install Rust 1.88 or newer (https://rustup.rs), then run this again");
  }
  const wasm = "wasm32-unknown-unknown";
  const installed = ask("rustup", "target", "list", "--installed");
  if (installed !== null && !installed.includes(wasm)) await must("rustup", ["target", "add", wasm]);
  return wasm;
}

/** Runs a script's main function, once its module is complete: a failure is one readable line and exit code 1. */
export async function main(url, work) {
  if (process.argv[1] === undefined || resolve(process.argv[1]) !== fileURLToPath(url)) return;
  await null;
  try {
    await work(process.argv.slice(2));
  } catch (error) {
    note(`\n${error.message}`);
    if (error.code === "ENOSPC") note(`The disk of ${target} is full: free some space, then run this again.`);
    process.exitCode = 1;
  }
}
