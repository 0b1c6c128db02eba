// A chat page with a meter and a divider: `npm install`, `node server.mjs`, and open the address that it prints.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateText,
  streamText,
  toUIMessageStream,
} from "ai";
import { build } from "esbuild";
import { compaction, summarizeWith, toDataPart } from "precis/ai-sdk";
import { model, small } from "./model.mjs";

const instructions = "You are a patient librarian. Answer in a few sentences.";
const maxOutputTokens = 300;
/** Your database in place of this: one chat, whose messages are only added, and its state. */
const chat = { messages: [], states: new Map() };
const c = compaction({
  contextWindow: Number(process.env.CONTEXT_WINDOW ?? 4_000),
  maxOutputTokens,
  summarize: summarizeWith(generateText, { model: small }),
  // Stored before a request goes out, and only over the state that was read.
  store: {
    load: (key) => chat.states.get(key) ?? null,
    save(key, state, previous) {
      if ((chat.states.get(key)?.revision ?? null) !== previous) return false;
      chat.states.set(key, state);
    },
  },
});

async function post(request) {
  const { message } = await request.json();
  chat.messages.push(message); // stored, whatever becomes of the answer
  const ui = chat.messages.slice();
  const stream = createUIMessageStream({
    originalMessages: ui,
    generateId: () => crypto.randomUUID(),
    execute: async ({ writer }) => {
      const run = c.run({
        chat: "the only one",
        system: instructions,
        signal: request.signal,
        onEvent: (event) => {
          // With the summary's text, and the id of the message before which the divider stands.
          if (event.type !== "progress") writer.write(toDataPart(event, { summary: true, messages: ui }));
        },
      });
      const result = streamText({
        model: run.model(model),
        instructions,
        messages: await convertToModelMessages(ui),
        maxOutputTokens,
        abortSignal: request.signal,
        prepareStep: run.prepareStep,
        onStepEnd: run.onStepEnd,
        onEnd: () => run.ahead(),
      });
      writer.merge(
        toUIMessageStream({
          stream: result.stream,
          messageMetadata: ({ part }) => (part.type === "finish" && run.usage ? { context: run.usage } : undefined),
        }),
      );
    },
    onEnd: ({ responseMessage }) => {
      if (responseMessage.parts.length > 0) chat.messages.push(responseMessage);
    },
  });
  return createUIMessageStreamResponse({ stream });
}

const page = await build({
  entryPoints: [fileURLToPath(new URL("page.jsx", import.meta.url))],
  bundle: true,
  format: "esm",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
  write: false,
});
const html =
  '<!doctype html><meta charset="utf-8"><title>A chat</title><div id="root"></div><script type="module" src="/page.js"></script>';
const typed = (type, body) => new Response(body, { headers: { "content-type": type } });

async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/api/chat") return request.method === "POST" ? post(request) : Response.json(chat.messages);
  if (pathname === "/page.js") return typed("text/javascript", page.outputFiles[0].text);
  return pathname === "/" ? typed("text/html", html) : new Response(null, { status: 404 });
}

/** Node's own server, with the requests and responses of the web. */
const server = createServer(async (incoming, outgoing) => {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const body = incoming.method === "POST" ? Readable.toWeb(incoming) : undefined;
  const url = new URL(incoming.url, "http://127.0.0.1");
  const response = await answer(
    new Request(url, { method: incoming.method, body, duplex: "half", signal: gone.signal }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) for await (const chunk of response.body) outgoing.write(chunk);
  outgoing.end();
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
