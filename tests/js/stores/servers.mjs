// Servers of their own, on free ports, that end with the check.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
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

/**
 * What Upstash documents of its REST API, in front of a Redis: a command is a POST of a list of its words, the reply is
 * `{ result }` or `{ error }`. `/pipeline` takes a list of commands and returns a list of replies; it is not atomic. Texts
 * are in base64 if the request asks for it.
 * Source: upstash.com/docs/redis/features/restapi
 */
export async function startUpstash(where) {
  const { createClient } = await import("redis");
  const redis = createClient({ url: where });
  await redis.connect();
  const encoded = (value) => {
    if (Array.isArray(value)) return value.map(encoded);
    return typeof value === "string" && value !== "OK" ? Buffer.from(value).toString("base64") : value;
  };
  const server = createHttpServer(async (request, response) => {
    const answer = (status, body) => response.writeHead(status).end(JSON.stringify(body));
    if (request.headers.authorization !== "Bearer a token") return answer(401, { error: "Unauthorized" });
    const asked = await json(request);
    const replyTo = async (words) => {
      try {
        const result = await redis.sendCommand(words.map(String));
        return { result: request.headers["upstash-encoding"] === "base64" ? encoded(result) : result };
      } catch (error) {
        return { error: error.message };
      }
    };
    if (request.url === "/pipeline") return answer(200, await Promise.all(asked.map(replyTo)));
    const reply = await replyTo(asked);
    return answer(reply.error ? 400 : 200, reply);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const stop = () => {
    server.close();
    server.closeAllConnections();
    redis.destroy();
  };
  return { where: `http://127.0.0.1:${server.address().port}`, stop };
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
