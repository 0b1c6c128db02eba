// A stand-in for a model, so that the page needs no key and no network. To talk to a real one, put its address, key and
// name into localStorage as "provider": {"url": "https://…/v1", "key": "…", "model": "…"}.
import type { SummaryAnswer, SummaryRequest } from "precis";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}
interface Sent {
  readonly role: string;
  readonly content?: unknown;
}
interface Completion {
  readonly choices: { readonly message: { readonly content: string }; readonly finish_reason: string }[];
  readonly usage: Usage;
}

/** Milliseconds from word to word; ?pace=0 is for tests. */
const pace = Number(new URLSearchParams(location.search).get("pace") ?? 20);

/** Text as it comes, then the usage. */
export async function* answerTo(messages: readonly Sent[], limit: number): AsyncIterable<string | Usage> {
  const real = await complete(messages, limit);
  if (real) {
    yield real.choices[0]?.message.content ?? "";
    yield real.usage;
    return;
  }
  const question = String(messages.at(-1)?.content);
  const shelf = [...question].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 7);
  const answer = `The answer to “${question.slice(0, 60)}” stands on shelf ${shelf}. ${"It is a long story of ships and harbours. ".repeat(4 + (shelf % 9))}`;
  const words = answer.split(/(?<= )/).slice(0, limit);
  for (const word of words) {
    yield word;
    if (pace > 0) await new Promise((next) => setTimeout(next, pace));
  }
  const characters = messages.reduce((sum, { content }) => sum + String(content).length + 16, 0);
  yield { prompt_tokens: Math.ceil(characters / 4), completion_tokens: Math.ceil(answer.length / 4) };
}

export async function summarize({ system, prompt, maxOutputTokens }: SummaryRequest<unknown>): Promise<SummaryAnswer> {
  const asked = [
    { role: "system", content: system },
    { role: "user", content: prompt },
  ];
  const real = await complete(asked, maxOutputTokens);
  const [choice] = real?.choices ?? [];
  if (choice) return { text: choice.message.content, finishReason: choice.finish_reason, usage: real?.usage };
  await new Promise((next) => setTimeout(next, pace * 40));
  const questions = [...prompt.matchAll(/Question \d+[^?”\n]{0,60}/g)].map(([text]) => `- ${text}`);
  const newest = [...new Set(questions)].slice(-20).join("\n");
  return { text: `The person asked the librarian, most recently:\n${newest}`, finishReason: "stop" };
}

async function complete(messages: readonly Sent[], limit: number): Promise<Completion | null> {
  const kept = localStorage.getItem("provider");
  if (!kept) return null;
  const { url, key, model } = JSON.parse(kept) as { url: string; key: string; model: string };
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages, max_completion_tokens: limit }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Completion;
}
