import {
  blocks,
  type Conversation,
  isObject,
  type JsonObject,
  type Message,
  makerOf,
  type Usage,
} from "./conversation.ts";
import { type Prose, type ProseCall, without, withSteps } from "./prose.ts";

/**
 * Cline, and what descends from it: a call is an XML element named after its tool, with an element for each parameter; what
 * came of it stands in the user's name behind `[tool for 'what'] Result:`. Only an element that a result names is a call.
 */
export const cline: Prose = (recorded) => {
  const conversation = sentOf(recorded);
  const answered = (conversation.messages as Message[]).map(answerCalls);
  const isAnswered = answered.some((message, index) => message !== recorded.messages[index]);
  const whole = isAnswered ? { ...conversation, messages: answered } : conversation;
  const found = withSteps(whole, (said, answer) => {
    const { results, rest } = resultsIn(answer);
    let text = said;
    const calls: ProseCall[] = [];
    for (const { name, output } of results) {
      const call = callIn(text, name);
      if (!call) return null;
      calls.push({ name, input: call.input, output });
      text = without(text, call.from, call.to);
    }
    return { said: text, calls, rest };
  });
  return found ?? (isAnswered || conversation !== recorded ? whole : null);
};

/** What is still sent of a chat, in blocks as Anthropic has them. The model of Cline's messages stands beside each. */
function sentOf(conversation: Conversation): Conversation {
  const recorded = conversation.messages as Message[];
  const models = recorded.map(({ modelInfo }) =>
    isObject(modelInfo) ? (modelInfo.modelId ?? modelInfo.id) : undefined,
  );
  const model = models.findLast(isText);
  const named = model === undefined ? conversation : { ...conversation, model, provider: makerOf(model) };
  const places = sentPlaces(recorded);
  const kept = places.map((place) => inBlocks(recorded[place] as Message));
  const isCut = (places[0] ?? 0) > 0;
  const sent = isCut ? kept.map(withoutOrphans(kept)) : kept;
  if (sent.length === recorded.length && sent.every((message, at) => message === recorded[at])) return named;
  const isLeft = sent.map((message) => !Array.isArray(message.content) || message.content.length > 0);
  const messages = sent.filter((_, at) => isLeft[at]);
  const left = places.filter((_, at) => isLeft[at]);
  const usageAfter = new Map<number, Usage>(
    [...conversation.usageAfter].flatMap(([at, usage]) =>
      left.includes(at) ? [[left.indexOf(at), usage] as const] : [],
    ),
  );
  return { ...named, messages, usageAfter };
}

/**
 * Where the messages stand that Roo and Kilo still send: from the newest summary on. Messages name the summary or the mark
 * that stands for them, and come back when that is taken back.
 */
function sentPlaces(recorded: readonly Message[]): number[] {
  const from = Math.max(
    0,
    recorded.findLastIndex(({ isSummary }) => isSummary === true),
  );
  const behind = recorded.slice(from);
  const marks = new Set(behind.flatMap(({ condenseId, truncationId }) => [condenseId, truncationId]));
  const isSent = ({ condenseParent, truncationParent }: Message) =>
    ![condenseParent, truncationParent].some((parent) => parent !== undefined && marks.has(parent));
  return behind.flatMap((message, at) => (isSent(message) ? [from + at] : []));
}

/** Takes away results whose calls a summary stands for: it may come between the two. */
function withoutOrphans(sent: readonly Message[]): (message: Message) => Message {
  const calls = new Set(
    sent.flatMap((message) => blocks(message).flatMap(({ type, id }) => (type === "tool_use" ? [id] : []))),
  );
  return (message) => {
    if (!Array.isArray(message.content)) return message;
    const content = message.content.filter(
      (block) => !isObject(block) || block.type !== "tool_result" || calls.has(block.tool_use_id),
    );
    return content.length === message.content.length ? message : { ...message, content };
  };
}

/** Cline's newer sessions keep a file that was attached, and what a tool found, as records of their own. */
function inBlocks(message: Message): Message {
  if (!Array.isArray(message.content)) return message;
  const blocks: unknown[] = message.content;
  const content = blocks.map((block) => {
    if (!isObject(block)) return block;
    const { type, path, content } = block;
    if (type === "file" && typeof path === "string" && typeof content === "string")
      return { type: "text", text: content };
    const isFound = Array.isArray(content) && content.some((one) => isObject(one) && one.type === undefined);
    return type === "tool_result" && isFound ? { ...block, content: JSON.stringify(content) } : block;
  });
  return content.every((block, at) => block === blocks[at]) ? message : { ...message, content };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const RESULT = /^\[(?<name>[a-z][\w-]*)(?: for [\s\S]*?)?\] Result:(?:[ \n]|$)/;
/** What the program or a person says beside results, in a block of its own. */
const ASIDE = /^\s*<(?:environment_details|feedback|task|user_message)>/;
/** What a person says within a result: all of it, or behind a sentence about it. */
const SAID = /^(?<output>[^<]{0,300})(?<said><(?:answer|feedback|user_message)>[\s\S]*)$/;

interface Result {
  readonly name: string;
  readonly output: string;
}

/** The results that a message begins with, each up to the next one, and what is said beside them. */
function resultsIn(texts: readonly string[]): { results: Result[]; rest: string[] } {
  const results: Result[] = [];
  const rest: string[] = [];
  for (const text of texts) {
    const head = RESULT.exec(text);
    const last = results.at(-1);
    const isAside = rest.length > 0 || ASIDE.test(text);
    if (!isAside && head?.groups?.name) results.push({ name: head.groups.name, output: text.slice(head[0].length) });
    else if (!isAside && last) results[results.length - 1] = { ...last, output: joined(last.output, text) };
    else rest.push(text);
  }
  const said = results.map(({ output }) => SAID.exec(output)?.groups);
  return {
    results: results.map(({ name, output }, index) => ({ name, output: said[index]?.output ?? output })),
    rest: [...said.flatMap((groups) => groups?.said ?? []), ...rest],
  };
}

const joined = (first: string, next: string) => [first, next].filter(Boolean).join("\n");

/** The first element of this name that begins a line and holds nothing but parameters. */
function callIn(text: string, name: string): { input: JsonObject; from: number; to: number } | null {
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let from = text.indexOf(open); from >= 0; from = text.indexOf(open, from + 1)) {
    if (text.slice(text.lastIndexOf("\n", from) + 1, from).trim() !== "") continue;
    const start = from + open.length;
    for (let end = text.indexOf(close, start); end >= 0; end = text.indexOf(close, end + 1)) {
      const input = parametersOf(text.slice(start, end));
      if (input) return { input, from, to: end + close.length };
    }
  }
  return null;
}

const MOST_PARAMETERS = 100;
const OPEN = /\s*<([a-z]\w*)>/y;

/** Elements one behind another and nothing else. Values may hold tags: each ends at the first place from which all goes on. */
function parametersOf(body: string): JsonObject | null {
  const dead = new Set<number>();
  const from = (at: number, depth: number): [string, string][] | null => {
    if (body.slice(at).trim() === "") return [];
    OPEN.lastIndex = at;
    const name = dead.has(at) || depth > MOST_PARAMETERS ? undefined : OPEN.exec(body)?.[1];
    dead.add(at);
    if (name === undefined) return null;
    const start = OPEN.lastIndex;
    const close = `</${name}>`;
    for (let end = body.indexOf(close, start); end >= 0; end = body.indexOf(close, end + 1)) {
      const rest = from(end + close.length, depth + 1);
      const value = body.slice(start, end).replace(/^\n/, "").replace(/\n$/, "");
      if (rest) return [[name, value], ...rest];
    }
    return null;
  };
  const found = from(0, 1);
  return found && Object.fromEntries(found);
}

/** A message behind native calls whose results are only named in its text: they answer the calls in their order. */
function answerCalls(message: Message, index: number, all: readonly Message[]): Message {
  const before = all[index - 1];
  if (message.role !== "user" || before?.role !== "assistant" || !Array.isArray(message.content)) return message;
  const uses = (Array.isArray(before.content) ? before.content : []).filter(({ type }) => type === "tool_use");
  if (uses.length === 0 || message.content.some(({ type }) => type === "tool_result")) return message;
  const texts = message.content.filter(({ type }) => type === "text");
  const { results, rest } = resultsIn(texts.map(({ text }) => String(text)));
  if (results.length !== uses.length) return message;
  const answers = results.map(({ output }, nth) => ({
    type: "tool_result",
    tool_use_id: uses[nth].id,
    content: output,
  }));
  const others = message.content.filter(({ type }) => type !== "text");
  return { ...message, content: [...answers, ...rest.map((text) => ({ type: "text", text })), ...others] };
}
