// The engine cannot be loaded: the error names the cause and the line to add. Each case is a copy of the package, with
// one file changed or in a process where something is forbidden.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { equal, match, test } from "./harness.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const messages = [{ role: "user", content: "hello" }];

/** What a first call says in a copy of the package, `prepared`, after `before` was run. */
function firstCall(prepared = () => {}, before = "", entry = "index.js") {
  const folder = mkdtempSync(join(tmpdir(), "precis-"));
  try {
    cpSync(pkg, join(folder, "node_modules/precis"), { recursive: true });
    prepared(join(folder, "node_modules/precis"));
    const program = join(folder, "program.mjs");
    const url = pathToFileURL(join(folder, "node_modules/precis", entry)).href;
    writeFileSync(
      program,
      `import { createRequire } from "node:module";
       ${before}
       const { createCompactor, PrecisError } = ${entry.endsWith("cjs") ? `createRequire(import.meta.url)("precis")` : `await import("${url}")`};
       const { openaiChat } = await import("precis/formats");
       const call = () => createCompactor({ format: openaiChat, contextWindow: 8000 }).usage({ messages: ${JSON.stringify(messages)} });
       try { call(); console.log("answered"); }
       catch (error) { console.log(error instanceof PrecisError, error.code, error.advice, "| cause:", String(error.cause)); }`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: "utf8" });
    return stdout || stderr;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces in a file of the package. */
const changed = (file, from, to) => (folder) => {
  const path = join(folder, file);
  const before = readFileSync(path, "latin1");
  const after = before.replaceAll(from, to);
  equal(before !== after, true, `${file} holds nothing to replace`);
  writeFileSync(path, after, "latin1");
};

const forbidden = (error) =>
  `WebAssembly.Module = class { static customSections() { return []; } constructor() { throw ${error}; } };`;

test("the copy itself works, as an ES module and as CommonJS", () => {
  equal(firstCall().trim(), "answered");
  equal(firstCall(undefined, "", "index.cjs").trim(), "answered");
});

test("CommonJS works where require takes no ES modules", () => {
  const refuse = changed("precis.wasm.js", /^export default/g, "throw new Error('no ES modules here'); export default");
  equal(firstCall(refuse, "", "index.cjs").trim(), "answered");
});

test("a content security policy: the line to add to it", () => {
  const chromium = `new WebAssembly.CompileError("WebAssembly.Module(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because 'unsafe-eval' is not an allowed source")`;
  match(firstCall(undefined, forbidden(chromium)), /^true engine-load .*script-src 'self' 'wasm-unsafe-eval'/);
  const firefox = `new WebAssembly.CompileError("call to WebAssembly.Module() blocked by CSP")`;
  match(firstCall(undefined, forbidden(firefox)), /^true engine-load .*'wasm-unsafe-eval'.*cause: CompileError/);
});

test("a platform that compiles nothing at run time: the lines that choose its own entry", () => {
  const workerd = `new WebAssembly.CompileError("WebAssembly.Module(): Wasm code generation disallowed by embedder")`;
  match(
    firstCall(undefined, forbidden(workerd)),
    /^true engine-load .*serverExternalPackages: \["precis"\].*"workerd"/,
  );
});

test("no WebAssembly at all", () => {
  match(firstCall(undefined, "delete globalThis.WebAssembly;"), /^true engine-load This runtime has no WebAssembly/);
});

test("damaged bytes", () => {
  const cut = changed("precis.wasm.js", /[^"]{40}";/g, '";');
  match(firstCall(cut), /^true engine-load The bytes of the engine are damaged.*cause: /);
  const none = changed("precis.wasm.js", /"\d+:.*"/g, '"<!doctype html>"');
  match(firstCall(none), /^true engine-load The bytes of the engine are damaged/);
});

test("JavaScript of one build, wasm of another", () => {
  const stamp = new WebAssembly.Module(readFileSync(join(pkg, "precis.wasm")));
  const [section] = WebAssembly.Module.customSections(stamp, "precis");
  const build = Buffer.from(section).toString();
  match(
    firstCall(changed("core.js", build, "0123456789ab")),
    new RegExp(`^true boundary-mismatch .*build 0123456789ab.* of build ${build}`),
  );
});

test("two versions side by side do not know of each other", async () => {
  const other = mkdtempSync(join(tmpdir(), "precis-"));
  try {
    cpSync(pkg, join(other, "node_modules/precis"), { recursive: true });
    const { createCompactor } = await import(pathToFileURL(join(pkg, "index.js")));
    const { createCompactor: second } = await import(pathToFileURL(join(other, "node_modules/precis/index.js")));
    const { openaiChat } = await import("precis/formats");
    equal(createCompactor === second, false);
    const [one, two] = [createCompactor, second].map((make) => make({ format: openaiChat, contextWindow: 8_000 }));
    equal(one.usage({ messages }).tokens, two.usage({ messages }).tokens);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});
