// What runtimes with a command line and node_modules have in common: everything but precis is bundled.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

export async function server({ binary, folder, bundle }, args) {
  const ending = "console.log(`TOTALS ${JSON.stringify(await runAll())}`);";
  // A project of its own: above it lies this repository, whose tsconfig.json says where precis has its sources.
  mkdirSync(folder, { recursive: true });
  cpSync(pkg, join(folder, "node_modules/precis"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "dependencies": { "precis": "*" } }');
  writeFileSync(join(folder, "tsconfig.json"), "{}");
  await bundle(ending, { outdir: folder, entryNames: "suite", external: ["precis", "precis/*"] });
  const { stdout, stderr } = spawnSync(binary, [...args, join(folder, "suite.js")], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" },
  });
  const line = stdout.split("\n").find((one) => one.startsWith("TOTALS "));
  if (!line) throw new Error(`${stdout}\n${stderr}`);
  return JSON.parse(line.slice(7));
}
