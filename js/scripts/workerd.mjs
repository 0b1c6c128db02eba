// A Worker in workerd, as wrangler would deploy it: its script with precis beside it, the engine as a module of its own.
import { spawn } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, freePort } from "./common.mjs";

/** Bundles a program into a folder of its own, with what `pkg/` has for Workers. */
export async function bundleWorker(folder, contents) {
  const { default: esbuild } = await import("esbuild");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(at("pkg"), join(folder, "node_modules/precis"), { recursive: true });
  await esbuild.build({
    stdin: { contents, resolveDir: folder },
    outfile: join(folder, "worker.js"),
    ...{ bundle: true, format: "esm", conditions: ["workerd"], external: ["./precis.wasm"], logLevel: "warning" },
    // Above it lies this repository, whose tsconfig.json says where precis has its sources.
    tsconfigRaw: {},
  });
}

/** Serves `worker.js` of a folder at a free port: the process, and its address. */
export async function serveWorker(binary, folder, { compatibilityDate = "2025-09-01", ...how } = {}) {
  const socket = `127.0.0.1:${await freePort()}`;
  copyFileSync(at("pkg/precis.wasm"), join(folder, "precis.wasm"));
  configure(folder, socket, compatibilityDate, ["worker.js", "precis.wasm"]);
  const child = spawn(binary, ["serve", "config.capnp"], { cwd: folder, ...how });
  return { child, url: `http://${socket}` };
}

/** Writes what workerd serves of a folder, and where: the modules of a Worker, its script first. */
export function configure(folder, socket, compatibilityDate, modules) {
  const module = (name) => `(name = "${name}", ${name.endsWith(".js") ? "esModule" : "wasm"} = embed "${name}")`;
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "${socket}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibilityDate}",
  modules = [${modules.map(module).join(", ")}],
);
`,
  );
}
