import { type ContextUsage, type Plan, PrecisError, type Report, type SessionState } from "precis";
import { type CompactNextOptions, checkNext } from "./compact-tool.ts";
import { checkChat, checkRevision } from "./given.ts";
import { following } from "./revisions.ts";
import { type Call, MOST_ATTEMPTS, Session } from "./session.ts";
import { modelOf } from "./steps.ts";
import type { ChatOptions, CompactOptions, Run } from "./types.ts";

/** One call of generateText or streamText, and what a program can ask of it beside its steps. */
export class Handle extends Session implements Run {
  get revisions(): number[] {
    return this.earlier.all;
  }

  async compact(options: CompactOptions = {}): Promise<Report> {
    checkChat("compact", options);
    return this.alone(async () => {
      const call = await this.now(options);
      if (!call) {
        const advice =
          "This run has not seen the chat yet. Pass its `messages`, or compact after the first step. A new chat has nothing to compact.";
        throw new PrecisError("invalid-call", "messages", advice);
      }
      if (this.compactsItself) return this.tell(this.leftAlone(call));
      const { focus, focusBy, keep } = options;
      const { compactor } = this.shared;
      const { state, report, view } = await this.prepare(call, false, (call) =>
        compactor.compact({ ...call, focus, focusBy, keep: keep ?? call.keep }),
      );
      this.adopt(state);
      this.refusal = undefined;
      this.compacted = report.after;
      this.meter = null;
      if (options.messages) {
        this.last = { history: call.messages, view, call };
        this.reply = [];
      }
      return this.tell(report);
    });
  }

  async plan(options: ChatOptions = {}): Promise<Plan | null> {
    checkChat("plan", options);
    return this.alone(async () => {
      const call = await this.now(options);
      return call && this.shared.compactor.plan({ ...call, signal: undefined, onEvent: undefined });
    });
  }

  async restore(revision?: number): Promise<SessionState | null> {
    if (revision !== undefined) checkRevision(revision);
    return this.alone(async () => {
      await this.ready();
      for (let attempt = 1; ; attempt++) {
        const { current } = this;
        const earlier = revision === undefined ? null : await this.stateOf(revision);
        if (!current) return null;
        this.checkWhole(earlier);
        const state = following(current, earlier);
        const saved = await this.place?.save(state);
        if (saved !== "conflict" || attempt === MOST_ATTEMPTS) {
          this.adopt(state);
          [this.request, this.meter, this.compacted] = [null, null, null];
          return state;
        }
        this.adopt((await this.place?.load()) ?? current);
      }
    });
  }

  compactNext(options: CompactNextOptions = {}): { accepted: boolean; reason: string } {
    checkNext(options);
    const { focus, focusBy = "assistant", keep, minTokens } = options;
    if (this.compactsItself)
      return { accepted: false, reason: "Nothing to do: the provider compacts this chat itself." };
    if (this.wish)
      return { accepted: true, reason: "The conversation is going to be summarized before the next step." };
    const { usage } = this;
    if (usage) {
      const fresh = freshTokens(usage, this.compacted);
      const least = minTokens ?? Math.floor(usage.window / 10);
      if (fresh < least) {
        const since = this.compacted || usage.parts.summary > 0 ? "since the last summary" : "in this conversation";
        const reason = `Nothing was done: only about ${fresh} tokens are new ${since}, and fewer than ${least} are not worth it. Go on with the task.`;
        return { accepted: false, reason };
      }
    }
    this.wish = { focus, focusBy, keep };
    return { accepted: true, reason: "The conversation will be summarized before the next step." };
  }

  /** A call about the chat as it is now; null if nothing is known of it. */
  private async now({ messages, model }: ChatOptions): Promise<Call | null> {
    await this.ready();
    const { last } = this;
    if (!messages && !last) return null;
    const given = model === undefined ? {} : { model: modelOf(model) };
    const call = last ? this.after(last) : { ...this.own(), messages: [], state: this.current };
    return { ...call, ...given, ...(messages ? { messages } : {}) };
  }

  /** The state of an earlier revision: of this run, or of the store. */
  private async stateOf(revision: number): Promise<SessionState> {
    const state = this.earlier.get(revision) ?? (await this.place?.loadRevision(revision));
    if (state) return state;
    const known = this.revisions.join(", ") || "none";
    const advice = `There is no state with revision ${revision} to return to: this run has ${known}, and ${this.place ? "its store returned no other" : "it has no store"}. Without a revision, every compaction is undone.`;
    throw new PrecisError("invalid-call", "revision", advice);
  }

  /** What is to be sent again must have been loaded. */
  private checkWhole(earlier: SessionState | null): void {
    const { offset } = this.run;
    const from = earlier ? this.shared.compactor.keepFrom(earlier).index : 0;
    if (!offset || from >= offset) return;
    const advice = `This run does not hold the first ${offset} messages, but messages from index ${from} on would be sent. Load them, and create a run with their \`offset\`.`;
    throw new PrecisError("invalid-call", "offset", advice);
  }
}

/** The tokens of messages that have come since the last compaction; of a chat that began earlier, since its summary. */
function freshTokens(now: ContextUsage, compacted: ContextUsage | null): number {
  const of = ({ parts }: ContextUsage) => parts.user + parts.assistant + parts.toolResults + parts.media;
  return Math.max(of(now) - (compacted ? of(compacted) : 0), 0);
}
