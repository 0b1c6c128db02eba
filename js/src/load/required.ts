import { unpack } from "./unpack.ts";
import type { Ways } from "./ways.ts";

/**
 * CommonJS reads the file beside it. Where there is none, it was bundled: then it takes the bytes from the ES module that
 * the other entries import, so that they are installed once.
 */
export const ways: Ways = {
  now: [
    () => new WebAssembly.Module(own("require")("node:fs").readFileSync(place())),
    () => new WebAssembly.Module(unpack((require("./precis.wasm.js") as { readonly default: string }).default)),
  ],
  ahead: [async () => WebAssembly.compile(await own("require")("node:fs").promises.readFile(place()))],
};

const place = (): string => `${__dirname}/precis.wasm`;

/** In this way no bundler follows it: for a browser there would be nothing to find. */
const own = (name: "require") => module[name];

declare function require(name: string): unknown;
declare const module: {
  readonly require: (name: "node:fs") => {
    readFileSync(path: string): Uint8Array<ArrayBuffer>;
    readonly promises: { readFile(path: string): Promise<Uint8Array<ArrayBuffer>> };
  };
};
declare const __dirname: string;
