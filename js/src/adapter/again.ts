/**
 * Messages that a framework copies for every request, as the objects that they were in the request before: what was read of
 * them is found again by the objects.
 */
export class Again<M extends object> {
  private before: readonly M[] = [];

  /** The same messages; those that equal the one at their place in the last request are that one. */
  of(messages: readonly M[]): readonly M[] {
    const found = messages.map((message, at) => {
      const earlier = this.before[at];
      return earlier !== undefined && isEqual(earlier, message) ? earlier : message;
    });
    this.before = found;
    return found;
  }
}

/** Deeper than any message: what is deeper is not compared. */
const DEEPEST = 200;

/** Whether two values of plain data are equal. */
export function isEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || depth > DEEPEST)
    return false;
  if (Array.isArray(one))
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isEqual(value, other[at], depth + 1))
    );
  const [prototype, names] = [Object.getPrototypeOf(one), Object.keys(one)];
  // Bytes, dates and addresses are what they are, not their members.
  if (prototype !== Object.getPrototypeOf(other) || (prototype !== Object.prototype && prototype !== null))
    return false;
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isEqual((one as Part)[name], (other as Part)[name], depth + 1))
  );
}

type Part = Readonly<Record<string, unknown>>;
