/** How this platform gets the compiled engine: each entry of the package says so. A way that leads nowhere throws. */
export interface Ways {
  /** At once, the best one first. */
  readonly now: readonly (() => WebAssembly.Module)[];
  /** In the background, before those. */
  readonly ahead?: readonly (() => Promise<WebAssembly.Module>)[];
}
