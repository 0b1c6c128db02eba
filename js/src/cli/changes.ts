import type { Format } from "precis";
import { outliner, standsFor } from "./recognise.ts";

/** What became of each message of a history in a view, by index. */
export interface Changes {
  readonly whole: readonly number[];
  /** Something in them was cut. */
  readonly clipped: readonly number[];
  /** A result in them was replaced by one line. */
  readonly cleared: readonly number[];
  /** In the view they are only by the summary. */
  readonly covered: readonly number[];
  /** The view's messages that stand for no message of the history: summary, note, repairs. */
  readonly added: readonly object[];
  /** By index, the copy that stands for a message that was clipped or cleared. */
  readonly copies: ReadonlyMap<number, object>;
}

const CLEARED = "[precis: this tool result was removed";

export function changesOf(format: Format<object>, history: readonly object[], view: readonly object[]): Changes {
  const outline = outlinerOf(format);
  const places = new Map(history.map((message, index) => [message, index]));
  // By place in the view, where the next message of the history itself stands in it.
  const next = nextPlaces(view, places, history.length);
  const copies = new Map<number, object>();
  const added: object[] = [];
  const kept = new Set<number>();
  let from = 0;
  for (const [at, message] of view.entries()) {
    const index = places.get(message) ?? originOf(message, at);
    if (index === undefined) added.push(message);
    else {
      kept.add(index);
      from = index + 1;
    }
  }
  const changed = [...copies.keys()].sort((one, other) => one - other);
  const isCleared = (index: number) => results(format, copies.get(index)).some((text) => text.startsWith(CLEARED));
  return {
    whole: [...kept].filter((index) => !copies.has(index)),
    clipped: changed.filter((index) => !isCleared(index)),
    cleared: changed.filter(isCleared),
    covered: history.flatMap((_, index) => (kept.has(index) ? [] : [index])),
    added,
    copies,
  };

  /** Copies keep their place: what this one was made from lies between its neighbours' origins. */
  function originOf(copy: object, at: number): number | undefined {
    const to = next[at] ?? history.length;
    for (let index = from; index < to; index++) {
      const original = history[index];
      if (!original || !standsFor(outline(copy), outline(original))) continue;
      copies.set(index, copy);
      return index;
    }
    return undefined;
  }
}

function nextPlaces(view: readonly object[], places: ReadonlyMap<object, number>, end: number): number[] {
  const found: number[] = new Array(view.length);
  let next = end;
  for (let at = view.length - 1; at >= 0; at--) {
    found[at] = next;
    next = places.get(view[at] as object) ?? next;
  }
  return found;
}

/** One for each format: what was read of a chat is read once, however often its views are compared. */
function outlinerOf(format: Format<object>): ReturnType<typeof outliner> {
  const found = OUTLINERS.get(format) ?? outliner(format);
  OUTLINERS.set(format, found);
  return found;
}

const OUTLINERS = new WeakMap<object, ReturnType<typeof outliner>>();

function results(format: Format<object>, message: object | undefined): string[] {
  const found: string[] = [];
  if (!message) return found;
  format.read(message, {
    ...SILENT,
    result: (_, __, output) => void found.push(textOf(output)),
  });
  return found;
}

/** A result's text: plain, or the first text inside what the API wraps around it. */
function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  if (Array.isArray(output)) return output.map(textOf).find((text) => text !== "") ?? "";
  if (typeof output !== "object" || output === null) return "";
  const { text, value, output: inner, result } = output as Record<string, unknown>;
  return textOf(text ?? value ?? inner ?? result);
}

const ignore = () => {};
/** A reader that listens to nothing. */
export const SILENT = {
  role: ignore,
  speaker: ignore,
  text: ignore,
  reasoning: ignore,
  call: ignore,
  result: ignore,
  media: ignore,
  document: ignore,
  approvalRequest: ignore,
  approvalResponse: ignore,
  compaction: ignore,
  opaque: ignore,
};
