// (13) a model looks up what it no longer sees
import { streamText, tool, type LanguageModel, type ModelMessage } from 'ai';
import { z } from 'zod';
import { compaction, recallTool } from 'precis/ai-sdk';
declare const model: LanguageModel; declare const messages: ModelMessage[];
const run = compaction({ contextWindow: 200_000 }).run({ state: null });
const read = tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path });
const tools = { read, recall: recallTool({ run, description: 'Looks up what was said.' }) };
export const result = streamText({ model, messages, tools, prepareStep: run.prepareStep, onStepFinish: run.onStepFinish });
