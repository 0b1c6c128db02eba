import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateText,
  streamText,
  toUIMessageStream,
} from "ai";
import { after } from "next/server";
import type { CompactionEvent } from "precis";
import { compaction, summarizeWith, toDataPart } from "precis/ai-sdk";
import { model } from "../../../lib/model.ts";
import { parse, refused } from "../../../lib/request.ts";
import { append, type ChatMessage, messagesOf, states } from "../../../lib/store.ts";

const instructions = "You are a patient librarian. Answer in a few sentences.";
const maxOutputTokens = 300;
const c = compaction({
  contextWindow: Number(process.env.CONTEXT_WINDOW ?? 8_000),
  maxOutputTokens,
  summarize: summarizeWith(generateText, { model }),
  store: states,
});

export async function POST(request: Request): Promise<Response> {
  // Who may write in which chat is for your app to say, here, before anything is read: see the README.
  const body = await parse(request);
  if (body instanceof Response) return body;
  const { id: chat, message } = body;
  // From here on the question is in the database, whatever becomes of the answer.
  if (append(chat, message) === "other") return refused(409, "Another message of this chat has this id.");
  const messages = messagesOf(chat);

  let tell: (event: CompactionEvent) => void = () => {};
  const run = c.run({ chat, system: instructions, signal: request.signal, onEvent: (event) => tell(event) });
  const stream = createUIMessageStream<ChatMessage>({
    originalMessages: messages,
    generateId: () => crypto.randomUUID(),
    execute: async ({ writer }) => {
      tell = (event) => {
        if (event.type !== "progress") writer.write(toDataPart(event));
      };
      const result = streamText({
        model: run.model(model),
        instructions,
        maxOutputTokens,
        messages: await convertToModelMessages(messages),
        abortSignal: request.signal,
        prepareStep: run.prepareStep,
        onStepEnd: run.onStepEnd,
      });
      writer.merge(
        toUIMessageStream({
          stream: result.stream,
          messageMetadata: ({ part }) => (part.type === "finish" && run.usage ? { context: run.usage } : undefined),
        }),
      );
    },
    // Behind whatever was stored meanwhile. An answer without a word would be refused by providers.
    onEnd: ({ responseMessage }) => {
      if (responseMessage.parts.some((part) => part.type === "text" && part.text !== "")) append(chat, responseMessage);
    },
  });

  // While the person reads: a summary now, if the next request would have to wait for one. The store gets its state.
  after(() => run.ahead());
  return createUIMessageStreamResponse({ stream });
}
