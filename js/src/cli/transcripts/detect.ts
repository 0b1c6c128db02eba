import { aiSdkDialect } from "./ai-sdk.ts";
import { aider } from "./aider.ts";
import { anthropicDialect, claudeCode } from "./anthropic.ts";
import { cline } from "./cline.ts";
import { type Conversation, NoConversation } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import { geminiDialect } from "./gemini.ts";
import { miniSweAgent, miniSweAgentText } from "./mini-swe-agent.ts";
import { openaiChatDialect } from "./openai-chat.ts";
import { openaiResponsesDialect } from "./openai-responses.ts";
import { openhands } from "./openhands.ts";
import { piSession } from "./pi-session.ts";
import type { Prose } from "./prose.ts";
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
/** Agents that write their calls as text, in any of these forms. */
const PROSE: readonly Prose[] = [openhands, cline, miniSweAgentText];

/** All conversations of a file, whatever its shape. `skipped` is called for each line that cannot be read. */
export function transcripts(file: string, text: string, skipped: (reason: string) => void): Conversation[] {
  return aider(file, text) ?? conversationsOf(asRequests(parse(file, text, skipped)));
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
    return dialect ? [structured({ file, name, shape: dialect.shape, ...dialect.convert(record) })] : [];
  });
  if (conversations.length) return conversations;
  throw new NoConversation(
    `${file} holds no conversation in a known format: OpenAI chat and Responses, Anthropic, Gemini, AI SDK, pi session, tau-bench, SWE-agent, mini-swe-agent, aider, recorded requests with their usage.`,
  );
}

/** With what an agent wrote as text as calls and results, if it is one that is known. */
function structured(conversation: Conversation): Conversation {
  for (const prose of PROSE) {
    const found = prose(conversation);
    if (found) return found;
  }
  return conversation;
}
