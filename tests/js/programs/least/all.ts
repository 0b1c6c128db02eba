// Every entry of the package, compiled with the least TypeScript and with no library beside the language's own: no DOM, no
// types of Node. What a platform declares is used where it is declared.
import { createCompactor, createMeter, type Format, load, type SessionState } from "precis";
import { compaction, recallTool } from "precis/ai-sdk";
import { aiSdk, aiSdkUI, type OpenAIChatMessage, openaiChat } from "precis/formats";
import { compactionMiddleware as langchain } from "precis/langchain";
import { compactionProcessor } from "precis/mastra";
import { auto } from "precis/models";
import { anthropicCompaction } from "precis/native";
import { offloader } from "precis/offload";
import { compaction as agents } from "precis/openai-agents";
import { otelEvents } from "precis/otel";
import { compaction as pi } from "precis/pi";
import { openState, sealState } from "precis/seal";
import { fromSql, fromStorage } from "precis/stores";
import { compactionMiddleware as tanstack } from "precis/tanstack";
import { checkFormat, history, recorder, replay } from "precis/testing";

type Message = { role: "user" | "assistant"; content: string };
const messages: Message[] = [{ role: "user", content: "Hello." }];
const compactor = createCompactor({
  format: openaiChat,
  contextWindow: 128_000,
  maxOutputTokens: 8_000,
  summarize: async ({ prompt }, { signal }) => (signal.aborted ? "" : prompt.slice(0, 100)),
});

export async function turn(stored: SessionState | null, key: Uint8Array): Promise<[Message[], string, SessionState]> {
  const { view, state, report } = await compactor.beforeModel({ messages, state: stored });
  const learned = compactor.afterModel(state, { prompt_tokens: 12 }, report.request);
  const sealed = await sealState(learned, key, "chat-7");
  return [view, sealed, await openState(sealed, "a secret of sixteen bytes", "chat-7")];
}

export const own: Format<Message> = {
  name: "own",
  read(message, to) {
    to.role(message.role);
    to.text(0, message.content);
  },
  summary: (content) => ({ role: "user", content }),
  replace: (message, _part, content) => ({ ...message, content }),
};

export const named: OpenAIChatMessage[] = messages;
export const entries = [
  ...[aiSdk, aiSdkUI, agents, anthropicCompaction, auto, checkFormat, compaction, compactionProcessor, createMeter],
  ...[fromSql, fromStorage, history, langchain, load, offloader, otelEvents, pi, recallTool, recorder, replay, tanstack],
];
