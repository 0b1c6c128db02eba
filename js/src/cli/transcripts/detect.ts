import { aiSdkDialect } from "./ai-sdk.ts";
import { aider } from "./aider.ts";
import { anthropicDialect } from "./anthropic.ts";
import { chatTable } from "./chat-table.ts";
import { chatgpt } from "./chatgpt.ts";
import { claudeAi } from "./claude-ai.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { type Conversation, isObject, type JsonObject, NoConversation } from "./conversation.ts";
import { copilotCli } from "./copilot-cli.ts";
import type { Dialect } from "./dialect.ts";
import { geminiDialect } from "./gemini.ts";
import { geminiCli } from "./gemini-cli.ts";
import { langfuse } from "./langfuse.ts";
import { langSmith } from "./langsmith.ts";
import { librechat } from "./librechat.ts";
import { miniSweAgent, miniSweAgentText } from "./mini-swe-agent.ts";
import { openWebui } from "./open-webui.ts";
import { openaiChatDialect } from "./openai-chat.ts";
import { openaiResponsesDialect } from "./openai-responses.ts";
import { opencode } from "./opencode.ts";
import { openhands } from "./openhands.ts";
import { openTelemetry } from "./opentelemetry.ts";
import { piSession } from "./pi-session.ts";
import type { Prose } from "./prose.ts";
import { providerPairs } from "./provider-pairs.ts";
import type { TranscriptReader } from "./reader.ts";
import { asRequests } from "./recording.ts";
import { isList, records } from "./records.ts";
import { shareGpt } from "./sharegpt.ts";
import { parse, parseLines, type Source } from "./source.ts";
import { sweAgent } from "./swe-agent.ts";
import { tauBench } from "./tau-bench.ts";

/** The first of these that owns a record reads it. */
const READERS: readonly TranscriptReader[] = [
  providerPairs,
  codex,
  copilotCli,
  claudeCode,
  piSession,
  opencode,
  geminiCli,
  chatgpt,
  claudeAi,
  openWebui,
  librechat,
  shareGpt,
  langSmith,
  langfuse,
  openTelemetry,
  chatTable,
  miniSweAgent,
  sweAgent,
  tauBench,
];
const DIALECTS: readonly Dialect[] = [
  geminiDialect,
  openaiResponsesDialect,
  aiSdkDialect,
  anthropicDialect,
  openaiChatDialect,
];
/** Agents that write their calls as text, in any of these forms. */
const PROSE: readonly Prose[] = [openhands, cline, miniSweAgentText];

const KNOWN = [
  "messages of OpenAI (chat, Responses, fine-tuning), Anthropic, Gemini and the AI SDK",
  ...READERS.map(({ title }) => title),
  "Cline, Roo and Kilo",
  "OpenHands",
  "aider",
].join(", ");

/** All conversations of a file, whatever its shape. `skipped` is called for each line that cannot be read. */
export function transcripts(file: string, text: string, skipped: (reason: string) => void): Conversation[] {
  return aider(file, text) ?? conversationsOf(asRequests(parse(file, text, skipped)));
}

/** The same of a file that is read line by line; undefined if its lines are no records. */
export function transcriptsOfLines(
  file: string,
  lines: Iterable<string>,
  skipped: (reason: string) => void,
): Conversation[] | undefined {
  const source = parseLines(file, lines, skipped);
  return source && conversationsOf(asRequests(source));
}

/** The same of what was parsed already. Records of several kinds in one file are read by each kind's reader. */
export function conversationsOf(source: Source): Conversation[] {
  const { file, values } = source;
  const owned = new Map<TranscriptReader, JsonObject[]>();
  const others = values.filter((value) => !claim(value, LEVELS, owned));
  const read = READERS.flatMap((reader) => {
    const own = owned.get(reader);
    return own ? reader.read({ ...source, values: own }).filter(({ messages }) => messages.length) : [];
  });
  const found = records({ ...source, values: others });
  const spoken = found.flatMap((record, index) => {
    const dialect = DIALECTS.find((one) => one.accepts(record));
    const name = found.length > 1 ? `conversation ${index + 1}` : file;
    return dialect ? [structured({ file, name, shape: dialect.shape, ...dialect.convert(record) })] : [];
  });
  const conversations = [...read, ...spoken];
  if (conversations.length) return conversations;
  throw new NoConversation(
    `${file} holds no conversation in a known format: ${seen(values)}. Known are ${KNOWN}.`,
    [...owned.values()].flat(),
  );
}

/** How deep records may lie: an export is a list of them, or an object that holds such lists; a span lies deepest. */
const LEVELS = 8;

/** Gives what readers own to them; whether there was anything in this value. */
function claim(value: unknown, levels: number, owned: Map<TranscriptReader, JsonObject[]>): boolean {
  if (levels === 0 || typeof value !== "object" || value === null) return false;
  if (isObject(value) && give(value, owned)) return true;
  // Messages may be the rows of a table; what is in them is theirs.
  if (isList(value)) return value.map((one) => give(one, owned)).some(Boolean);
  const inner = Array.isArray(value)
    ? value
    : Object.values(value).filter((one) => Array.isArray(one) || isObject(one));
  return inner.map((one) => claim(one, levels - 1, owned)).some(Boolean);
}

function give(value: JsonObject, owned: Map<TranscriptReader, JsonObject[]>): boolean {
  const reader = READERS.find((one) => one.owns(value));
  if (!reader) return false;
  const own = owned.get(reader);
  if (own) own.push(value);
  else owned.set(reader, [value]);
  return true;
}

/** What a file holds instead, in a few words. */
function seen(values: readonly unknown[]): string {
  const [first] = values;
  const what = values.length > 1 ? `${values.length} lines, the first of them ` : "";
  const list = Array.isArray(first) ? first : undefined;
  const object = list ? list[0] : first;
  const members = isObject(object) ? Object.keys(object).slice(0, 6) : [];
  const named = members.length > 0 ? ` with ${members.join(", ")}` : "";
  if (list) return `${what}a list of ${list.length}${isObject(object) ? `, of objects${named}` : ""}`;
  return isObject(first) ? `${what}an object${named || " without members"}` : `${what}a ${typeof first}`;
}

/** With what an agent wrote as text as calls and results, if it is one that is known. */
function structured(conversation: Conversation): Conversation {
  for (const prose of PROSE) {
    const found = prose(conversation);
    if (found) return found;
  }
  return conversation;
}
