// What the code blocks of docs/frameworks.md use and do not declare.
import type { AgentMessage, AgentTool, StreamFn } from "@earendil-works/pi-agent-core";
import type { Api, Model } from "@earendil-works/pi-ai";
import type { MemorySaver } from "@langchain/langgraph";
import type { ChatOpenAI } from "@langchain/openai";
import type { Agent, OpenAIChatCompletionsModel, OpenAIProvider } from "@openai/agents";
import { tool } from "langchain";
import type { SessionState } from "precis";
import { z } from "zod";

const read = tool(async ({ path }) => path, { name: "read", schema: z.object({ path: z.string() }) });

declare global {
  const model: ChatOpenAI & OpenAIChatCompletionsModel & Model<Api>;
  const messages: AgentMessage[];
  const streamFn: StreamFn;
  const provider: OpenAIProvider;
  const agent: Agent;
  const db: {
    load(id: string): Promise<SessionState | null>;
    save(id: string, state: SessionState | null): Promise<void>;
  };
  const tools: (typeof read & AgentTool)[];
  const checkpointer: MemorySaver;
  const question: string;
}
