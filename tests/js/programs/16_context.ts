// (16) models as objects, and the chat that a call names: what reads its name says what the context must hold
import { streamText, ToolLoopAgent, type LanguageModel, type ModelMessage } from 'ai';
import { compaction, summarizeWith, type StateStore } from 'precis/ai-sdk';
import { generateText } from 'ai';
type Model = Exclude<LanguageModel, string>;
declare const big: Model; declare const small: Model; declare const store: StateStore; declare const messages: ModelMessage[];
const c = compaction({
  contextWindow: 200_000, store,
  summarize: [small, summarizeWith(generateText, { model: 'openai/gpt-5.4-mini' }), async () => 'a summary of my own'],
  chat: (context: { chatId: string }) => context.chatId,
});
export const agent = new ToolLoopAgent({ model: c.model(big), prepareStep: c.prepareStep, runtimeContext: { chatId: 'alice:1' } });
export const named = () => streamText({ model: big, messages, runtimeContext: { chatId: 'alice:1', plan: 'free' }, prepareStep: c.prepareStep });
// @ts-expect-error nothing names the chat
export const unnamed = () => streamText({ model: big, messages, prepareStep: c.prepareStep });
// @ts-expect-error the name of the chat is a string
export const numbered = new ToolLoopAgent({ model: big, prepareStep: c.prepareStep, runtimeContext: { chatId: 1 } });
// @ts-expect-error a model by its name
export const byName = c.model('openai/gpt-5.6');
// @ts-expect-error a summarizer by its name
compaction({ contextWindow: 200_000, summarize: 'openai/gpt-5.4-mini' });
// Without `chat`, any context will do.
const free = compaction({ contextWindow: 200_000, summarize: small });
export const anything = () => streamText({ model: free.model(big), messages, runtimeContext: { x: 1 }, prepareStep: free.prepareStep });
export const nothing = () => streamText({ model: big, messages, prepareStep: free.prepareStep });
// A model keeps its own type.
export const same: Model = free.model(big);
