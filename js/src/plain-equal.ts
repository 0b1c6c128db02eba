/** What lies deeper is equal to nothing. */
const DEEPEST = 200;

/**
 * Whether two values are the same plain data, written in the same order: what is read of one is what would be read of the
 * other. Of anything but plain objects and lists only the same object is equal. What cannot be read is equal to nothing:
 * whoever reads it says so.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  try {
    return areSame(one, other, 0);
  } catch {
    return false;
  }
}

function areSame(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return one !== 0 || Object.is(one, other);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || depth > DEEPEST)
    return false;
  if (Array.isArray(one) || Array.isArray(other)) return areEqual(one, other, depth);
  if (!isPlain(one) || !isPlain(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  if (names.length !== others.length) return false;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as keyof object;
    if (name !== others[at] || !areSame(one[name], other[name], depth + 1)) return false;
  }
  return true;
}

function areEqual(one: object, other: object, depth: number): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  const { length } = one;
  if (other.length !== length) return false;
  for (let at = 0; at < length; at++) if (!areSame(one[at], other[at], depth + 1)) return false;
  return true;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
