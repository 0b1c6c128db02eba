// The file that docs/workers.md shows first, by the name that it has there.
export { Chat } from "./block-docs-workers-1";
