// What the code blocks of docs/frameworks.md use and do not declare. Models, tools and messages are those of each framework.
import type { StreamFn } from "@earendil-works/pi-agent-core";
import type { MemorySaver } from "@langchain/langgraph";
import type { MastraMemory } from "@mastra/core/memory";
import type { Agent, OpenAIProvider } from "@openai/agents";
import type { OpenAITextAdapter } from "@tanstack/ai-openai";
import type { SessionState } from "precis";

declare global {
  // biome-ignore lint/suspicious/noExplicitAny: another type in each program.
  const model: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const tools: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const messages: any[];
  const adapter: OpenAITextAdapter<"gpt-5.2">;
  const question: string;
  const instructions: string;
  const checkpointer: MemorySaver;
  const memory: MastraMemory;
  const streamFn: StreamFn;
  const provider: OpenAIProvider;
  const agent: Agent;
  const db: {
    load(id: string): Promise<SessionState | null>;
    save(id: string, state: SessionState | null): Promise<void>;
  };
}
