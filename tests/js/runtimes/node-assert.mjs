// node:assert/strict for a page, by the npm package that carries Node's own code.
globalThis.process ??= { env: {}, emitWarning() {} };
const { strict } = await import("assert");

export default strict;
export const { deepEqual, equal, match, notDeepEqual, notEqual, ok, rejects, throws } = strict;
