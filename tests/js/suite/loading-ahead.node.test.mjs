// How the engine comes: from the package's file, from its text where there is no such file, from an address, ahead of the
// first call. Each case is a copy of the package in a process of its own, with something missing, damaged or in the way.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deepEqual, equal, match, ok, test } from "./harness.mjs";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));
const wasm = readFileSync(join(pkg, "precis.wasm"));

/**
 * What a program prints in a copy of the package that was `prepared`. It has `precis`, `formats`, `call()`, which gives the
 * tokens of a short chat, and `caught(work)`, which gives the code, path and advice of what work throws.
 */
async function printed({ prepared = () => {}, entry = "node.js", before = "" }, body, ...args) {
  const folder = mkdtempSync(join(tmpdir(), "precis-"));
  try {
    const copy = join(folder, "node_modules/precis");
    cpSync(pkg, copy, { recursive: true });
    prepared(copy);
    const program = join(folder, "program.mjs");
    writeFileSync(
      program,
      `import { createRequire } from "node:module";
       ${before}
       const precis = ${entry.endsWith("cjs") ? `createRequire(import.meta.url)("precis")` : `await import(${JSON.stringify(pathToFileURL(join(copy, entry)).href)})`};
       const { openaiChat } = await import("precis/formats");
       const messages = Array.from({ length: 12 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "turn " + i + " about order 4711" }));
       const call = () => precis.createCompactor({ format: openaiChat, contextWindow: 8000 }).usage({ messages }).tokens;
       const caught = async (work) => { try { return { is: await work() }; } catch (error) { return { own: error instanceof precis.PrecisError, code: error.code, path: error.path, advice: error.advice, cause: String(error.cause) }; } };
       const print = (value) => console.log(JSON.stringify(value));
       ${body}`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
    const text = stdout || stderr;
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(text);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tokens = await printed({}, "print(call());");
/** Another build: nothing but its stamp differs. */
const stamped = (folder, name = "precis.wasm") => {
  const bytes = Buffer.from(wasm);
  bytes.write("zzzzzzzzzzzz", bytes.length - 12, "latin1");
  writeFileSync(join(folder, name), bytes);
};
const spoilt = {
  missing: (folder) => rmSync(join(folder, "precis.wasm")),
  cut: (folder) => truncateSync(join(folder, "precis.wasm"), wasm.length >> 1),
  "of another version": stamped,
  "a page of HTML": (folder) => writeFileSync(join(folder, "precis.wasm"), "<!doctype html><title>Not found</title>"),
};
const noText = (folder) => writeFileSync(join(folder, "precis.wasm.js"), 'export default "10:AAAA";\n');

test("a first call takes the file where the package lies on a disk, and the text where the file is no good", async () => {
  for (const entry of ["node.js", "disk.js", "index.cjs"]) {
    equal(await printed({ entry, prepared: noText }, "print(call());"), tokens, `${entry}, from its file`);
    equal(await printed({ entry, prepared: spoilt.cut }, "print(call());"), tokens, `${entry}, from the text`);
  }
  for (const [name, prepared] of Object.entries(spoilt))
    equal(await printed({ prepared }, "print(call());"), tokens, `the file is ${name}`);
  equal(await printed({ entry: "index.js", prepared: spoilt.missing }, "print(call());"), tokens, "a page has no file");
});

test("where neither is any good, the error says which and what to do", async () => {
  const body = "print([await caught(() => call()), await caught(() => precis.load()), await caught(() => call())]);";
  for (const [name, spoil, entry] of [
    ...Object.entries(spoilt).map((one) => [...one, "node.js"]),
    ["missing", spoilt.missing, "index.cjs"],
  ]) {
    const prepared = (folder) => {
      spoil(folder);
      noText(folder);
    };
    for (const { own, code, advice } of await printed({ entry, prepared }, body)) {
      const of = `${entry}, ${name}: ${advice}`;
      equal(own, true, of);
      equal(code, name === "of another version" ? "boundary-mismatch" : "engine-load", of);
      match(
        advice,
        name === "of another version"
          ? /is of build zzzzzzzzzzzz\. .* restart the process\. .*einstall precis/
          : /[Rr]einstall precis/,
        of,
      );
    }
  }
});

test("load makes the engine ready, twice and at once, and says what kept the file from being read", async () => {
  const both =
    "print([await precis.load(), await precis.load(), ...(await Promise.all([precis.load(), precis.load()])), call()]);";
  const well = { problem: null };
  for (const entry of ["node.js", "disk.js", "index.js", "index.cjs"])
    deepEqual(await printed({ entry }, both), [well, well, well, well, tokens], entry);
  const said = "const { problem } = await precis.load(); print([problem.code, problem.advice, call()]);";
  for (const name of ["missing", "of another version"]) {
    const prepared = spoilt[name];
    const [code, advice, measured] = await printed({ prepared }, said);
    deepEqual([code, measured], [name === "of another version" ? "boundary-mismatch" : "engine-load", tokens], name);
    match(advice, /[Rr]einstall/, name);
  }
});

test("only one instance is made, whoever is first", async () => {
  const counted = `let made = 0; const { Instance } = WebAssembly; WebAssembly.Instance = class extends Instance { constructor(...all) { super(...all); made += 1; } };`;
  const race =
    "const loading = precis.load(); const first = call(); const { problem } = await loading; print([first, problem, call(), made]);";
  for (const entry of ["node.js", "index.js"])
    deepEqual(await printed({ entry, before: counted }, race), [tokens, null, tokens, 1], entry);
  const twice = "await Promise.all([precis.load(), precis.load()]); call(); await precis.load(); print(made);";
  equal(await printed({ before: counted }, twice), 1);
});

test("load that is aborted rejects with the reason; other calls of it go on, and so does the engine", async () => {
  const body = `
    const stop = new AbortController();
    const one = caught(() => precis.load({ signal: stop.signal }));
    const other = precis.load();
    stop.abort("enough");
    let reason; await precis.load({ signal: stop.signal }).catch((error) => { reason = error; });
    let early; await precis.load({ signal: AbortSignal.abort("before") }).catch((error) => { early = error; });
    await one.catch(() => {});
    print([reason, early, await other, await precis.load(), call()]);`;
  for (const entry of ["node.js", "index.js"])
    deepEqual(
      await printed({ entry }, body),
      ["enough", "before", { problem: null }, { problem: null }, tokens],
      entry,
    );
  const waiting = `
    const stop = new AbortController(); const reason = { mine: 1 };
    const loading = precis.load({ signal: stop.signal }); stop.abort(reason);
    let got; try { await loading; } catch (error) { got = error === reason; } print(got);`;
  equal(await printed({ entry: "index.js" }, waiting), true);
});

test("load takes an address: wasm is compiled as it comes, and anything else is a problem that is named", async () => {
  const served = {
    "/good": [200, "application/wasm", wasm],
    "/untyped": [200, "application/octet-stream", wasm],
    "/html": [200, "text/html", "<!doctype html><title>the app</title>"],
    "/typed-html": [200, "application/wasm", "<!doctype html>"],
    "/cut": [200, "application/wasm", wasm.subarray(0, wasm.length >> 1)],
    "/none": [404, "text/plain", "not found"],
  };
  const other = mkdtempSync(join(tmpdir(), "precis-"));
  stamped(other);
  served["/other"] = [200, "application/wasm", readFileSync(join(other, "precis.wasm"))];
  rmSync(other, { recursive: true });
  const server = `
    import { createServer } from "node:http";
    import { readFileSync } from "node:fs";
    const served = JSON.parse(readFileSync(process.argv[2], "utf8"));
    const asked = [];
    const server = createServer(({ url }, response) => { asked.push(url); const [status, type, body] = served[url]; response.writeHead(status, { "content-type": type }).end(Buffer.from(body, "base64")); });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    const at = "http://127.0.0.1:" + server.address().port;`;
  const folder = mkdtempSync(join(tmpdir(), "precis-"));
  const file = join(folder, "served.json");
  const pages = Object.entries(served).map(([path, [status, type, body]]) => [
    path,
    [status, type, Buffer.from(body).toString("base64")],
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(pages)));
  const body = `
    const { problem } = await precis.load({ url: at + process.argv[3] });
    server.close(); server.closeAllConnections();
    print({ asked, code: problem?.code, path: problem?.path, advice: problem?.advice, tokens: call() });`;
  try {
    for (const path of Object.keys(served)) {
      const said = await printed({ entry: "index.js", before: server }, body, file, path);
      deepEqual(said.asked, [path]);
      equal(said.tokens, tokens, path);
      if (path === "/good" || path === "/untyped") equal(said.code, undefined, said.advice);
      else if (path === "/other") equal(said.code, "boundary-mismatch");
      else {
        deepEqual([said.code, said.path], ["engine-load", "url"], path);
        match(said.advice, /what the package holds was used\. Serve the precis\.wasm of this version/);
      }
    }
    // Where the address is the only way that is left, it is the one.
    const alone = await printed({ entry: "index.js", before: server, prepared: noText }, body, file, "/good");
    equal(alone.tokens, tokens);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("options of load that are none are refused", async () => {
  const body =
    "print([await caught(() => precis.load({ url: 5 })), await caught(() => precis.load({ uri: 'x' })), await caught(() => precis.load({ signal: {} }))].map(({ code, path }) => [code, path]));";
  deepEqual(await printed({}, body), [
    ["invalid-option", "url"],
    ["unknown-option", "uri"],
    ["invalid-option", "signal"],
  ]);
});

test("a policy that forbids WebAssembly refuses load as it refuses a call", async () => {
  const before = `
    const refuse = () => { throw new WebAssembly.CompileError("violates the following Content Security policy directive"); };
    WebAssembly.Module = class { static customSections() { return []; } constructor() { refuse(); } };
    WebAssembly.compile = async () => refuse(); WebAssembly.compileStreaming = async () => refuse();`;
  for (const entry of ["node.js", "index.js"]) {
    const { own, code, advice } = await printed({ entry, before }, "print(await caught(() => precis.load()));");
    deepEqual([own, code], [true, "engine-load"]);
    match(advice, /'wasm-unsafe-eval'/);
  }
});

test("no memory for an instance: the error says so, and the next call works if there is some again", async () => {
  const before = `let full = true; const { Instance } = WebAssembly; WebAssembly.Instance = class extends Instance { constructor(...all) { if (full) throw new RangeError("WebAssembly.Instance(): Out of memory: Cannot allocate Wasm memory for new instance"); super(...all); } };`;
  const [{ own, code, advice }, after] = await printed(
    { before },
    "const error = await caught(() => call()); full = false; print([error, call()]);",
  );
  deepEqual([own, code, after], [true, "engine-load", tokens]);
  match(advice, /no memory left for the engine/);
});

test("a long chat is compacted within the 128 MB that an isolate of Workers may have", async () => {
  const body = `
    const before = process.resourceUsage().maxRSS;
    const long = Array.from({ length: 10_000 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: "step " + i + " " + "of the long work on src/main.rs ".repeat(6) }));
    const { report } = await precis.createCompactor({ format: openaiChat, contextWindow: 100_000 }).beforeModel({ messages: long });
    print([report.outcome, (process.resourceUsage().maxRSS - before) / 1024]);`;
  const small = 'import v8 from "node:v8"; v8.setFlagsFromString("--max-old-space-size=64");';
  const [outcome, megabytes] = await printed({ before: small }, body);
  equal(outcome, "compacted");
  ok(megabytes < 128, `${megabytes} MB more than before`);
});

test("a worker that dies in the middle takes nothing with it", async () => {
  const body = `
    const { Worker } = await import("node:worker_threads");
    const source = "import(process.env.PRECIS).then(async ({ createCompactor }) => { const { openaiChat } = await import(process.env.FORMATS); const messages = Array.from({ length: 4000 }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'step ' + i + ' of order 4711 '.repeat(20) })); const { parentPort } = require('node:worker_threads'); for (;;) { parentPort.postMessage('begin'); await createCompactor({ format: openaiChat, contextWindow: 20000 }).beforeModel({ messages }); } })";
    const one = call();
    const worker = new Worker(source, { eval: true, env: { PRECIS: import.meta.resolve("precis"), FORMATS: import.meta.resolve("precis/formats") } });
    await new Promise((begun, fail) => { worker.once("message", begun); worker.once("error", fail); });
    const ended = worker.terminate();
    print([one, call(), await ended, await precis.load()]);`;
  deepEqual(await printed({}, body), [tokens, tokens, 1, { problem: null }]);
});
