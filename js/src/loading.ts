import { loadAhead } from "./boundary/engine.ts";
import { createCompactor } from "./compactor.ts";
import type { ErrorCode } from "./contract.ts";
import { PrecisError } from "./errors.ts";
import type { Address, Signal } from "./globals.ts";
import { engine } from "./loaded.ts";
import { checkMembers, type Kind, SIGNAL, type Table, table } from "./members.ts";

/** What {@link load} takes. */
export interface LoadOptions {
  /**
   * Where your server has the package's `precis.wasm`, as `application/wasm`: it is compiled while it arrives. Bundlers give
   * such an address: in Vite `import url from "precis/precis.wasm?url"`. Without it the engine comes from the package.
   */
  readonly url?: string | Address | undefined;
  /** Stops waiting: the call rejects with the signal's reason. Other calls of `load` go on. */
  readonly signal?: Signal | undefined;
}

const URL_KIND: Kind = {
  expected: "an address, as a string or a URL",
  fits: (value) => typeof value === "string" || (typeof value === "object" && "href" in (value as object)),
};

const LOAD: Table = /* @__PURE__ */ table<LoadOptions>(
  {
    ...{ parameter: "options", code: "invalid-option" satisfies ErrorCode, unknown: ["unknown-option", "option"] },
    owner: "the options of load",
  },
  { url: URL_KIND, signal: SIGNAL },
);

/**
 * Loads the engine in the background, so that the first call finds it there: on other threads where the platform has them.
 * Nothing has to wait for it; a call that comes before loads the engine as it would have without. Calling it again costs
 * nothing.
 *
 * Resolves with `problem`: why the engine could not be had in the way that was asked for, or in the best way there is, where
 * the text in the package's JavaScript took its place; null if all is well.
 *
 * @throws PrecisError `engine-load` or `boundary-mismatch`, where there is no way to load it; or the signal's reason.
 */
export async function load(options: LoadOptions = {}): Promise<{ readonly problem: PrecisError | null }> {
  checkMembers(LOAD, options);
  const { url, signal } = options;
  signal?.throwIfAborted();
  const first = url === undefined || url === null ? undefined : () => fetched(url);
  const problem = await until(signal, loadAhead(first));
  engine.createCompactor ??= createCompactor;
  if (problem === null) return { problem: null };
  return { problem: problem instanceof PrecisError ? problem : unread(problem) };
}

function unread(cause: unknown): PrecisError {
  return new PrecisError(
    "engine-load",
    null,
    "The precis.wasm of the package could not be read, so the text in its JavaScript took its place, which takes longer. Let whatever packs this program take the file along, or reinstall precis.",
    { cause },
  );
}

/** What is compiled while it arrives; of a server that does not call it wasm, once it is there. */
async function fetched(url: string | URL): Promise<WebAssembly.Module> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    const isWasm = response.headers.get("content-type")?.startsWith("application/wasm");
    return isWasm
      ? await WebAssembly.compileStreaming(response)
      : await WebAssembly.compile(await response.arrayBuffer());
  } catch (cause) {
    throw new PrecisError(
      "engine-load",
      "url",
      `The engine could not be had from ${url}, so what the package holds was used. Serve the precis.wasm of this version there, as application/wasm, and let the page's policy allow it (connect-src).`,
      { cause },
    );
  }
}

function until<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
