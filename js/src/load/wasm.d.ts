// What an import of the wasm gives, by the way it is loaded.

/** The bytes as text: their length, a colon, and their deflated form in base64. */
declare module "*/precis.wasm.js" {
  const packed: string;
  export default packed;
}

/** Left to the platform: a compiled module. */
declare module "*/precis.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "*/precis.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
