import { PrecisError } from "../errors.ts";

/** Why the engine could not be loaded, and the line to add. */
export function failure(cause: unknown): PrecisError {
  return cause instanceof PrecisError ? cause : new PrecisError("engine-load", null, advice(cause), { cause });
}

/** That JavaScript and wasm are of two builds. */
export function mismatch(expected: string, found: string): PrecisError {
  return new PrecisError(
    "boundary-mismatch",
    null,
    `The JavaScript of precis is of build ${expected}, but its precis.wasm is of build ${found}. If precis was updated while this process ran, restart the process. Otherwise reinstall precis, clear the caches of bundler and server, and serve all its files from one version.`,
  );
}

function advice(cause: unknown): string {
  if (typeof WebAssembly !== "object")
    return "This runtime has no WebAssembly (React Native's Hermes has none). Call precis where WebAssembly is available, for example on your server.";
  if (cause instanceof RangeError)
    return "There is no memory left for the engine, which begins with 2 MB. Give the process or the isolate more, or let fewer of them run at once.";
  const refusal = refused();
  if (refusal === null)
    return "The bytes of the engine are damaged, or were replaced on the way here. Reinstall precis, and let no tool rewrite precis.wasm or precis.wasm.js.";
  if (/content.security.policy|\bCSP\b/i.test(`${cause} ${refusal}`))
    return "The content security policy of this page forbids WebAssembly. Add 'wasm-unsafe-eval' to its script-src: Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'";
  return 'This platform does not compile WebAssembly at run time, and the build did not use the entry made for it. OpenNext on Cloudflare: serverExternalPackages: ["precis"] in next.config. Other bundlers for Workers or the edge: resolve with the condition "workerd" or "edge-light".';
}

/** What the platform says to the smallest module there is; null if it takes it. */
function refused(): unknown {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return null;
  } catch (error) {
    return error;
  }
}
