import module from "./precis.wasm?module";

/** Left to the platform, which compiles it when it builds. */
export function load(): WebAssembly.Module {
  return module;
}
