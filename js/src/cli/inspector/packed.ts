import type { InspectorDocument } from "./document.ts";

/**
 * A document for a report: each line of its texts once. Summaries and states of neighbouring views are nearly the same, and
 * stand too far apart for gzip to notice.
 */
export interface Packed {
  readonly lines: readonly string[];
  readonly document: unknown;
}

/** Shorter texts stand where they are. */
const SHORT = 16;
/** Lists begin with what they are: a text as its lines, numbers as their differences, or values. */
const TEXT = 0;
const NUMBERS = 1;
const LIST = 2;

export function packed(document: InspectorDocument): Packed {
  const lines: string[] = [];
  const places = new Map<string, number>();
  // A new line is a 0. One that is known has its number, in every view the same: both compress well.
  const line = (text: string): number => {
    const known = places.get(text);
    if (known === undefined) places.set(text, lines.push(text));
    return known ?? 0;
  };
  const pack = (value: unknown): unknown => {
    if (typeof value === "string") return value.length < SHORT ? value : [TEXT, ...value.split("\n").map(line)];
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, pack(member)]));
    if (value.length > 0 && value.every(Number.isSafeInteger))
      return [NUMBERS, ...value.map((one: number, at) => one - (value[at - 1] ?? 0))];
    return [LIST, ...value.map(pack)];
  };
  return { document: pack(document), lines };
}

export function unpacked({ lines, document }: Packed): InspectorDocument {
  let newest = 0;
  const line = (number: number): string => {
    if (number === 0) newest += 1;
    return lines[(number || newest) - 1] ?? "";
  };
  const unpack = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpack(member)]));
    const [kind, ...values] = value;
    if (kind === TEXT) return values.map(line).join("\n");
    if (kind === LIST) return values.map(unpack);
    let sum = 0;
    return values.map((difference: number) => {
      sum += difference;
      return sum;
    });
  };
  return unpack(document) as InspectorDocument;
}
