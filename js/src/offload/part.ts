/** A part of a text by its lines, or by words. */
export interface PartOfResult {
  /** The first line, from 1. Default 1, or the first that holds the words. */
  readonly from?: number | undefined;
  /** The last line. Default: as many as an answer holds. */
  readonly to?: number | undefined;
  /** Words that a line must hold, all of them, in any case. */
  readonly find?: string | undefined;
}

/** A line that is longer counts as several: data often comes in one. */
const LONGEST_LINE = 400;

/** The lines that are asked for, each behind its number, and how many there are in all. */
export function readPart(text: string, { from, to, find }: PartOfResult, most: number): string {
  const lines = text.split("\n").flatMap((line) => line.match(PIECES) ?? [""]);
  const [first, last] = [line(from, 1), line(to, lines.length)];
  const words = typeof find === "string" ? find.toLowerCase().split(/\s+/).filter(Boolean) : [];
  const shown: string[] = [];
  let [size, left] = [0, 0];
  for (let number = Math.max(first, 1); number <= Math.min(last, lines.length); number++) {
    const content = lines[number - 1] as string;
    const lower = words.length > 0 ? content.toLowerCase() : "";
    if (!words.every((word) => lower.includes(word))) continue;
    const row = `${number}: ${content}`;
    size += row.length + 1;
    if (size > most && shown.length > 0) left += 1;
    else shown.push(row);
  }
  const what = words.length > 0 ? ` that hold ${JSON.stringify(words.join(" "))}` : "";
  if (shown.length === 0) return `None of the ${lines.length} lines${what} is among those asked for.`;
  const more = left > 0 ? `\n[${left} more; ask for a smaller part]` : "";
  return `[lines${what}, of ${lines.length}]\n${shown.join("\n")}${more}`;
}

/** Whole characters: none is cut in two. */
const PIECES: RegExp = new RegExp(`[^]{1,${LONGEST_LINE}}`, "gu");

const line = (given: unknown, otherwise: number): number =>
  typeof given === "number" && Number.isFinite(given) ? Math.trunc(given) : otherwise;
