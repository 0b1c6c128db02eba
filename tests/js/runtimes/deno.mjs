// The suite in Deno, with no permission: precis comes from node_modules, as Deno itself resolves it.
import { server } from "./server.mjs";

export const run = (context) => server(context, ["run", "--no-prompt", "--node-modules-dir=manual"]);
