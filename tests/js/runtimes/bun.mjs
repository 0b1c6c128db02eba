// The suite in Bun: precis comes from node_modules, as Bun itself resolves it.
import { server } from "./server.mjs";

export const run = (context) => server(context, ["run"]);
