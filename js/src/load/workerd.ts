import module from "./precis.wasm";

/** Workers compile the engine when they deploy; compiling at request time is refused there. */
export function load(): WebAssembly.Module {
  return module;
}
