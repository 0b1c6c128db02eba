import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** The engine out of the package's file, where the package lies on a disk. */
export function file(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(place()));
}

/** The same in the background. */
export async function fileAhead(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(place()));
}

/** Written in this way, so that what traces programs (Vercel, Next.js) takes the file along. */
function place(): URL {
  const url = new URL("./precis.wasm", import.meta.url);
  // Deno would stop the program and ask.
  const read = (globalThis as { Deno?: Deno }).Deno?.permissions?.querySync({ name: "read", path: url });
  if (read && read.state !== "granted") throw new Error(`${url} may not be read`);
  return url;
}

interface Deno {
  readonly permissions?: { querySync(permission: { name: "read"; path: URL }): { readonly state: string } };
}
