// The example for Cloudflare in workerd, without wrangler: built as wrangler builds it, with storage on disk.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { at, cache, end, freePort } from "../../../js/scripts/common.mjs";
import { npmBinary } from "../../../js/scripts/tools.mjs";

const folder = join(cache, "durable-objects");

/** Builds the Worker, and gives what starts it: `start()` resolves when it answers, `kill()` ends it as a crash would. */
export async function worker(variables) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "storage"), { recursive: true });
  cpSync(at("examples/cloudflare-chat/src"), join(folder, "src"), { recursive: true });
  cpSync(at("pkg"), join(folder, "node_modules/precis"), { recursive: true });
  cpSync(at("tests/js/node_modules/zod"), join(folder, "node_modules/zod"), { recursive: true });
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: folder,
    entryPoints: ["src/index.ts"],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd"],
    // Above it lies this repository, whose tsconfig.json says where precis has its sources.
    tsconfigRaw: {},
    external: ["cloudflare:workers", "./precis.wasm"],
    logLevel: "warning",
  });
  cpSync(at("pkg/precis.wasm"), join(folder, "precis.wasm"));
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  writeFileSync(join(folder, "config.capnp"), config(address, variables));
  const binary = await npmBinary("workerd");
  const url = `http://${address}`;
  let child;

  return {
    url,
    async start() {
      child = spawn(binary, ["serve", "config.capnp"], {
        cwd: folder,
        detached: true,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (chunk) => {
        said = (said + chunk).slice(-5_000);
      });
      const mine = child;
      for (let left = 200; ; left--) {
        if (
          await fetch(`${url}/`).then(
            ({ ok }) => ok,
            () => false,
          )
        )
          return;
        if (mine.exitCode !== null || left === 0) throw new Error(`workerd does not answer:\n${said}`);
        await new Promise((next) => setTimeout(next, 50));
      }
    },
    /** Resolves when the process is gone. */
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => child.once("exit", done));
      end(child);
      await gone;
    },
  };
}

function config(address, variables) {
  const bindings = Object.entries(variables).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = "storage", writable = true)),
    (name = "internet", network = (allow = ["local"], deny = [])),
  ],
  sockets = [(name = "http", address = "${address}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "2025-09-01",
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "precis.wasm", wasm = embed "precis.wasm")],
  bindings = [(name = "CHATS", durableObjectNamespace = "Chat"), ${bindings.join(", ")}],
  durableObjectNamespaces = [(className = "Chat", uniqueKey = "chat", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
);
`;
}
