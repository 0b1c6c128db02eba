// What the package needs where the platform has no help for it, tested apart: where it has, other code runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, deflateRawSync } from "node:zlib";
import { build } from "esbuild";
import { separate } from "../../../js/scripts/separate.mjs";
import { deepEqual, equal, ok, test, throws } from "./harness.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { inflate } = await source("js/src/load/inflate.ts");
const { assemble } = await source("js/src/load/assemble.ts");
const { decode } = await source("js/src/load/unpack.ts");

/** A module of the package as it is before it is bundled, with other globals if need be. */
async function source(path, define = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(root, path)],
    bundle: true,
    format: "esm",
    write: false,
    define,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const samples = [
  Buffer.alloc(0),
  Buffer.from("a"),
  Buffer.from("precis precis precis"),
  Buffer.alloc(100_000, 7),
  Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)),
  readFileSync(join(root, "Cargo.lock")),
  readFileSync(join(root, "pkg/precis.wasm")),
];

test("every form of DEFLATE gives back what went in", () => {
  const { Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED } = constants;
  for (const sample of samples)
    for (const level of [0, 1, 6, 9])
      for (const strategy of [Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED]) {
        const back = inflate(deflateRawSync(sample, { level, strategy }), sample.length);
        equal(Buffer.compare(back, sample), 0, `${sample.length} bytes, level ${level}, strategy ${strategy}`);
      }
});

test("bytes come back from base64, whatever the platform has for it", async () => {
  globalThis.barePlatform = { Uint8Array: {} };
  const bare = await source("js/src/load/unpack.ts", { globalThis: "barePlatform" });
  const Bytes = { fromBase64: (text) => new Uint8Array(Buffer.from(text, "base64")) };
  globalThis.modernPlatform = { Uint8Array: Bytes };
  const modern = await source("js/src/load/unpack.ts", { globalThis: "modernPlatform" });
  for (const sample of [...samples, ...Array.from({ length: 40 }, (_, length) => Buffer.alloc(length, 255))])
    for (const way of [decode, bare.decode, modern.decode])
      equal(Buffer.compare(way(sample.toString("base64")), sample), 0, `${sample.length} bytes`);
});

test("damaged bytes are refused or give other bytes, and never hang", () => {
  const sample = samples[5].subarray(0, 5_000);
  const deflated = deflateRawSync(sample);
  throws(() => inflate(deflated.subarray(0, -10), sample.length));
  throws(() => inflate(deflated, sample.length + 1));
  throws(() => inflate(deflated, sample.length - 1));
  let refused = 0;
  for (let i = 0; i < deflated.length; i++) {
    const damaged = Uint8Array.from(deflated, (byte, at) => (at === i ? byte ^ 0x55 : byte));
    try {
      ok(inflate(damaged, sample.length).length === sample.length);
    } catch {
      refused += 1;
    }
  }
  ok(refused > deflated.length / 2, `${refused} of ${deflated.length}`);
});

test("where TextDecoder and TextEncoder are missing, precis brings its own", async () => {
  const nothing = { "globalThis.TextDecoder": "undefined", "globalThis.TextEncoder": "undefined" };
  const own = await source("js/src/boundary/text-codec.ts", nothing);
  ok(own.TextEncoder !== TextEncoder && own.TextDecoder !== TextDecoder);
  const encoder = new own.TextEncoder();
  for (const text of [
    "",
    "plain",
    "\0\x7f\x80\u07ff\u0800\uffff",
    "naïve 漢字 🎉👩‍👩‍👧",
    "cut \ud83d",
    "\ude00 cut",
    "a\ud83d\ud83d\ude00b",
  ]) {
    deepEqual(Buffer.from(encoder.encode(text)), Buffer.from(text));
    for (let room = 0; room < 12; room++) {
      const [mine, theirs] = [new Uint8Array(room), new Uint8Array(room)];
      deepEqual(encoder.encodeInto(text, mine), new TextEncoder().encodeInto(text, theirs));
      deepEqual(mine, theirs);
    }
    equal(new own.TextDecoder().decode(Buffer.from(text)), text.toWellFormed?.() ?? Buffer.from(text).toString());
  }
  equal(new own.TextDecoder().decode(), "");
});

test("the engine is put together again from its parts", () => {
  const wasm = readFileSync(join(root, "pkg/precis.wasm"));
  const parts = separate(wasm);
  equal(Buffer.compare(assemble(parts), wasm), 0);
  const size = (bytes) => deflateRawSync(bytes, { level: 9 }).length;
  ok(size(parts) < 0.85 * size(wasm), `${size(parts)} bytes instead of ${size(wasm)}`);
});

test("a program of few functions and every kind of number comes back, one with vectors is refused", () => {
  const body = (...code) => [code.length + 2, 0, ...code, 0x0b];
  const program = (...bodies) =>
    Uint8Array.from([
      ...[0, 97, 115, 109, 1, 0, 0, 0],
      ...[1, 4, 1, 0x60, 0, 0],
      ...[3, 1 + bodies.length, bodies.length, ...bodies.map(() => 0)],
      ...[10, bodies.flat().length + 1, bodies.length, ...bodies.flat(), 0, 3, 1, 120, 7],
    ]);
  const branches = body(0x02, 0x40, 0x41, 1, 0x0e, 2, 0, 1, 0, 0x0b);
  const numbers = body(...[0x41, 0xff, 0xff, 3, 0x1a, 0x42, 0x80, 0x80, 1, 0x1a], 0x43, 0, 0, 128, 63, 0x1a, 0x0f);
  const wasm = program(branches, numbers, body(), body(0x44, 1, 2, 3, 4, 5, 6, 7, 8, 0x1a, 0x01));
  ok(WebAssembly.validate(wasm));
  deepEqual(assemble(separate(wasm)), wasm);
  throws(() => separate(program(body(0xfd, 12, ...Array(16).fill(0), 0x1a))), /instruction 253/);
});

test("damaged parts are refused or give other bytes, and never hang", () => {
  const parts = separate(readFileSync(join(root, "pkg/precis.wasm")));
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    // The head, where the lengths are, and places all over the rest.
    const place = i < 150 ? i : Math.floor((i * parts.length) / 300);
    const damaged = Uint8Array.from(parts);
    damaged[place] ^= 0x55;
    try {
      ok(assemble(damaged).length < 2 ** 27);
    } catch (error) {
      refused += 1;
      ok(!(error instanceof RangeError), `${place}: ${error}`);
    }
  }
  ok(refused > 20, `${refused} of 300`);
  for (const length of [0, 1, 10, 100, 1_000, parts.length >> 1]) {
    try {
      assemble(parts.subarray(0, length));
    } catch (error) {
      ok(!(error instanceof RangeError), `${length}: ${error}`);
    }
  }
});
