import module from "./precis.wasm?module";
import type { Ways } from "./ways.ts";

/** Left to the platform, which compiles it when it builds. */
export const ways: Ways = { now: [() => module] };
