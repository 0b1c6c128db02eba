// The suite in workerd, as wrangler would deploy it: the condition `workerd`, the engine compiled beforehand.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveWorker } from "../../../js/scripts/workerd.mjs";

/** Before workerd let anything be compiled while a Worker starts. */
const compatibilityDate = "2024-09-23";

export async function run({ binary, folder, bundle }) {
  const { text } = await bundle("export default { fetch: async () => Response.json(await runAll()) };", {
    conditions: ["workerd"],
    external: ["./precis.wasm"],
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "worker.js"), text);
  const { child, url } = await serveWorker(binary, folder, { compatibilityDate, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const ended = new Promise((_, fail) => child.on("exit", () => fail(new Error(said))));
  try {
    return await Promise.race([answer(url), ended]);
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
