// What is used of Node's own modules: the rest of the package must do without them.

declare module "node:fs" {
  export function readFileSync(file: URL): Uint8Array<ArrayBuffer>;
}
declare module "node:fs/promises" {
  export function readFile(file: URL): Promise<Uint8Array<ArrayBuffer>>;
}
declare module "node:module" {
  export function createRequire(from: string): (name: string) => unknown;
}
declare module "node:zlib" {
  export function inflateRawSync(bytes: Uint8Array): Uint8Array<ArrayBuffer>;
}
