// npm run build: the inspector in one file, dist/index.html. Put it on any static host, or open it as it is.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../js/scripts/build.mjs";
import { inspectorPage } from "../../js/scripts/inspector.mjs";

await build();
const folder = join(dirname(fileURLToPath(import.meta.url)), "dist");
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "index.html"), await inspectorPage());
