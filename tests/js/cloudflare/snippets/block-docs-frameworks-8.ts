import { AIChatAgent, type OnChatMessageOptions } from "@cloudflare/ai-chat";
import { callable } from "agents";
import { convertToModelMessages, createUIMessageStreamResponse, isStepCount, streamText, toUIMessageStream } from "ai";
import { compaction } from "precis/ai-sdk";
import { fromSql } from "precis/stores";

export class Chat extends AIChatAgent {
  private readonly store = fromSql("durable-object", this.ctx.storage.sql);
  private readonly c = compaction({ contextWindow: 200_000, maxOutputTokens: 8_000, summarize: model, store: this.store });

  override async onStart() {
    await this.store.createTable();
  }

  override async onChatMessage(_: unknown, { abortSignal }: Partial<OnChatMessageOptions> = {}) {
    const run = this.c.run({ chat: this.name, system: instructions, tools, signal: abortSignal });
    const result = streamText({
      ...{ model: run.model(model), instructions, tools, maxOutputTokens: 8_000, stopWhen: isStepCount(1_000), abortSignal },
      messages: await convertToModelMessages(this.messages, { tools }),
      prepareStep: run.prepareStep,
      onStepEnd: run.onStepEnd,
    });
    return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream, tools }) });
  }

  /** A `/compact`: a client calls it as `agent.stub.compact("the names of the files")`. */
  @callable()
  async compact(focus?: string) {
    const run = this.c.run({ chat: this.name, system: instructions, tools });
    const report = await run.compact({ messages: await convertToModelMessages(this.messages, { tools }), focus });
    return report.reason;
  }
}

export {};
