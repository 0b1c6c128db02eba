import type { CompactorOptions, Summarize } from "precis";
import { textOf } from "./steps.ts";

/**
 * Prompts that the summarizer is asked at the moment. It may ask through a model that is wrapped itself, and what was
 * written to make a chat shorter must not be made shorter in turn.
 */
export class OwnPrompts {
  private readonly prompts = new Map<string, number>();

  has(prompt: string): boolean {
    return this.prompts.has(prompt);
  }

  /** The same summarizers, whose prompts are known while they are asked. What is none is left for others to refuse. */
  of(summarize: CompactorOptions<never>["summarize"]): typeof summarize {
    if (typeof summarize === "function") return this.one(summarize);
    if (!Array.isArray(summarize)) return summarize;
    return summarize.map((one: Summarize) => (typeof one === "function" ? this.one(one) : one));
  }

  private one(summarize: Summarize): Summarize {
    return ((request, context) => {
      const prompts = [request.prompt, textOf(request.append?.messages.at(-1))].filter(Boolean);
      for (const prompt of prompts) this.add(prompt, 1);
      const done = () => {
        for (const prompt of prompts) this.add(prompt, -1);
      };
      // Also when it is given up: what it asks then is nobody's.
      context.signal.addEventListener("abort", done, { once: true });
      const settled = () => {
        if (context.signal.aborted) return;
        context.signal.removeEventListener("abort", done);
        done();
      };
      try {
        const answer: unknown = summarize(request, context);
        if (isStream(answer)) return following(answer, settled);
        return Promise.resolve(answer).then(
          (answer) => {
            if (isStream(answer)) return following(answer, settled);
            settled();
            return answer;
          },
          (error: unknown) => {
            settled();
            throw error;
          },
        );
      } catch (error) {
        settled();
        throw error;
      }
    }) as Summarize;
  }

  private add(prompt: string, change: number): void {
    const count = (this.prompts.get(prompt) ?? 0) + change;
    if (count > 0) this.prompts.set(prompt, count);
    else this.prompts.delete(prompt);
  }
}

/** The same stream; says when it is over. */
async function* following(stream: AsyncIterable<unknown>, settled: () => void): AsyncGenerator<unknown> {
  try {
    yield* stream;
  } finally {
    settled();
  }
}

function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof (answer as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] === "function";
}
