// The agents of docs/frameworks.md that run in a Durable Object, in a Worker as it would be deployed: workerd runs them, and
// what they ask of a provider comes here.
import { readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

/** Its packages are its own: they are for Workers alone. */
const place = fileURLToPath(new URL("../cloudflare/", import.meta.url));
const read = (path) => readFileSync(new URL(`../../../${path}`, import.meta.url));

/** The class of a program that is an agent of Cloudflare's. */
export const agentOf = (code) => /from "@cloudflare\//.test(code) && /^export class (\w+)/m.exec(code)?.[1];

/** Those of the page, by that name. */
export const agents = new Map(
  [
    ...read("docs/frameworks.md")
      .toString()
      .matchAll(/^```ts\n(.*?)^```$/gms),
  ]
    .map(([, code]) => [agentOf(code), code])
    .filter(([name]) => name),
);

/** What the programs use and do not declare. */
const GIVEN = `
  import { createOpenAI } from "@ai-sdk/openai";
  import { tool } from "ai";
  import { z } from "zod";
  const execute = async ({ path }) => (await fetch("https://files.test/" + path)).text();
  const inputSchema = z.object({ path: z.string() });
  globalThis.instructions = "You search files.";
  globalThis.model = createOpenAI({ apiKey: "a key" }).chat("gpt-5.6");
  globalThis.tools = { read: tool({ description: "Reads a file", inputSchema, execute }) };
`;

/** Around the class of a program: a turn as if a person had typed, which may be stopped, and what is stored. */
const worker = (name) => `
  import "given";
  import { getAgentByName } from "agents";
  import { ${name} as Program } from "program";
  export class Kept extends Program {
    async ask(text) {
      this.stopping = new AbortController();
      const message = { id: crypto.randomUUID(), role: "user", parts: [{ type: "text", text }] };
      const { signal } = this.stopping;
      const { status, error } = await this.saveMessages((messages) => [...messages, message], { signal });
      return { status, error };
    }
    stop() {
      this.stopping.abort();
    }
    stored() {
      const rows = this.ctx.storage.sql.exec("SELECT key, state FROM precis_states").toArray();
      const states = rows.map(({ key, state }) => [key, JSON.parse(state)]);
      return { states, messages: this.messages };
    }
  }
  export default {
    async fetch(request, env) {
      const { chat, method, args } = await request.json();
      const agent = await getAgentByName(env.KEPT, chat);
      return Response.json((await agent[method](...args)) ?? null);
    },
  };
`;

/** Finds the programs; and what Node calls \`path\` is \`node:path\` in workerd. */
const resolving = (program) => ({
  name: "programs",
  setup(build) {
    const sources = { given: GIVEN, program };
    build.onResolve({ filter: /^(given|program)$/ }, ({ path }) => ({ path, namespace: "programs" }));
    build.onLoad({ filter: /.*/, namespace: "programs" }, ({ path }) => ({
      ...{ contents: sources[path], loader: "ts", resolveDir: place },
    }));
    build.onResolve({ filter: /^[a-z_]+$/ }, ({ path }) =>
      builtinModules.includes(path) ? { path, namespace: "builtin" } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `export * from "node:${path}"; export { default } from "node:${path}";`,
    }));
  },
});

/** A program in one file, whose engine is a module beside it. */
async function bundled(program) {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: worker(agentOf(program)), resolveDir: place },
    plugins: [resolving(program)],
    ...{ bundle: true, write: false, format: "esm", target: "es2022", conditions: ["workerd", "worker", "browser"] },
    // The last one is a shell for scripts of skills, which Think loads where there are any.
    external: ["node:*", "cloudflare:*", "./precis.wasm", "just-bash"],
    // Above it lies this repository, whose tsconfig.json says where precis has its sources.
    ...{ tsconfigRaw: {}, logLevel: "error" },
  });
  return outputFiles[0].text;
}

/** A program of the page with another window than it is written for. */
export const sized = (program, { window, reply }) =>
  program.replaceAll("200_000", String(window)).replaceAll("8_000", String(reply));

/** A program of the page as it is without precis, and how many of its lines are for precis. */
export function without(program) {
  const uncommanded = program
    .replace(/\n(?: {2}\/\*\*.*\n)? {2}@callable\(\)\n[\s\S]*?\n {2}\}\n/, "")
    .replace('import { callable } from "agents";\n', "");
  const changed = /run\.model\(model\)|this\.turn\.model\(model\)/;
  const own =
    /^import .*"precis|private readonly (?:store|c) |private turn |truncationStep|run = this\.c|run\.(?:prepareStep|onStepEnd)|override beforeStep|override onStepEnd|this\.turn = /;
  const bare = uncommanded
    .replace(/\n {2}override async onStart\(\) \{\n.*\n {2}\}\n/, "")
    .replace("    await this.store.createTable();\n", "")
    .split("\n")
    .filter((line) => !own.test(line))
    .join("\n");
  if (/precis|\bthis\.(?:c|store|turn)\b/.test(bare.replace(changed, "")))
    throw new Error(`not all of precis was found in ${program}`);
  const count = (code) => code.split("\n").filter((line) => line.trim() !== "").length;
  return { program: bare.replace(changed, "model"), lines: count(uncommanded) - count(bare) + 1 };
}

/**
 * A Worker with the agent of a program. `fetch` replies in place of a provider, `contentOf` is what a file holds.
 * `call(chat, method, ...args)` asks the agent of a chat, `restart()` ends the process and begins with what is stored.
 */
export async function serveAgent(program, folder, { fetch, contentOf }) {
  const { Miniflare, Response } = createRequire(join(place, "package.json"))("miniflare");
  const modules = [
    { type: "ESModule", path: join(folder, "worker.mjs"), contents: await bundled(program) },
    { type: "CompiledWasm", path: join(folder, "precis.wasm"), contents: read("pkg/precis.wasm") },
  ];
  const options = {
    ...{ modules, modulesRoot: folder, compatibilityDate: "2026-07-01", compatibilityFlags: ["nodejs_compat"] },
    durableObjects: { KEPT: { className: "Kept", useSQLite: true } },
    durableObjectsPersist: join(folder, "objects"),
    async outboundService(request) {
      const url = new URL(request.url);
      if (url.hostname === "files.test") return new Response(contentOf(url.pathname.slice(1)));
      const { status, headers, body } = await fetch(request.url, { method: "POST", body: await request.text() });
      return new Response(body, { status, headers: Object.fromEntries(headers) });
    },
  };
  let miniflare = new Miniflare(options);
  return {
    async call(chat, method, ...args) {
      const body = JSON.stringify({ chat, method, args });
      const response = await miniflare.dispatchFetch("https://agents.test/", { method: "POST", body });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return JSON.parse(text);
    },
    async restart() {
      await miniflare.dispose();
      miniflare = new Miniflare(options);
    },
    close: () => miniflare.dispose(),
  };
}
