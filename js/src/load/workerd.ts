import module from "./precis.wasm";
import type { Ways } from "./ways.ts";

/** Workers compile the engine when they deploy; compiling at request time is refused there. */
export const ways: Ways = { now: [() => module] };
