import { PrecisError } from "../errors.ts";
import { Op, type Tape } from "./tape.ts";

/** Deeper values are refused; a cycle ends here too. */
export const DEEPEST = 1000;

/**
 * Writes a value with the meaning of `JSON.stringify`, except that bytes stay bytes and a BigInt is its digits.
 *
 * @throws PrecisError `too-deep` (cycles, nesting over {@link DEEPEST}) or `unreadable-value` (a throwing getter or `toJSON`).
 */
export function writeValue(tape: Tape, value: unknown): void {
  try {
    write(tape, resolve(value, ""), 0);
  } catch (error) {
    if (error instanceof PrecisError) throw error;
    throw new PrecisError("unreadable-value", null, "Reading a value threw: give plain data without failing getters.", {
      cause: error,
    });
  }
}

/** Whether `JSON.stringify` would leave a member with this value out. */
function isNothing(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** What stands in for `value`: the answer of its `toJSON`, a boxed primitive's content. */
function resolve(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || bytesOf(value) !== null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const answer: unknown = typeof toJSON === "function" ? toJSON.call(value, key) : value;
  if (answer instanceof Number) return Number(answer);
  if (answer instanceof String) return String(answer);
  if (answer instanceof Boolean || answer instanceof BigInt) return answer.valueOf();
  return answer;
}

function write(tape: Tape, value: unknown, depth: number): void {
  if (typeof value === "string") tape.string(value);
  else if (typeof value === "number" && Number.isFinite(value)) tape.number(String(value));
  else if (typeof value === "bigint") tape.number(String(value));
  else if (typeof value === "boolean") tape.op(value ? Op.true : Op.false);
  else if (typeof value === "object" && value !== null) writeObject(tape, value, depth);
  else tape.op(Op.null);
}

function writeObject(tape: Tape, value: object, depth: number): void {
  const bytes = bytesOf(value);
  if (bytes !== null) {
    tape.binary(bytes);
    return;
  }
  if (depth >= DEEPEST) {
    const advice = `A value is nested over ${DEEPEST} levels deep, or holds itself: give a tree of plain data.`;
    throw new PrecisError("too-deep", null, advice);
  }
  if (Array.isArray(value)) {
    tape.op(Op.array);
    for (let i = 0; i < value.length; i++) write(tape, resolve(value[i], String(i)), depth + 1);
  } else {
    tape.op(Op.object);
    for (const key of Object.keys(value)) {
      const member = resolve((value as Record<string, unknown>)[key], key);
      if (isNothing(member)) continue;
      tape.string(key);
      write(tape, member, depth + 1);
    }
  }
  tape.op(Op.end);
}

/** The bytes of a buffer or a view of one, of whatever realm, or null. */
export function bytesOf(value: unknown): Uint8Array | null {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return null;
}
