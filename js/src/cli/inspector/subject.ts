import { weightBeside } from "../anatomy.ts";
import type { Prices } from "../bill.ts";
import { billing } from "../billing.ts";
import { outliner } from "../recognise.ts";
import { repliesOf } from "../replay.ts";
import type { Conversation } from "../transcripts/conversation.ts";
import { type MessageDisplay, messageDisplay, sum } from "./displayed.ts";
import { type Displayed, PARTS, type Part, type Trace } from "./document.ts";

/** A conversation, read for being shown; made once, however many variants are tried on it. */
export interface Subject {
  readonly conversation: Conversation;
  readonly display: MessageDisplay;
  readonly displayed: readonly Displayed[];
  /** How many messages there are at each request. */
  readonly requests: readonly number[];
  /** By part, the tokens of all messages before an index. */
  readonly upTo: Readonly<Record<Part, Float64Array>>;
  /** Tokens of all messages before an index. */
  readonly weight: Float64Array;
  /** Tokens beside the messages: instructions and tools. */
  readonly beside: number;
  readonly outline: ReturnType<typeof outliner>;
  readonly bill: ReturnType<typeof billing>;
  /** What a million tokens cost, if that was said. */
  readonly prices: Prices | null;
}

/** Work that may be long lets others in; throws {@link STOPPED} to end it. `sofar` is what was found until now. */
export type Pause = (done: number, all: number, sofar?: () => Trace) => Promise<void> | void;

/** Messages that are read before others are let in. */
const AT_ONCE = 200;

/** Thrown by a {@link Pause} whose work nobody waits for any more. */
export const STOPPED = new Error("stopped");

export async function subjectOf(
  conversation: Conversation,
  prices: Prices | null = null,
  pause: Pause = () => {},
): Promise<Subject> {
  const display = messageDisplay(conversation);
  const outline = outliner(conversation.format);
  const { messages } = conversation;
  const upTo = Object.fromEntries(
    PARTS.map((part) => [part, new Float64Array(messages.length + 1)]),
  ) as Subject["upTo"];
  const weight = new Float64Array(messages.length + 1);
  const displayed: Displayed[] = [];
  for (const [index, message] of messages.entries()) {
    const parts = display.parts(message);
    for (const part of PARTS) upTo[part][index + 1] = (upTo[part][index] ?? 0) + parts[part];
    weight[index + 1] = (weight[index] ?? 0) + sum(parts);
    displayed.push(display.of(message));
    if (index % AT_ONCE === 0) await pause(index, messages.length);
  }
  const replies = repliesOf(conversation, outline);
  return {
    conversation,
    display,
    displayed,
    // A chat nobody has answered yet is about to be sent.
    requests: replies.length > 0 ? replies : [messages.length],
    upTo,
    weight,
    beside: weightBeside(conversation),
    outline,
    bill: billing(conversation, (message) => sum(display.parts(message))),
    prices,
  };
}
