import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateText,
  streamText,
} from "ai";
import { after } from "next/server";
import { compaction, summarizeWith, toDataPart } from "precis/ai-sdk";
import { model } from "../../../lib/model.ts";
import { type ChatMessage, load, save } from "../../../lib/store.ts";

const instructions = "You are a patient librarian. Answer in a few sentences.";
const maxOutputTokens = 300;
const c = compaction({
  contextWindow: Number(process.env.CONTEXT_WINDOW ?? 8_000),
  maxOutputTokens,
  summarize: summarizeWith(generateText, { model }),
});

export async function POST(request: Request): Promise<Response> {
  const { id, message } = (await request.json()) as { id: string; message: ChatMessage };
  const { messages: before, state } = await load(id);
  const messages = [...before, message];
  // From here on the question is in the database, whatever becomes of the answer.
  await save(id, messages, state);

  let run: ReturnType<typeof c.run> | undefined;
  const stream = createUIMessageStream<ChatMessage>({
    originalMessages: messages,
    execute: async ({ writer }) => {
      const bound = c.run({
        state,
        system: instructions,
        signal: request.signal,
        onEvent: (event) => {
          if (event.type !== "progress") writer.write(toDataPart(event));
        },
      });
      run = bound;
      const result = streamText({
        model: bound.model(model),
        instructions,
        maxOutputTokens,
        messages: await convertToModelMessages(messages),
        abortSignal: request.signal,
        prepareStep: bound.prepareStep,
        onStepFinish: bound.onStepFinish,
      });
      writer.merge(
        result.toUIMessageStream({
          messageMetadata: ({ part }) => (part.type === "finish" && bound.usage ? { context: bound.usage } : undefined),
        }),
      );
    },
    onFinish: ({ messages }) => save(id, messages, run?.state ?? state),
  });

  // While the person reads: a summary now, if the next request would have to wait for one.
  after(async () => {
    const next = await run?.ahead();
    if (next) await save(id, null, next);
  });
  return createUIMessageStreamResponse({ stream });
}
