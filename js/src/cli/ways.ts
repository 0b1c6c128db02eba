import { createCompactor, type Format, type SessionState, type Tuning } from "precis";
import { STRATEGIES } from "../contract.ts";
import { weigher } from "./anatomy.ts";
import type { Given } from "./arguments.ts";
import { billing } from "./billing.ts";
import { outliner } from "./recognise.ts";
import type { Conversation } from "./transcripts/conversation.ts";

/** A way to keep one chat inside a window: what it would send before the message at an index. */
export interface Way {
  readonly name: string;
  view(index: number): readonly object[] | Promise<readonly object[]>;
}

/** Messages and results that the plain ways keep. */
const MESSAGES = 20;
const RESULTS = 10;
const OMITTED = "[Old tool result omitted]";

type Limits = ReturnType<Given["limits"]>;

/** The strategy that the options name, or the default, and sending everything. */
export function chosen(conversation: Conversation, limits: Limits): Way[] {
  const { strategy, preset } = limits.tune;
  return [ours(`precis, ${preset ?? strategy ?? "tail"}`, conversation, limits), everything(conversation)];
}

/** All strategies, and what is commonly done without a library. */
export function all(conversation: Conversation, limits: Limits): Way[] {
  const { preset, ...tune } = limits.tune;
  const strategies = STRATEGIES.map((strategy) => {
    const own: Tuning = { ...tune, strategy };
    return ours(`precis, ${strategy}`, conversation, { ...limits, tune: own });
  });
  const own = preset ? [ours(`precis, ${preset}`, conversation, { ...limits, tune: { ...tune, preset } })] : [];
  return [...strategies, ...own, everything(conversation), newest(conversation), cleared(conversation)];
}

/** A compactor without a summarizer, which learns what the provider would have counted, where usage was recorded. */
function ours(name: string, conversation: Conversation, limits: Limits): Way {
  const { messages, system, tools, model, format } = conversation;
  const compactor = createCompactor<object>({ format: format as Format<object>, ...limits });
  const bill = billing(conversation, weigher(conversation));
  let state: SessionState | null = null;
  return {
    name,
    view: async (index) => {
      const prepared = await compactor.beforeModel({ messages: messages.slice(0, index), state, system, tools, model });
      const usage = bill(index, prepared.view);
      state = usage ? compactor.afterModel(prepared.state, usage, prepared.report.request) : prepared.state;
      return prepared.view;
    },
  };
}

/** All there is. */
export function everything({ messages }: Conversation): Way {
  return { name: "send everything", view: (index) => messages.slice(0, index) };
}

/** Instructions and the newest messages; results at their front, whose calls are gone, go with them. */
export function newest({ messages, format }: Conversation): Way {
  const outline = outliner(format as Format<object>);
  const isSystem = (message: object) => outline(message).role === "system";
  const isResult = (message: object) => outline(message).ids.some((id) => id.startsWith("result "));
  return {
    name: `keep the last ${MESSAGES} messages`,
    view: (index) => {
      const rest = messages.slice(0, index).filter((message) => !isSystem(message));
      const kept = rest.slice(-MESSAGES);
      const from = kept.findIndex((message) => !isResult(message));
      return [...messages.slice(0, index).filter(isSystem), ...kept.slice(Math.max(0, from))];
    },
  };
}

/** All results but the newest give way to a placeholder, again at every request. */
export function cleared({ messages, format }: Conversation): Way {
  const known = new Map<object, object>();
  const own = format as Format<object>;
  const outline = outliner(own);
  const isResult = (message: object) => outline(message).ids.some((id) => id.startsWith("result "));
  const clear = (message: object) => {
    const found = known.get(message) ?? withoutResults(own, message);
    known.set(message, found);
    return found;
  };
  return {
    name: `clear all but the last ${RESULTS} results`,
    view: (index) => {
      let left = RESULTS;
      const view = messages.slice(0, index);
      for (let at = view.length - 1; at >= 0; at--) {
        const message = view[at] as object;
        if (isResult(message) && left-- <= 0) view[at] = clear(message);
      }
      return view;
    },
  };
}

/** A copy of a message in which every result is the placeholder. */
function withoutResults(format: Format<object>, message: object): object {
  const parts = new Set<number>();
  outlineResults(format, message, parts);
  return [...parts].reduce((copy, part) => format.replace(copy, part, OMITTED), message);
}

function outlineResults(format: Format<object>, message: object, parts: Set<number>): void {
  const ignore = () => {};
  format.read(message, {
    ...{
      role: ignore,
      speaker: ignore,
      text: ignore,
      reasoning: ignore,
      call: ignore,
      media: ignore,
      document: ignore,
      opaque: ignore,
    },
    ...{ approvalRequest: ignore, approvalResponse: ignore, compaction: ignore },
    result: (part) => void parts.add(part),
  });
}
