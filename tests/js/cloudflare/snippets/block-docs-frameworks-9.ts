import { type PrepareStepContext, type StepContext, Think, type TurnContext } from "@cloudflare/think";
import { callable } from "agents";
import { convertToModelMessages } from "ai";
import { compaction } from "precis/ai-sdk";
import { fromSql } from "precis/stores";

export class Assistant extends Think {
  private readonly store = fromSql("durable-object", this.ctx.storage.sql);
  private readonly c = compaction({ contextWindow: 200_000, maxOutputTokens: 8_000, summarize: model, store: this.store });
  private turn = this.c.run({ state: null }); // beforeTurn makes the one of each turn
  override maxSteps = 1_000;
  override truncationStep = Number.POSITIVE_INFINITY; // precis decides what is cut

  override getModel = () => model;
  override getSystemPrompt = () => instructions;
  override getTools = () => tools;

  override async beforeTurn({ system, tools, abortSignal }: TurnContext) {
    await this.store.createTable();
    this.turn = this.c.run({ chat: this.name, system, tools, signal: abortSignal });
    return { model: this.turn.model(model), maxOutputTokens: 8_000 };
  }
  override beforeStep = (step: PrepareStepContext) => this.turn.prepareStep(step);
  override onStepEnd = (step: StepContext) => this.turn.onStepEnd(step);

  @callable()
  async compact(focus?: string) {
    const run = this.c.run({ chat: this.name, system: instructions, tools });
    const report = await run.compact({ messages: await convertToModelMessages(this.messages, { tools }), focus });
    return report.reason;
  }
}

export {};
