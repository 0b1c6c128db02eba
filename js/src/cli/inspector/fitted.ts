import { grouped } from "../paint.ts";
import type { Displayed, Entry, InspectorDocument, Shortened, Trace } from "./document.ts";

/** What a report takes at most, with all it consists of: it is to be attached to an issue, and to open on a phone. */
export const MOST_BYTES = 1_000_000;

/** How many characters a text keeps, and of how many views one keeps its state. */
interface Level {
  readonly text: number;
  readonly every: number;
}

/** From one level to the next. */
const NARROWER = 0.8;
const SHORTEST = 160;
const RAREST = 64;
/** Texts that a reader looks at first keep so many times as much: what was changed, what is sent of it, and summaries. */
const CHANGED = 2;
const SENT = 4;
const WRITTEN = 16;
/** How much of what a text keeps is its beginning. */
const BEGINNING = 2 / 3;

/**
 * The document with as much of its texts as `most` allows, by what `sizeOf` says of it. Its figures stay as they are. The
 * smallest that there is, if none is small enough.
 */
export async function fitted(
  document: InspectorDocument,
  most: number,
  sizeOf: (document: InspectorDocument) => number | Promise<number>,
): Promise<InspectorDocument> {
  if (document.shortened || (await sizeOf(document)) <= most) return document;
  const levels = levelsOf(document);
  let [from, to] = [0, levels.length - 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((await sizeOf(shortened(document, levels[middle] as Level))) <= most) to = middle;
    else from = middle + 1;
  }
  return shortened(document, levels[from] as Level);
}

/** What a page that was shortened says of it. */
export function leftOut({ texts, characters, of, states }: Shortened): string {
  const share = Math.round((100 * characters) / Math.max(1, of));
  const many = (count: number, name: string) => `${grouped(count)} ${name}${count === 1 ? "" : "s"}`;
  return [
    `To stay small, this report leaves out the middle of ${many(texts, "text")}: ${grouped(characters)} of ${many(of, "character")} (${share} %).`,
    states > 0 && `After ${many(states, "compaction")} it shows memory and state of one before.`,
    "All figures are those of the whole chat. Open the chat itself in the inspector to read it whole.",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The widest first. */
function levelsOf({ messages }: InspectorDocument): Level[] {
  const levels: Level[] = [];
  const longest = messages.reduce((most, { text }) => Math.max(most, text.length), SHORTEST);
  for (let text = longest; text > SHORTEST; text *= NARROWER) levels.push({ text: Math.floor(text), every: 1 });
  for (let every = 1; every <= RAREST; every *= 2) levels.push({ text: SHORTEST, every });
  for (let text = SHORTEST; text > 1; text *= NARROWER) levels.push({ text: Math.floor(text), every: RAREST });
  return levels;
}

function shortened(document: InspectorDocument, { text: most, every }: Level): InspectorDocument {
  const changed = new Set(
    document.variants.flatMap(({ views }) => views.flatMap(({ entries }) => entries.flatMap(ofOf))),
  );
  let texts = 0;
  let kept = 0;
  let characters = 0;
  const messages = document.messages.map((message, index) => {
    const { text } = message;
    const own = cut(text, changed.has(index) ? most * CHANGED : most);
    characters += text.length;
    kept += own.kept;
    texts += Number(own.kept < text.length);
    return { ...message, text: own.text };
  });
  let states = 0;
  const variants = document.variants.map((trace): Trace => {
    const views = trace.views.map(({ state, summary, ...view }, at) => {
      const isLeft = at % every > 0;
      states += Number(isLeft);
      return {
        ...view,
        entries: view.entries.map((entry) => entryIn(entry, most)),
        ...(isLeft ? { state: null, isStateless: true as const } : { state: textsIn(state, most * WRITTEN) }),
        summary: summary === null ? null : cut(summary, most * WRITTEN).text,
      };
    });
    return { ...trace, views };
  });
  return {
    ...document,
    messages,
    variants,
    shortened: { texts, characters: characters - kept, of: characters, states },
  };
}

function ofOf(entry: Entry): number[] {
  return typeof entry === "object" && "of" in entry ? [entry.of] : [];
}

function entryIn(entry: Entry, most: number): Entry {
  if (typeof entry === "number") return entry;
  const short = (one: Displayed, most: number) => ({ ...one, text: cut(one.text, most).text });
  return "of" in entry ? { ...entry, shown: short(entry.shown, most * SENT) } : short(entry, most * WRITTEN);
}

/** A state, which holds summaries as well. */
function textsIn(value: unknown, most: number): unknown {
  if (typeof value === "string") return cut(value, most).text;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => textsIn(one, most));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, textsIn(member, most)]));
}

/** A text of which the middle is left out, with a note of how much that is. */
function cut(text: string, most: number): { text: string; kept: number } {
  const head = text.slice(0, Math.ceil(most * BEGINNING)).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - Math.floor(most * (1 - BEGINNING))).replace(/^[\udc00-\udfff]/, "");
  const left = text.length - head.length - tail.length;
  const note = `\n[… ${grouped(left)} characters are not in this report …]\n`;
  if (left <= note.length) return { text, kept: text.length };
  return { text: `${head}${note}${tail}`, kept: text.length - left };
}
