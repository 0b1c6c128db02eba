import { unpack } from "./unpack.ts";

/**
 * CommonJS takes the bytes from the ES module that the other entry imports, so that they are installed once. Bundlers
 * put it into what they make. Before Node 20.19, and in jest, `require` refuses ES modules; but nothing is bundled
 * there, so the file lies beside this one.
 */
export function load(): WebAssembly.Module {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = unpack((require("./precis.wasm.js") as { readonly default: string }).default);
  } catch (error) {
    try {
      bytes = own("require")("node:fs").readFileSync(`${__dirname}/precis.wasm`);
    } catch {
      throw error;
    }
  }
  return new WebAssembly.Module(bytes);
}

/** In this way no bundler follows it: for a browser there would be nothing to find. */
const own = (name: "require") => module[name];

declare function require(name: string): unknown;
declare const module: {
  readonly require: (name: "node:fs") => { readFileSync(path: string): Uint8Array<ArrayBuffer> };
};
declare const __dirname: string;
