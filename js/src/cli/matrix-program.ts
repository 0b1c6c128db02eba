import { matrix } from "./matrix.ts";
import { main } from "./run.ts";

// `npm run matrix`: the project's own command, which is not in the package.
main([matrix], process.argv.slice(2));
