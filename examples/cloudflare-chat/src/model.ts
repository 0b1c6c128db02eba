// The model: any provider with OpenAI's chat completions when a key is set, else a stand-in that needs no network.
import type { SummaryAnswer, SummaryRequest } from "precis";

export interface ModelEnv {
  readonly OPENAI_API_KEY?: string;
  readonly OPENAI_BASE_URL?: string;
  readonly MODEL?: string;
  readonly SMALL_MODEL?: string;
}
export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}
/** Text as it comes, and once the usage. */
export type Piece = string | Usage;

/** Streams an answer. */
export function stream(env: ModelEnv, messages: Message[], maxOutputTokens: number): AsyncIterable<Piece> {
  return env.OPENAI_API_KEY ? provider(env, messages, maxOutputTokens) : standIn(messages, maxOutputTokens);
}

/** Answers what precis asks a summarizer. */
export async function ask(env: ModelEnv, request: SummaryRequest<unknown>): Promise<SummaryAnswer> {
  const { system, prompt, maxOutputTokens } = request;
  if (!env.OPENAI_API_KEY) return summaryByStandIn(prompt, maxOutputTokens);
  const response = await post(env, {
    model: env.SMALL_MODEL ?? env.MODEL ?? "gpt-5.4-mini",
    messages: [
      { role: "system", content: system },
      { role: "user", content: prompt },
    ],
    max_completion_tokens: maxOutputTokens,
  });
  const { choices, usage } = (await response.json()) as Completion;
  return { text: choices[0]?.message.content ?? "", finishReason: choices[0]?.finish_reason ?? "none", usage };
}

interface Completion {
  readonly choices: { readonly message: { readonly content: string | null }; readonly finish_reason: string }[];
  readonly usage: unknown;
}

async function* provider(env: ModelEnv, messages: Message[], maxOutputTokens: number): AsyncIterable<Piece> {
  const response = await post(env, {
    model: env.MODEL ?? "gpt-5.4-mini",
    messages,
    max_completion_tokens: maxOutputTokens,
    stream: true,
    stream_options: { include_usage: true },
  });
  let finished = false;
  for await (const line of lines(response)) {
    if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
    const { choices, usage } = JSON.parse(line.slice(6)) as Chunk;
    const [choice] = choices;
    if (choice?.delta.content) yield choice.delta.content;
    if (choice?.finish_reason) finished = true;
    if (usage) yield usage;
  }
  // A stream that was cut off is no answer.
  if (!finished) throw new Error("the answer broke off");
}

interface Chunk {
  readonly choices: { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[];
  readonly usage?: Usage | null;
}

async function post({ OPENAI_API_KEY, OPENAI_BASE_URL }: ModelEnv, body: unknown): Promise<Response> {
  const response = await fetch(`${OPENAI_BASE_URL ?? "https://api.openai.com/v1"}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return response;
}

async function* lines(response: Response): AsyncIterable<string> {
  let rest = "";
  const text = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream());
  for await (const chunk of text as unknown as AsyncIterable<string>) {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
  if (rest) yield rest;
}

async function* standIn(messages: Message[], maxOutputTokens: number): AsyncIterable<Piece> {
  const question = messages.at(-1)?.content ?? "";
  const answer = `You asked: “${question.slice(0, 80)}”. The book you mean stands on shelf ${question.length % 97}. ${"It tells a long story of ships, harbours and the people who wait there. ".repeat(3)}`;
  let completion_tokens = 0;
  for (const word of answer.split(/(?<= )/)) {
    if (completion_tokens === maxOutputTokens) break;
    completion_tokens += 1;
    yield word;
    await new Promise((next) => setTimeout(next, 15));
  }
  const characters = messages.reduce((sum, { content }) => sum + content.length + 16, 0);
  yield { prompt_tokens: Math.ceil(characters / 4), completion_tokens };
}

/** Shortens instead of understanding: enough to see when a summary is asked for and where it appears. */
function summaryByStandIn(prompt: string, maxOutputTokens: number): SummaryAnswer {
  const questions = [...prompt.matchAll(/Question[^\n?]*\?/g)].map(([text]) => `- ${text}`);
  const text = `The person asked the librarian about books:\n${[...new Set(questions)].join("\n")}`;
  return { text: text.slice(0, maxOutputTokens * 3), finishReason: "stop" };
}
