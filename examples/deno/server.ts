// Chats over HTTP, kept in Deno's key-value store: POST /NAME with a text answers it, GET /NAME shows the chat. Any number
// of such processes may serve one store; who writes is checked, so none undoes what another one did.
import { createCompactor, type SessionState } from "precis";
import { openaiChat } from "precis/formats";
import { z } from "zod";

interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}
interface Completion {
  readonly choices: { readonly message: { readonly content: string }; readonly finish_reason: string }[];
  readonly usage: unknown;
}

/** Bytes of a request. Larger ones are refused, and not read to their end. */
const MOST_BYTES = 32 * 1_024;
const Chat = z.string().regex(/^[\w-]{1,64}$/, "Expected 1 to 64 letters, digits, hyphens and underscores.");
const Text = z.string().max(16_000).regex(/\S/, "Expected a text that says something.");

const key = Deno.env.get("OPENAI_API_KEY");
const maxOutputTokens = 300;
const system: Message = { role: "system", content: "You are a patient librarian. Answer in a few sentences." };
const kv = await open(Deno.env.get("STORE"));
const compactor = createCompactor({
  format: openaiChat,
  contextWindow: Number(Deno.env.get("CONTEXT_WINDOW") ?? 8_000),
  maxOutputTokens,
  summarize: async ({ system, prompt, maxOutputTokens }) => {
    const messages: Message[] = [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ];
    const {
      choices: [choice],
      usage,
    } = await complete(messages, maxOutputTokens);
    return { text: choice.message.content, finishReason: choice.finish_reason, usage };
  },
});

/** Two processes that make the file at the same time meet its lock. */
async function open(path?: string, tries = 20): Promise<Deno.Kv> {
  try {
    return await Deno.openKv(path);
  } catch (error) {
    if (tries === 0 || !String(error).includes("database is locked")) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return open(path, tries - 1);
  }
}

Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.env.get("PORT") ?? 8000) }, async (request) => {
  // Who may write in which chat is for your app to say, here: see the README.
  const { success, data: chat } = Chat.safeParse(new URL(request.url).pathname.slice(1));
  if (!success) return refused(404, "POST a text to /NAME: 1 to 64 letters, digits, hyphens and underscores.");
  if (request.method === "POST") {
    const body = await read(request);
    if (body === null) return refused(413, `Expected UTF-8, at most ${MOST_BYTES} bytes.`);
    // What is stored goes to the model with every later request: it is parsed before.
    const text = Text.safeParse(body);
    if (!text.success) return refused(400, z.prettifyError(text.error));
    return Response.json({ answer: await turn(chat, text.data) });
  }
  if (request.method !== "GET") return refused(405, "Expected GET or POST.");
  const { messages, state } = await kept(chat);
  return Response.json({ messages, state, usage: compactor.usage({ messages: [system, ...messages], state }) });
});

const refused = (status: number, error: string): Response => Response.json({ error }, { status });

/** The body as text; null if it is too long or no text. Its length is counted, not believed. */
async function read(request: Request): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) return null;
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch {
    return null;
  }
}

async function turn(chat: string, text: string): Promise<string> {
  await append(chat, { role: "user", content: text });
  const { view, request, replyRoom } = await prepare(chat);
  const {
    choices: [choice],
    usage,
  } = await complete(view, Math.min(maxOutputTokens, replyRoom));
  await append(chat, { role: "assistant", content: choice.message.content });
  await update(chat, async ({ state }) => [state && compactor.afterModel(state, usage, request), null]);
  return choice.message.content;
}

async function prepare(chat: string) {
  const { view, report } = await update(chat, async ({ messages, state }) => {
    const prepared = await compactor.beforeModel({ messages: [system, ...messages], state });
    return [prepared.state, prepared];
  });
  if (report.outcome === "infeasible") throw new Error(report.reason);
  return { view, ...report };
}

async function kept(chat: string) {
  // In this order: a state never knows of messages that are not among those that are read after it.
  const { value, versionstamp } = await kv.get<SessionState>(["state", chat]);
  const rows = await Array.fromAsync(kv.list<Message>({ prefix: ["message", chat] }));
  return { messages: rows.map(({ value }) => value), state: value, versionstamp };
}

/** Adds a message at the first free place. */
async function append(chat: string, message: Message): Promise<void> {
  for (let at = (await kept(chat)).messages.length; ; at++) {
    const place = ["message", chat, at];
    if (await written(kv.atomic().check({ key: place, versionstamp: null }).set(place, message))) return;
  }
}

/** Replaces the state by the first of what `next` answers, again if somebody else replaced it meanwhile. */
async function update<T>(chat: string, next: (now: Now) => Promise<[SessionState | null, T]>): Promise<T> {
  for (;;) {
    const now = await kept(chat);
    const [state, answer] = await next(now);
    const place = ["state", chat];
    if (await written(kv.atomic().check({ key: place, versionstamp: now.versionstamp }).set(place, state)))
      return answer;
  }
}
type Now = Awaited<ReturnType<typeof kept>>;

/** Whether the check held. Where several processes share one file, it may be locked for a moment. */
async function written(operation: Deno.AtomicOperation): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await operation.commit()).ok;
    } catch (error) {
      if (attempt === 50 || !/locked|busy/.test(String(error))) throw error;
      await new Promise((next) => setTimeout(next, 10 + 20 * Math.random()));
    }
  }
}

/** Any provider with OpenAI's chat completions; without a key a stand-in. */
async function complete(messages: readonly Message[], limit: number): Promise<Completion> {
  if (!key) return standIn(messages);
  const url = `${Deno.env.get("OPENAI_BASE_URL") ?? "https://api.openai.com/v1"}/chat/completions`;
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: Deno.env.get("MODEL") ?? "gpt-5.4-mini", messages, max_completion_tokens: limit }),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

function standIn(messages: readonly Message[]): Completion {
  const question = messages.at(-1)?.content ?? "";
  const content = `You asked “${question.slice(0, 80)}”. ${"It is a long story of ships and harbours. ".repeat(8)}`;
  const prompt_tokens = messages.reduce((sum, { content }) => sum + 4 + Math.ceil(content.length / 4), 3);
  const usage = { prompt_tokens, completion_tokens: Math.ceil(content.length / 4) };
  return { choices: [{ message: { content }, finish_reason: "stop" }], usage };
}
