// A summarizing model behind OpenAI's chat completions on this machine, which notes what it is asked and how that ends.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/**
 * `held`: how many answers to each worker, known by its key, are held back; `seen.cut`: questions whose worker died before
 * the answer; `asked`: how often each was answered.
 */
export async function summarizingModel({ milliseconds, failEvery }) {
  const held = new Map();
  const seen = { cut: 0, answered: 0, refused: 0 };
  const asked = new Map();
  let number = 0;
  let released = null;
  const server = createServer(async (request, response) => {
    let body = "";
    try {
      for await (const chunk of request.setEncoding("utf8")) body += chunk;
    } catch {
      return; // who asked was killed while asking
    }
    number += 1;
    if (number % failEvery === 0) {
      seen.refused += 1;
      response.writeHead(503).end("overloaded");
      return;
    }
    const key = request.headers.authorization.slice("Bearer ".length);
    // One that was asked before the hold may be answered before its worker is dead.
    const until = released;
    if (until) held.set(key, (held.get(key) ?? 0) + 1);
    // A process that was killed has closed its end.
    let gone = false;
    const cut = () => {
      if (!gone) seen.cut += 1;
      gone = true;
    };
    const { socket } = request;
    socket.on("end", cut).on("close", cut);
    await Promise.all([wait(milliseconds), until]);
    socket.off("end", cut).off("close", cut);
    if (until) held.set(key, held.get(key) - 1);
    if (gone) return;
    const { messages } = JSON.parse(body);
    const [, { content: prompt }] = messages;
    const question = createHash("sha256").update(prompt).digest("hex");
    asked.set(question, (asked.get(question) ?? 0) + 1);
    seen.answered += 1;
    const orders = [...new Set(prompt.match(/order \d+/g))];
    const customer = prompt.match(/Customer \d+/)?.[0] ?? "The person";
    const content = `- ${customer} asked about ${orders.slice(0, 20).join(", ") || "their orders"}.`;
    const usage = { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: 40 };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { content }, finish_reason: "stop" }], usage }));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    held,
    seen,
    asked,
    /** Holds back all answers until it is called again, with what is returned. */
    hold() {
      let release;
      released = new Promise((done) => {
        release = () => {
          released = null;
          done();
        };
      });
      return release;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
