import { aiSdkDialect } from "./ai-sdk.ts";
import { anthropicDialect, claudeCode } from "./anthropic.ts";
import { type Conversation, NoConversation } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import { geminiDialect } from "./gemini.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openaiChatDialect } from "./openai-chat.ts";
import { openaiResponsesDialect } from "./openai-responses.ts";
import { piSession } from "./pi-session.ts";
import { providerPairs } from "./provider-pairs.ts";
import { asRequests } from "./recording.ts";
import { records } from "./records.ts";
import { parse, type Source } from "./source.ts";
import { sweAgent } from "./swe-agent.ts";
import { tauBench } from "./tau-bench.ts";

const FILES = [providerPairs, piSession, claudeCode, miniSweAgent, sweAgent, tauBench];
const DIALECTS: readonly Dialect[] = [
  geminiDialect,
  openaiResponsesDialect,
  aiSdkDialect,
  anthropicDialect,
  openaiChatDialect,
];

/** All conversations of a file, whatever its shape. `skipped` is called for each line that cannot be read. */
export function transcripts(file: string, text: string, skipped: (reason: string) => void): Conversation[] {
  return conversationsOf(asRequests(parse(file, text, skipped)));
}

/** The same of what was parsed already. */
export function conversationsOf(source: Source): Conversation[] {
  const { file } = source;
  for (const reader of FILES) {
    const conversations = reader(source)?.filter(({ messages }) => messages.length);
    if (conversations?.length) return conversations;
  }
  const found = records(source);
  const conversations = found.flatMap((record, index) => {
    const dialect = DIALECTS.find((one) => one.accepts(record));
    const name = found.length > 1 ? `conversation ${index + 1}` : file;
    return dialect ? [{ file, name, shape: dialect.shape, ...dialect.convert(record) }] : [];
  });
  if (conversations.length) return conversations;
  throw new NoConversation(
    `${file} holds no conversation in a known format: OpenAI chat and Responses, Anthropic, Gemini, AI SDK, pi session, tau-bench, SWE-agent, mini-swe-agent, recorded requests with their usage.`,
  );
}
