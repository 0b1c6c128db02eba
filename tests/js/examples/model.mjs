// A provider with OpenAI's chat completions on this machine, that looks closely at what it is sent.
import { createServer } from "node:http";
import { openaiChat } from "precis/formats";
import { check } from "precis/testing";
import { random } from "../suite/scenarios.mjs";

/**
 * Serves. `seen` counts, `wrong` lists every request that a provider would refuse: longer than the window together with
 * the reply it asks for, illegal, or without a question of ours at its end.
 */
export async function model({ window, seed }) {
  const seen = { answers: 0, summaries: 0, longest: 0, asking: 0 };
  const wrong = [];
  const rng = random(seed);

  const server = createServer(async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
    } catch {
      // Who asked was killed while asking.
      return;
    }
    const { messages, stream, max_completion_tokens: reply } = JSON.parse(body);
    const prompt = tokens(messages);
    seen.longest = Math.max(seen.longest, prompt + reply);
    const faults = check(openaiChat, messages).map(({ message }) => message);
    const question = /^#\S+#/.exec(messages.at(-1).content)?.[0];
    if (prompt + reply > window) faults.push(`${prompt} + ${reply} tokens are more than ${window}`);
    if (!(reply > 0)) faults.push(`a reply of ${reply} tokens`);
    if (stream && (messages.at(-1).role !== "user" || !question)) faults.push("the newest message is not the question");
    if (faults.length > 0) {
      wrong.push(...faults);
      const message = `This model's maximum context length is ${window} tokens. However, you requested ${prompt + reply} tokens (${prompt} in the messages, ${reply} in the completion).`;
      response.writeHead(400, { "content-type": "application/json" });
      return response.end(JSON.stringify({ error: { message, code: "context_length_exceeded" } }));
    }
    if (stream) await answer(response, question, prompt);
    else await summarize(response, messages, prompt, reply);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}`, seen, wrong, close: () => server.close() };

  /** Says what nobody said before, in some pieces. */
  async function answer(response, question, prompt) {
    seen.answers += 1;
    const text = `Answer ${seen.answers} to ${question}: ${words(rng, 20 + Math.floor(rng() * 100))}`;
    const pieces = text.match(/.{1,120}/g);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (chunk) => response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    for (const [index, content] of pieces.entries()) {
      send({ choices: [{ delta: { content }, finish_reason: index + 1 === pieces.length ? "stop" : null }] });
      await pause(rng() * 5);
    }
    send({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: tokens([{ content: text }]) } });
    response.end("data: [DONE]\n\n");
  }

  async function summarize(response, messages, prompt, reply) {
    seen.summaries += 1;
    seen.asking += 1;
    await pause(20 + rng() * 80);
    seen.asking -= 1;
    const said = messages.at(-1).content.match(/#\S+#/g) ?? [];
    const content = `Asked so far: ${[...new Set(said)].join(" ")}`.slice(0, reply * 3);
    const usage = { prompt_tokens: prompt, completion_tokens: tokens([{ content }]) };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }], usage }));
  }
}

/** The provider's own count, which is not the one of precis. */
const tokens = (messages) => messages.reduce((sum, { content }) => sum + 5 + Math.ceil(content.length / 4), 3);

const vocabulary =
  "the book on shelf was written by a sailor who had lost harbour letters and found them again in winter near old town".split(
    " ",
  );

/** So many words out of a seed. */
export function words(rng, count) {
  return Array.from({ length: count }, () => vocabulary[Math.floor(rng() * vocabulary.length)]).join(" ");
}

export const pause = (milliseconds) => new Promise((next) => setTimeout(next, milliseconds));
