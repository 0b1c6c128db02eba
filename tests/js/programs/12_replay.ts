// (12) made-up chats through one's own compactor
import { createCompactor } from 'precis';
import { history, replay, type Problem } from 'precis/testing';
import { aiSdk } from 'precis/formats';
import type { ModelMessage } from 'ai';
export async function test(): Promise<readonly Problem[]> {
  const c = createCompactor({ format: aiSdk, contextWindow: 8_000, maxOutputTokens: 800 });
  const messages: ModelMessage[] = history<ModelMessage>(aiSdk, { seed: 7, turns: 20, media: false });
  const { problems, requests, state } = await replay(c, aiSdk, messages, (view) => ({ inputTokens: view.length * 50 }));
  const view: ModelMessage[] = requests[0]?.view ?? [];
  return state && view.length > 0 ? problems : [];
}
const c = createCompactor({ format: aiSdk, contextWindow: 1 });
// @ts-expect-error numbers are no messages
replay(c, aiSdk, [1, 2]);
// @ts-expect-error there is no such wish
history(aiSdk, { length: 3 });
