/**
 * The engine as it is known to what does without it: nothing here imports it, so that neither does a program that only
 * measures. Internal.
 */
import type { Compactor, CompactorOptions } from "./types.ts";

/** Filled by the first compactor, and by `load`. */
export const engine: { createCompactor?: <Base>(options: CompactorOptions<Base>) => Compactor<Base> } = {};
