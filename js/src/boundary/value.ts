import { PrecisError } from "../errors.ts";
import { endless, jsonOf, MOST_VALUES } from "./deep-json.ts";
import { encodedIn, type Holder, LEAST } from "./encoded.ts";
import { KINDS } from "./message-stamp.ts";
import { bytesOf, isNothing, resolve } from "./plain-value.ts";
import { high, low, Op, type Tape } from "./tape.ts";

/** What lies deeper crosses as its JSON text: a model or a tool may send anything. */
export const DEEPEST = 1000;

/**
 * Writes a value with the meaning of `JSON.stringify`, except that bytes stay bytes and a BigInt is its digits.
 *
 * @param seesMedia - whether media in it are written as what they are ({@link encodedIn}), and not letter by letter. A text
 * that is all of the value stays one: providers read it as text.
 * @throws PrecisError `too-deep` (a cycle, or no end) or `unreadable-value` (a throwing getter or `toJSON`).
 */
export function writeValue(tape: Tape, value: unknown, seesMedia = false): void {
  try {
    new ValueWriter(tape).write(resolve(value, ""), 0, seesMedia ? ALONE : null);
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

const ALONE: Holder = { key: "", object: null };

/** Writes one value, which may hold {@link MOST_VALUES}. */
class ValueWriter {
  private left = MOST_VALUES;

  constructor(private readonly tape: Tape) {}

  /** `holder`: where the value stands; null where media are not looked for. */
  write(value: unknown, depth: number, holder: Holder | null): void {
    if (typeof value === "string") {
      if (!holder || depth === 0 || !this.embedded(value, holder)) this.tape.string(value);
    } else if (typeof value === "number" && Number.isFinite(value)) this.tape.number(String(value));
    else if (typeof value === "bigint") this.tape.number(String(value));
    else if (typeof value === "boolean") this.tape.op(value ? Op.true : Op.false);
    else if (typeof value === "object" && value !== null) this.writeObject(value, depth, holder);
    else this.tape.op(Op.null);
  }

  /** Writes the medium that a value is, if it is one. */
  private embedded(value: unknown, holder: Holder): boolean {
    const found = encodedIn(value, holder);
    if (!found) return false;
    const { bytes, width, height, mediaType, print } = found.media;
    this.tape.op(Op.embedded, KINDS.indexOf(found.kind), low(bytes), high(bytes), width, height, print ?? NONE);
    this.tape.string(mediaType);
    return true;
  }

  private writeObject(value: object, depth: number, holder: Holder | null): void {
    const bytes = bytesOf(value);
    if (bytes !== null) {
      if (!holder || !this.embedded(bytes, holder)) this.tape.binary(bytes);
      return;
    }
    if (depth >= DEEPEST) {
      this.tape.string(jsonOf(value));
      return;
    }
    if (Array.isArray(value)) {
      this.tape.op(Op.array);
      // What is no list of its own may grow while it is read.
      const length = this.spend(value.length);
      for (let i = 0; i < length; i++) this.write(resolve(value[i], String(i)), depth + 1, holder);
    } else {
      this.tape.op(Op.object);
      const keys = Object.keys(value);
      this.spend(keys.length);
      for (const key of keys) {
        const member = resolve((value as Record<string, unknown>)[key], key);
        if (isNothing(member)) continue;
        this.tape.string(key);
        this.write(member, depth + 1, holder && inside(member, key, value));
      }
    }
    this.tape.op(Op.end);
  }

  private spend(count: number): number {
    this.left -= count;
    if (!(this.left >= 0)) throw endless();
    return count;
  }
}

const NONE: readonly [number, number] = [0, 0];

/** Short texts, numbers and the like are no media: no holder is made for them. */
const inside = (member: unknown, key: string, object: object): Holder | null =>
  typeof member === "object" || (typeof member === "string" && member.length >= LEAST) ? { key, object } : null;
