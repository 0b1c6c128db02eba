// What the code blocks of docs/frameworks.md use and do not declare.
import type { MemorySaver } from "@langchain/langgraph";
import type { ChatOpenAI } from "@langchain/openai";
import { tool } from "langchain";
import { z } from "zod";

const read = tool(async ({ path }) => path, { name: "read", schema: z.object({ path: z.string() }) });

declare global {
  const model: ChatOpenAI;
  const tools: (typeof read)[];
  const checkpointer: MemorySaver;
  const question: string;
}
