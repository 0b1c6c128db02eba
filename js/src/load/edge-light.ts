import module from "./precis.wasm?module";

/** Some edge servers compile in another realm, where `instanceof WebAssembly.Module` fails in the glue. */
export function load(): WebAssembly.Module {
  return Object.setPrototypeOf(module, WebAssembly.Module.prototype);
}
