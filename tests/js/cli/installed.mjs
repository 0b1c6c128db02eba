// The command line as users have it: packed, installed into an empty project, and run by a program of one's choice.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildAny } from "../../../js/scripts/build.mjs";
import { at, cache, exclusively, files, hash, must, once } from "../../../js/scripts/common.mjs";

const place = join(cache, "installed");
export const program = join(place, "node_modules/precis/cli.js");
/** The program that runs it, with what it needs to be told: `PRECIS_RUNTIME='["deno","run","-A"]'`. */
const [binary, ...flags] = process.env.PRECIS_RUNTIME ? JSON.parse(process.env.PRECIS_RUNTIME) : [process.execPath];

export { binary, flags, place };

/** Installs what was built, if that is not what is there. */
export async function install() {
  await buildAny();
  await exclusively("installed", () => once("installed", hash(files("pkg")), [program], fresh));
}

async function fresh() {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const pack = ["pack", "--json", "--silent", "--pack-destination", place];
  const [{ filename }] = JSON.parse(await must("npm", pack, { cwd: at("pkg"), quiet: true }));
  writeFileSync(join(place, "package.json"), JSON.stringify({ name: "user", private: true }));
  // Without it, some would go up to the one of this repository, which says where precis has its sources.
  writeFileSync(join(place, "tsconfig.json"), "{}");
  await must("npm", ["install", "--offline", "--no-audit", "--no-fund", join(place, filename)], {
    cwd: place,
    quiet: true,
  });
}

/** Runs a command to its end. `input` is its standard input; without one it is empty. */
export function precis(args, { input = "", cwd = place, env = {} } = {}) {
  const { stdout, stderr, status, signal } = spawnSync(binary, [...flags, program, ...args], {
    cwd,
    input,
    encoding: "utf8",
    maxBuffer: 256 << 20,
    timeout: 120_000,
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
  });
  return { stdout, stderr, status: status ?? signal };
}

/** Starts a command, for a test that ends it or stops listening. */
export function started(args, options = {}) {
  return spawn(binary, [...flags, program, ...args], { cwd: place, stdio: ["ignore", "pipe", "pipe"], ...options });
}
