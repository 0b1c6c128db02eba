// npm run size -- --by module: where the bytes of the engine are. The optimized wasm of the shipped build, once more with the
// names of its functions: by module of the crate, by crate, and its data. Bytes are those of the code section, uncompressed;
// what was inlined counts where it was inlined.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { at, cache, must, note, target, wasmTarget } from "./common.mjs";
import { buildEngine, OPTIMIZED } from "./engine.mjs";

/** What only describes types to wasm-bindgen, which takes it out. */
const DESCRIBES = /WasmDescribe|__wbindgen_describe/;
const CODE = 10;
const DATA = 11;

/** `[{ module, bytes, functions }]`, the largest first. */
export async function byModule() {
  await buildEngine("shipped");
  const compiled = join(target, await wasmTarget(), "shipped/precis.wasm");
  if (!existsSync(compiled)) throw new Error(`${compiled} is missing: npm run build`);
  const folder = join(cache, "named");
  mkdirSync(folder, { recursive: true });
  const named = join(folder, "precis.wasm");
  note("optimizing with names …");
  const wasmOpt = at("node_modules/binaryen/bin/wasm-opt");
  await must(process.execPath, [wasmOpt, ...OPTIMIZED, "-g", compiled, "-o", named], { quiet: true });
  const sums = new Map();
  const add = (module, bytes, functions) => {
    const { bytes: before, functions: count } = sums.get(module) ?? { bytes: 0, functions: 0 };
    sums.set(module, { bytes: before + bytes, functions: count + functions });
  };
  const { sizes, names, imported, data } = sectionsOf(readFileSync(named));
  for (const [index, bytes] of sizes.entries()) {
    const name = names.get(index + imported) ?? "";
    if (!DESCRIBES.test(name)) add(moduleOf(name), bytes, 1);
  }
  add("(data)", data, 0);
  return [...sums].map(([module, sum]) => ({ module, ...sum })).sort((a, b) => b.bytes - a.bytes);
}

/** Crates that are told apart; all else is glue that the compiler or wasm-bindgen made. */
const CRATES = ["core", "alloc", "std", "js_sys", "wasm_bindgen", "memchr", "twox_hash", "rlsf"];

/**
 * The crate and its first module, of a name that Rust has mangled: identifiers stand behind their lengths. A method of a trait
 * for a type of ours, and a generic of the standard library that was made for one, are ours.
 */
export function moduleOf(name) {
  const [, own] =
    name.match(/(?:6precis|15precis_messages)(?:Cs\w+_)?\d+_?([a-z_]+?)(?=\d|[A-Z$.]|$)/) ??
    name.match(/precis(?:_messages)?\.\.([a-z_]+)/) ??
    [];
  if (own !== undefined) return `precis::${own}`;
  // What wasm-bindgen exports of ours has a hash behind its name.
  if (/^\w+_[0-9a-f]{16}$/.test(name)) return "precis::wasm";
  const crate = CRATES.find((one) => name.includes(`${one.length}${one}`) || name.includes(`${one}..`));
  return crate ?? "(others)";
}

/** Sizes of function bodies, names by index, how many functions are imported, and the bytes of data. */
function sectionsOf(bytes) {
  let place = 8;
  const number = () => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[place++];
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const text = () => {
    const length = number();
    place += length;
    return bytes.toString("utf8", place - length, place);
  };
  const found = { sizes: [], names: new Map(), imported: 0, data: 0 };
  while (place < bytes.length) {
    const kind = bytes[place++];
    const size = number();
    const end = place + size;
    if (kind === CODE) {
      for (let left = number(); left > 0; left--) {
        const length = number();
        found.sizes.push(length);
        place += length;
      }
    } else if (kind === DATA) found.data = size;
    else if (kind === 0 && text() === "name") {
      while (place < end) {
        const [part, length] = [bytes[place++], number()];
        const stop = place + length;
        if (part === 1)
          for (let left = number(); left > 0; left--) {
            const index = number();
            found.names.set(index, text());
          }
        place = stop;
      }
    }
    place = end;
  }
  found.imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(
    ({ kind }) => kind === "function",
  ).length;
  return found;
}
