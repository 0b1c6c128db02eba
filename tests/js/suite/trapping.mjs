// The engine as it is shipped, made to trap on demand: a copy of the package whose wasm counts down at the entry of each
// of its functions and traps at zero. The copy is made here from the very bytes of pkg/, and never shipped.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import binaryen from "binaryen";

const pkg = fileURLToPath(new URL("../../../pkg", import.meta.url));

/** The wasm with a global `fuse`: so many functions may still be entered. Below zero it never burns out. */
function fused(bytes) {
  const module = binaryen.readBinary(bytes);
  module.addGlobal("fuse", binaryen.i32, true, module.i32.const(-1));
  module.addGlobalExport("fuse", "fuse");
  const fuse = () => module.global.get("fuse", binaryen.i32);
  for (let index = 0; index < module.getNumFunctions(); index++) {
    const one = module.getFunctionByIndex(index);
    const { module: imported, body, results } = binaryen.getFunctionInfo(one);
    if (imported) continue;
    const burnt = module.if(module.i32.eqz(fuse()), module.unreachable());
    const burn = module.global.set("fuse", module.i32.sub(fuse(), module.i32.const(1)));
    binaryen.Function.setBody(one, module.block(null, [burnt, burn, body], results));
  }
  if (!module.validate()) throw new Error("the wasm with a fuse is not valid");
  return module.emitBinary();
}

/**
 * A copy of the package. `fuse` is the one of the newest instance, `instances` counts how many there were, `memory()`
 * gives the bytes of the newest one's memory.
 */
export async function instrumented({ change = (bytes) => bytes } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "precis-"));
  const copy = join(folder, "node_modules/precis");
  cpSync(pkg, copy, { recursive: true });
  // The entry for workerd takes a compiled module, which here is ours.
  const entry = readFileSync(join(copy, "workerd.js"), "utf8");
  const taken = entry.replace(/import\s*(\w+)\s*from\s*"\.\/precis\.wasm";/, "const $1 = globalThis.precisUnderTest;");
  if (taken === entry) throw new Error("workerd.js imports its wasm in another way now");
  writeFileSync(join(copy, "index.js"), taken);

  globalThis.precisUnderTest = new WebAssembly.Module(change(readFileSync(join(pkg, "precis.wasm"))));
  const made = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = class extends Instance {
    constructor(module, imports) {
      super(module, imports);
      if (module === globalThis.precisUnderTest) made.push(this.exports);
    }
  };
  const precis = await import(pathToFileURL(join(copy, "index.js")));
  const formats = await import(pathToFileURL(join(copy, "formats.js")));
  return {
    precis,
    formats,
    get instances() {
      return made.length;
    },
    get fuse() {
      return made.at(-1).fuse;
    },
    memory: () => made.at(-1).memory.buffer.byteLength,
    close() {
      WebAssembly.Instance = Instance;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const trapping = () => instrumented({ change: fused });
