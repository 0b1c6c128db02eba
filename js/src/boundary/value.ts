import { PrecisError } from "../errors.ts";
import { jsonOf } from "./deep-json.ts";
import { bytesOf, isNothing, resolve } from "./plain-value.ts";
import { Op, type Tape } from "./tape.ts";

/** What lies deeper crosses as its JSON text: a model or a tool may send anything. */
export const DEEPEST = 1000;

/**
 * Writes a value with the meaning of `JSON.stringify`, except that bytes stay bytes and a BigInt is its digits.
 *
 * @throws PrecisError `too-deep` (a cycle) or `unreadable-value` (a throwing getter or `toJSON`).
 */
export function writeValue(tape: Tape, value: unknown): void {
  try {
    write(tape, resolve(value, ""), 0);
  } catch (error) {
    if (error instanceof PrecisError) throw error;
    throw new PrecisError(
      "unreadable-value",
      null,
      "Reading a value threw an error. Pass plain data without getters that fail.",
      {
        cause: error,
      },
    );
  }
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
    tape.string(jsonOf(value));
    return;
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
