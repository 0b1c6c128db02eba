// What the agents of docs/frameworks.md that run in a Durable Object use and do not declare.
import type { LanguageModel, ToolSet } from "ai";

declare global {
  const model: Exclude<LanguageModel, string>;
  const tools: ToolSet;
  const instructions: string;
}
