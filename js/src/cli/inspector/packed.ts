import type { InspectorDocument } from "./document.ts";

/**
 * A document for a report: each line of its texts once, and each value that is of some length. Summaries and states of
 * neighbouring views are nearly the same, and stand too far apart for gzip to notice.
 */
export interface Packed {
  readonly lines: readonly string[];
  readonly document: unknown;
}

/** Shorter texts stand where they are. */
const SHORT = 16;
/** What replaces a value that was there before takes about as much as one that is written so briefly. */
const BRIEF = 24;
/**
 * Lists begin with what they are: a text as its lines, numbers as their differences, numbers as how their differences
 * differ from those of the same list in the value before, values, or a value that was there before.
 */
const TEXT = 0;
const NUMBERS = 1;
const BESIDE = 2;
const LIST = 3;
const AGAIN = 4;

export function packed(document: InspectorDocument): Packed {
  const lines: string[] = [];
  const lineAt = new Map<string, number>();
  const lineStep = stepsTo();
  const line = (text: string): number => {
    const at = lineAt.get(text);
    if (at !== undefined) return lineStep(at);
    lineAt.set(text, lines.push(text) - 1);
    return 0;
  };

  const keyOf = keys();
  const valueAt = new Map<string, number>();
  const valueStep = stepsTo();
  let values = 0;
  const pack = (value: unknown, like: unknown): unknown => {
    if (typeof value === "string") return value.length < SHORT ? value : [TEXT, ...value.split("\n").map(line)];
    if (typeof value !== "object" || value === null) return value;
    const key = keyOf(value);
    const at = valueAt.get(key);
    if (at !== undefined && key.length > BRIEF) return [AGAIN, valueStep(at)];
    const own = Array.isArray(value) ? packList(value, like) : packMembers(value, like);
    valueAt.set(key, values++);
    return own;
  };
  const packMembers = (value: object, like: unknown) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, pack(member, memberOf(like, name))]));
  const packList = (value: readonly unknown[], like: unknown) => {
    if (!isNumbers(value)) return [LIST, ...value.map((one, at) => pack(one, value[at - 1]))];
    const own = differences(value);
    if (!isNumbers(like) || like.length !== value.length) return [NUMBERS, ...own];
    const others = differences(like);
    const beside = own.map((one, at) => one - (others[at] ?? 0));
    return zeros(beside) > zeros(own) ? [BESIDE, ...beside] : [NUMBERS, ...own];
  };
  return { document: pack(document, undefined), lines };
}

export function unpacked({ lines, document }: Packed): InspectorDocument {
  let newest = 0;
  const lineFrom = stepsFrom();
  const line = (step: number): string => lines[step === 0 ? newest++ : lineFrom(step)] ?? "";

  const values: unknown[] = [];
  const valueFrom = stepsFrom();
  const unpack = (value: unknown, like: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (!Array.isArray(value)) return kept(unpackMembers(value, like));
    const [kind, ...given] = value;
    if (kind === TEXT) return given.map(line).join("\n");
    if (kind === AGAIN) return values[valueFrom(given[0])];
    if (kind === NUMBERS) return kept(sums(given));
    if (kind === BESIDE) {
      const others = differences(isNumbers(like) ? like : []);
      return kept(sums(given.map((one: number, at) => one + (others[at] ?? 0))));
    }
    const list: unknown[] = [];
    for (const one of given) list.push(unpack(one, list.at(-1)));
    return kept(list);
  };
  const unpackMembers = (value: object, like: unknown) =>
    Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unpack(member, memberOf(like, name))]));
  const kept = (value: unknown) => {
    values.push(value);
    return value;
  };
  return unpack(document, undefined) as InspectorDocument;
}

/** Places as steps from the one after the place before, never 0: what follows in the same order is a 1 each time. */
function stepsTo(): (at: number) => number {
  let next = 0;
  return (at) => {
    const step = at - next;
    next = at + 1;
    return step < 0 ? step : step + 1;
  };
}

function stepsFrom(): (step: number) => number {
  let next = 0;
  return (step) => {
    const at = next + (step < 0 ? step : step - 1);
    next = at + 1;
    return at;
  };
}

/** A text for each value, the same for equal ones: what it holds, and numbers for the values in it. */
function keys(): (value: object) => string {
  const known = new WeakMap<object, string>();
  const numbers = new Map<string, number>();
  const inner = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
    const key = keyOf(value);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return `#${number}`;
  };
  const keyOf = (value: object): string => {
    const found = known.get(value) ?? make(value);
    known.set(value, found);
    return found;
  };
  const make = (value: object): string =>
    Array.isArray(value)
      ? `[${value.map(inner)}]`
      : `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${inner(member)}`)}}`;
  return keyOf;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger);
}

function differences(numbers: readonly number[]): number[] {
  return numbers.map((one, at) => one - (numbers[at - 1] ?? 0));
}

function sums(differences: readonly number[]): number[] {
  let sum = 0;
  return differences.map((one) => {
    sum += one;
    return sum;
  });
}

function zeros(numbers: readonly number[]): number {
  return numbers.filter((one) => one === 0).length;
}
