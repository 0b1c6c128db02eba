import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

// The package of this clone lies two folders up. With the published one nothing is to be configured.
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export default { turbopack: { root }, outputFileTracingRoot: root };
