// What an import of the wasm gives, by the way it is loaded.

/** Inlined by the bundler: base64 text. */
declare module "*/precis_bg.wasm" {
  const base64: string;
  export default base64;
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
