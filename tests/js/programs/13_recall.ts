// (13) a model looks up what it no longer sees: by the AI SDK, and by any other client
import { streamText, type LanguageModel, type ModelMessage } from 'ai';
import OpenAI from 'openai';
import { answerRecall, createCompactor, recallDefinition, type Excerpt, type Recalled, type SessionState } from 'precis';
import { aiSdk, openaiChat } from 'precis/formats';
import { compaction, recallTool } from 'precis/ai-sdk';
declare const model: LanguageModel; declare const messages: ModelMessage[]; declare const chat: { state: SessionState | null };
declare const database: { messages(from: number, to: number): Promise<ModelMessage[]> };
const run = compaction({ contextWindow: 200_000 }).run({ state: chat.state });
const tools = { recall: recallTool({ run, maxTokens: 2_000 }) };
streamText({ model, messages, tools, prepareStep: run.prepareStep, onStepEnd: run.onStepEnd });
const own = createCompactor({ format: aiSdk, contextWindow: 200_000 });
const { index } = own.keepFrom(chat.state);
export const loading = recallTool({ compactor: own, messages: () => messages, offset: () => index, state: () => chat.state, load: (from, to) => database.messages(from, to) });

declare const client: OpenAI; declare const history: OpenAI.ChatCompletionMessageParam[];
const compactor = createCompactor({ format: openaiChat, contextWindow: 128_000 });
const found: Recalled = compactor.recall({ messages: history, state: chat.state, query: 'port' });
export const places: string[] = found.excerpts.map((excerpt: Excerpt) => excerpt.next ?? excerpt.reference);
export const later: Promise<Recalled> = own.recall({ messages, state: chat.state, reference: 'r12', load: (from, to) => database.messages(from, to) });
const answer = await client.chat.completions.create({
  model: 'm', messages: history, tools: [{ type: 'function', function: { ...recallDefinition, parameters: { ...recallDefinition.parameters } } }],
});
for (const call of answer.choices[0]?.message.tool_calls ?? [])
  if (call.type === 'function' && call.function.name === recallDefinition.name)
    history.push({ role: 'tool', tool_call_id: call.id, content: answerRecall(compactor, { messages: history, state: chat.state }, call.function.arguments) });
