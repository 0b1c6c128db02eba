import type { ReadableFormat, Reader } from "precis";

/** One call of a {@link Reader}. */
export interface Said {
  readonly kind: keyof Reader;
  readonly args: readonly unknown[];
}

/** Where the number of a part stands among the arguments, and where its text or value does. */
const PLACES: { readonly [kind in keyof Reader]: { readonly part?: number; readonly value?: number } } = {
  role: {},
  speaker: {},
  text: { part: 0, value: 1 },
  reasoning: { part: 2, value: 0 },
  call: { part: 3, value: 2 },
  result: { part: 0, value: 2 },
  media: { part: 3, value: 1 },
  document: { part: 0, value: 1 },
  approvalRequest: { part: 0, value: 2 },
  approvalResponse: { part: 0, value: 2 },
  compaction: { part: 0, value: 1 },
  opaque: { value: 0 },
};

/** All that `read` passes for a message, in order. */
export function readAll<M>(format: ReadableFormat<M>, message: M): readonly Said[] {
  const all: Said[] = [];
  const to = Object.fromEntries(
    Object.keys(PLACES).map((kind) => [
      kind,
      (...args: unknown[]) => void all.push({ kind: kind as keyof Reader, args }),
    ]),
  );
  format.read(message, to as unknown as Reader);
  return all;
}

/** The number by which a part can be replaced or left out, if it has one. */
export function partOf({ kind, args }: Said): number | undefined {
  const { part } = PLACES[kind];
  return part === undefined ? undefined : (args[part] as number | undefined);
}

/** The text or value of a part. */
export function passedBy({ kind, args }: Said): unknown {
  const { value } = PLACES[kind];
  return value === undefined ? undefined : args[value];
}

/** Whether the same was passed: the same strings and numbers, and the very same objects. */
export function isSame(one: Said, other: Said | undefined): boolean {
  return unlike(one, other, (left, right) => left === right) === undefined;
}

/** Whether the same was passed, apart from the number of the part; objects may be copies. */
export function isAlike(one: Said, other: Said | undefined): boolean {
  const { part } = PLACES[one.kind];
  const place = unlike(one, other, sameJson, part);
  return place === undefined;
}

function unlike(
  one: Said,
  other: Said | undefined,
  same: (left: unknown, right: unknown) => boolean,
  except?: number,
): number | undefined {
  if (one.kind !== other?.kind) return 0;
  // What is missing at the end is the same as undefined.
  const places = Array.from({ length: Math.max(one.args.length, other.args.length) }, (_, place) => place);
  return places.find((place) => place !== except && !same(one.args[place], other.args[place]));
}

/** Whether two values are the same JSON. */
export function sameJson(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || asJson(one) === asJson(other);
}

/** A value as JSON; what is none, by its kind. */
export function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** A call of the reader as a person would write it. */
export function shown({ kind, args }: Said | { kind: string; args: readonly unknown[] }): string {
  const list = args.map((value) => {
    const text = value === undefined ? "undefined" : asJson(value);
    return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  });
  return `to.${kind}(${list.join(", ")})`;
}

const MOST_SHOWN = 60;
