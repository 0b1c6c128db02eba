// What the checks share.
import { packages } from "../common.mjs";

export const quiet = { quiet: true };

let installed;
/** Once a run. `--force`: the types of some SDKs ask for a newer Node than the one that checks them. */
export function testPackages() {
  installed ??= packages("tests/js", "--force");
  return installed;
}

/** The sum of what a pattern captures. */
export function total(output, pattern) {
  return [...output.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}
