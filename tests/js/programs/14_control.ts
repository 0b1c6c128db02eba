// (14) everything a program can ask of a run, a middleware, and prepareSteps side by side
import { generateText, streamText, tool, wrapLanguageModel, type LanguageModel, type ModelMessage, type UIMessage } from 'ai';
import { z } from 'zod';
import { summaryOf, type ContextUsage, type Plan, type Report, type SessionState } from 'precis';
import { compaction, compactionOf, compactTool, composePrepareSteps, summarizeWith, toDataPart, type CompactionData, type RunEvent } from 'precis/ai-sdk';
declare const model: Exclude<LanguageModel, string>; declare const small: LanguageModel; declare const messages: ModelMessage[]; declare const ui: UIMessage[];
type Wrappable = Parameters<typeof wrapLanguageModel>[0]['model'];
const read = tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path });
const c = compaction({
  contextWindow: 200_000,
  summarize: [summarizeWith(generateText, { model: small, maxRetries: 0 }), summarizeWith(generateText, { model })],
  summary: { language: 'German', sections: ['Task'] },
});
export const parts: CompactionData[] = [];
const run = c.run({
  state: null, pin: (message: ModelMessage, index: number) => message === messages[0] || index === 3, isTyped: (message) => message.role === 'user',
  todos: [{ content: 'Refund', status: 'pending' }], mustKeep: ['4711'], offset: 0, load: async (from, to) => messages.slice(from, to), keep: { turns: 2 },
  onEvent: (event: RunEvent) => { if (event.type !== 'progress') parts.push(toDataPart(event, { summary: true, messages: ui }).data); },
});
const tools = { read, compact: compactTool({ run, minTokens: 5_000 }) };
export const result = streamText({
  model, messages, tools, onStepEnd: run.onStepEnd,
  prepareStep: composePrepareSteps(({ stepNumber, messages }) => (stepNumber > 3 && messages.length > 2 ? { activeTools: ['read'], toolChoice: 'auto' } : undefined), run.prepareStep),
});
const own = composePrepareSteps(c.prepareStep, undefined, false);
export const alone = generateText({ model, messages, prepareStep: own });
export const wrapped = wrapLanguageModel({ model: model as Wrappable, middleware: c.middleware });
export const twice = wrapLanguageModel({ model: model as Wrappable, middleware: [c.middleware, { ...c.middleware }] });
export async function asked(): Promise<[Report, Plan | null, SessionState | null, ContextUsage | null, string | null]> {
  const report = await run.compact({ focus: 'refunds', keep: { turns: 2 }, messages, model });
  const plan = await run.plan();
  const state = await run.restore(run.revisions[0]);
  const { accepted, reason } = run.compactNext({ focus: reason0, keep: { messages: 4 } });
  console.log(accepted ? reason : report.reason);
  return [report, plan, state, run.usage, summaryOf(state)];
}
const reason0 = 'refunds';
export const newest = ui.map((message) => compactionOf(message)?.messageId ?? null);
