// A Worker with D1 and a Durable Object, in a miniflare that may be killed: node cloudflare.mjs FOLDER. Prints its address.
import { createRequire } from "node:module";
import { join } from "node:path";
import esbuild from "esbuild";
import { at } from "../../../js/scripts/common.mjs";

const [folder] = process.argv.slice(2);
const { Miniflare } = createRequire(`${at("examples/recipes/many-chats")}/`)("miniflare");

/** Each request is one call of the store: { method, args }. */
const WORKER = `
import { DurableObject } from "cloudflare:workers";
import { fromSql } from "precis/stores";
const answer = async (store, request) => {
  const { method, args } = await request.json();
  return Response.json((await store[method](...args)) ?? null);
};
export class Chats extends DurableObject {
  fetch(request) {
    return answer(fromSql("durable-object", this.ctx.storage.sql), request);
  }
}
export default {
  fetch(request, env) {
    if (new URL(request.url).pathname === "/d1") return answer(fromSql("d1", env.DB), request);
    return env.CHATS.getByName("one").fetch(request);
  },
};
`;
const { outputFiles } = await esbuild.build({
  stdin: { contents: WORKER, resolveDir: at("tests/js") },
  bundle: true,
  write: false,
  format: "esm",
  conditions: ["workerd"],
  external: ["cloudflare:workers", "./precis.wasm"],
});
const miniflare = new Miniflare({
  modules: [{ type: "ESModule", path: join(folder, "worker.mjs"), contents: outputFiles[0].text }],
  modulesRoot: folder,
  compatibilityDate: "2026-03-01",
  d1Databases: { DB: "states" },
  d1Persist: join(folder, "d1"),
  durableObjects: { CHATS: { className: "Chats", useSQLite: true } },
  durableObjectsPersist: join(folder, "objects"),
});
console.log(`ready ${await miniflare.ready}`);
