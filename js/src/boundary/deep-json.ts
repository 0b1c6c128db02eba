import { PrecisError } from "../errors.ts";
import { bytesOf, isNothing, resolve } from "./plain-value.ts";

/** More levels than this have no end, for instance a `toJSON` that returns a new copy of itself each time. */
const ENDLESS = 1_000_000;

/** More values than this have no end either: a list that says it has billions of entries, or holds itself many times over. */
export const MOST_VALUES = 20_000_000;

/** An object or array that is being written. */
interface Open {
  readonly value: object;
  /** The names of an object's members; null for an array. */
  readonly names: readonly string[] | null;
  readonly length: number;
  next: number;
  isEmpty: boolean;
}

/**
 * A value as JSON text, however deep it is: nothing here calls itself. Bytes are named by their number.
 *
 * @throws PrecisError `too-deep` if it holds itself, or never ends.
 */
export function jsonOf(root: object): string {
  const out: string[] = [];
  const open: Open[] = [];
  const above = new Set<object>();
  let left = MOST_VALUES;
  const begin = (value: object): void => {
    if (above.has(value) || open.length >= ENDLESS) throw endless();
    above.add(value);
    const names = Array.isArray(value) ? null : Object.keys(value);
    const { length } = names ?? (value as unknown[]);
    left -= length;
    if (!(left >= 0)) throw endless();
    open.push({ value, names, length, next: 0, isEmpty: true });
    out.push(names ? "{" : "[");
  };
  begin(root);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { value, names } = top;
    if (top.next === top.length) {
      out.push(names ? "}" : "]");
      above.delete(value);
      open.pop();
      continue;
    }
    const name = names ? (names[top.next] as string) : String(top.next);
    top.next += 1;
    const member = resolve((value as Record<string, unknown>)[name], name);
    if (names && isNothing(member)) continue;
    out.push(top.isEmpty ? "" : ",", names ? `${JSON.stringify(name)}:` : "");
    top.isEmpty = false;
    const bytes = bytesOf(member);
    if (bytes) out.push(`"${bytes.length} bytes"`);
    else if (typeof member === "object" && member !== null) begin(member);
    else out.push(typeof member === "bigint" ? String(member) : (JSON.stringify(member) ?? "null"));
  }
  return out.join("");
}

/** The error for what has no end. */
export function endless(): PrecisError {
  return new PrecisError("too-deep", null, "A value contains itself or never ends. Pass a tree of plain data.");
}
