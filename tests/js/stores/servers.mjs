// Servers of their own, on free ports, that end with the check.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { postgres, redisServer } from "../../../js/scripts/tools.mjs";

/** Another user's if we are root, which PostgreSQL refuses. */
const asUser = (command) =>
  process.getuid?.() === 0 ? ["su", ["postgres", "-s", "/bin/sh", "-c", command]] : ["sh", ["-c", command]];

export async function startPostgres(folder) {
  const programs = await postgres();
  const data = join(folder, "postgres");
  const settings = { stdio: "ignore", cwd: folder };
  execFileSync(...asUser(`${programs}/initdb -D ${data} -A trust -U precis --no-sync`), settings);
  const port = await freePort();
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  const control = (words) => execFileSync(...asUser(`${programs}/pg_ctl -D ${data} -l ${data}/log ${words}`), settings);
  control(`-w -o "${options}" start`);
  return { where: `postgres://precis@127.0.0.1:${port}/postgres`, stop: () => control("-m immediate stop") };
}

export async function startRedis(folder) {
  const port = await freePort();
  const dir = join(folder, "redis");
  mkdirSync(dir);
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--dir", dir];
  const server = spawn(await redisServer(), args, { stdio: "ignore" });
  return { where: `redis://127.0.0.1:${port}`, stop: () => server.kill() };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
