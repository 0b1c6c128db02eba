// Everything that the package is run in. A target has the rows it gives in docs/runtimes.md (its own name unless it says
// otherwise), the version it runs, the subpaths whose needs it `lacks`, and `run`, which gives what the program said, for
// several rows a list.
import { edges } from "./targets/edges.mjs";
import { pages } from "./targets/pages.mjs";
import { servers } from "./targets/servers.mjs";

export const targets = [...servers, ...pages, ...edges];
