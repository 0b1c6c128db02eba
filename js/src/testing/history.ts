import { input, PrecisError } from "precis";
import { writers } from "./writers.ts";

/** What {@link history} makes. */
export interface HistoryOptions {
  /** Another seed, another history; the same seed, the same one, everywhere. Default 1. */
  readonly seed?: number | undefined;
  /** Turns: what a person asks, and all up to the model's last word on it. Default 10. */
  readonly turns?: number | undefined;
  /** Characters of an ordinary text, on average. One result in eight has twenty times as many. Default 400. */
  readonly size?: number | undefined;
  /** Whether the model thinks aloud in some turns, signed where the shape has signatures. Default true. */
  readonly reasoning?: boolean | undefined;
  /** Whether a person attaches a picture now and then. Default true. */
  readonly media?: boolean | undefined;
}

const NUMBER = {
  expected: "a whole number of at least 0",
  fits: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0,
};
const FLAG = { expected: "true or false", fits: (value: unknown) => typeof value === "boolean" };

const HISTORY = /* @__PURE__ */ input.table<HistoryOptions>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    owner: "the options of history",
  },
  { seed: NUMBER, turns: NUMBER, size: NUMBER, reasoning: FLAG, media: FLAG },
);

/** A message as far as all shapes agree. */
export interface AnyMessage {
  readonly role: string;
  readonly content: unknown;
}

/**
 * A random history that a provider would accept: turns with several rounds of tool calls, some of them parallel and
 * answered in another order, ids that come again in every turn, failed tools, results from a line to twenty times an
 * ordinary text (prose, JSON, logs, Chinese), reasoning, pictures. It ends with the model's word on the last turn. Every
 * text holds a number of its own, `#7#`.
 *
 * @param format - a shape of `precis/formats`, or your own made of one.
 * @typeParam M - your type of messages: `history<ModelMessage>(aiSdk)`.
 * @throws PrecisError `invalid-option` for a format of another name.
 *
 * @example
 * ```ts
 * const messages = history<ModelMessage>(aiSdk, { seed: 7, turns: 20 });
 * ```
 */
export function history<M = AnyMessage>(format: { readonly name: string }, options: HistoryOptions = {}): M[] {
  const name: unknown = (format as Partial<typeof format> | null | undefined)?.name;
  const write = typeof name === "string" && Object.hasOwn(writers, name) ? writers[name] : undefined;
  if (!write) {
    const advice = `History can be made for ${Object.keys(writers).join(", ")}: give a format of one of these names.`;
    throw new PrecisError("invalid-option", "format", advice);
  }
  input.checkMembers(HISTORY, options);
  const { seed = 1, turns = 10, size = 400, reasoning = true, media = true } = options;
  const next = random(seed);
  const chance = (share: number) => next() < share;
  let number = 0;
  const text = (length: number) => {
    const kind = KINDS[Math.floor(next() * KINDS.length)] as string;
    return `#${number++}# ${kind.repeat(Math.ceil(length / kind.length)).slice(0, length)}`;
  };
  const length = () => Math.round(size * (0.2 + 1.6 * next()));
  const messages: unknown[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const thinks = reasoning && chance(0.3);
    const thought = () => (thinks ? text(size / 4) : null);
    messages.push(...write.user(text(length()), media && chance(0.1)));
    // Some restart the numbers of their calls in every turn.
    const anew = chance(0.5);
    let calls = 0;
    for (let left = chance(0.3) ? 0 : 1 + Math.floor(next() * 4); left > 0; left--) {
      const batch = Array.from({ length: chance(0.3) ? 2 + Math.floor(next() * 2) : 1 }, () => ({
        id: anew ? `call_${calls++}` : `call_${turn}_${calls++}`,
        input: { path: text(20), lines: number },
      }));
      messages.push(...write.calls(thought(), chance(0.4) ? text(size / 4) : null, batch));
      const answered = batch.map(({ id }) => ({
        id,
        output: text(chance(0.125) ? size * 20 : length()),
        failed: chance(0.1),
      }));
      messages.push(...write.results(chance(0.5) ? answered.reverse() : answered));
    }
    messages.push(...write.assistant(thought(), text(length())));
  }
  return messages as M[];
}

const KINDS = [
  "the order, the customer and the invoice are as they were; ",
  '{"id": 4711, "total": "12.50", "paid": true},\n',
  "12:04:31 INFO worker[3] done in 18 ms\n",
  "订单已经发货，客户确认收到。",
] as const;

/** Numbers from 0 to 1 out of a seed, the same on every runtime. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
