// What @ai-sdk/workflow asks of the package `workflow`, outside of a workflow: there is none. The package itself brings a build
// tool for every framework there is.
export function getWorkflowMetadata() {
  throw new Error("This is no workflow.");
}
