// (15) the loop as it is written first: nothing is annotated, the client's own messages go in, and what comes out is sent
import type Anthropic from '@anthropic-ai/sdk';
import type { ModelMessage } from 'ai';
import type OpenAI from 'openai';
import { createCompactor } from 'precis';
import { aiSdk, anthropic, openaiChat } from 'precis/formats';
import { openState, sealState } from 'precis/seal';
declare const openai: OpenAI; declare const claude: Anthropic; declare const history: OpenAI.ChatCompletionMessageParam[]; declare const asked: Anthropic.MessageParam[];
const options = { contextWindow: 128_000, maxOutputTokens: 8_000 };
export async function loop() {
  const compactor = createCompactor({ format: openaiChat, ...options });
  let state = null;
  for (let turn = 0; turn < 9; turn++) {
    const prepared = await compactor.beforeModel({ messages: history, state, chat: 'chat-7' });
    state = prepared.state;
    const answer = await openai.chat.completions.create({ model: 'm', messages: prepared.view });
    state = compactor.afterModel(state, answer.usage, prepared.report.request);
    history.push(answer.choices[0]!.message);
  }
  return state;
}
export async function destructured() {
  const compactor = createCompactor({ format: anthropic, ...options });
  let state = null;
  while (asked.length < 99) {
    const { view, state: next, report } = await compactor.beforeModel({ messages: asked, state, pin: (message: Anthropic.MessageParam) => message.role === 'user' });
    const answer = await claude.messages.create({ model: 'm', max_tokens: 8_000, messages: view });
    state = compactor.afterModel(next, answer.usage, report.request);
    asked.push({ role: 'assistant', content: answer.content });
  }
}
export async function inSteps(messages: ModelMessage[]) {
  // Named, so that the view is typed.
  const compactor = createCompactor<ModelMessage>({ format: aiSdk, ...options });
  let state = null;
  let sent: ModelMessage[] = [];
  for (const message of messages) {
    const plan = compactor.plan({ messages: [...sent, message], state });
    const { fraction } = compactor.usage({ messages, state });
    const prepared = compactor.commit({ messages: [...sent, message], state }, plan);
    state = prepared.state;
    if (fraction > 0.5) state = (await compactor.compact({ messages, state, focus: 'refunds' })).state;
    sent = prepared.view;
    if (sent[0]?.role === 'system') console.log(sent[0].content);
    if (compactor.recall({ messages, state, query: 'x' }).more > 0) state = null;
    // @ts-expect-error a view that is typed is no list of anything
    sent = [prepared.view];
  }
  return openState(await sealState(state!, 'a secret of the server', 'chat-7'), 'a secret of the server', 'chat-7');
}
export async function oneCallForAll() {
  const compactor = createCompactor({ format: openaiChat, ...options });
  let state = null;
  for (let turn = 0; turn < 9; turn++) {
    // The call has a name of its own, since it is made of more than once.
    const call = { messages: history, state, chat: 'chat-7' };
    const { view, state: next, report } = compactor.commit(call, compactor.plan(call));
    const answer = await openai.chat.completions.create({ model: 'm', messages: view });
    state = compactor.afterModel(next, answer.usage, report.request);
    const again = { messages: history, state, chat: 'chat-7' };
    const prepared = await compactor.beforeModel(again);
    state = prepared.state;
  }
  return state;
}
export async function takenOffAtOnce() {
  const compactor = createCompactor({ format: openaiChat, ...options });
  let state = null;
  for (let turn = 0; turn < 9; turn++) {
    // @ts-expect-error TypeScript itself: a member is taken off a call of anything, whatever its parameters are (docs/faq.md)
    const call = { messages: history, state };
    state = (await compactor.beforeModel(call)).state;
  }
  return state;
}
