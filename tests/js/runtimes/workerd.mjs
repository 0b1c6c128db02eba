// The suite in workerd, as wrangler would deploy it: the condition `workerd`, the engine compiled beforehand.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const wasm = fileURLToPath(new URL("../../../pkg/precis.wasm", import.meta.url));

/** Before workerd let anything be compiled while a Worker starts. */
const compatibilityDate = "2024-09-23";

export async function run({ binary, folder, bundle }) {
  const { text } = await bundle("export default { fetch: async () => Response.json(await runAll()) };", {
    conditions: ["workerd"],
    external: ["./precis.wasm"],
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "suite.js"), text);
  copyFileSync(wasm, join(folder, "precis.wasm"));
  const socket = `127.0.0.1:${await freePort()}`;
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "${socket}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  compatibilityDate = "${compatibilityDate}",
  modules = [(name = "suite.js", esModule = embed "suite.js"), (name = "precis.wasm", wasm = embed "precis.wasm")],
);
`,
  );
  const child = spawn(binary, ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise((_, fail) => child.on("exit", () => fail(new Error(said))));
  try {
    return await Promise.race([answer(`http://${socket}/`), ended]);
  } finally {
    child.removeAllListeners("exit");
    child.kill();
  }
}

/** Asks until it listens. */
async function answer(url) {
  for (let left = 100; ; left--) {
    const response = await fetch(url).catch((error) => {
      if (left === 0) throw error;
    });
    if (response?.ok) return response.json();
    if (response) throw new Error(await response.text());
    await new Promise((next) => setTimeout(next, 100));
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}
