/** Where a value stands in a message: names of members, and indices of lists. */
export type Path = readonly (string | number)[];

type Leaf = string | number | boolean;

/** Leaves that are looked at of a message: each is a reading of all of it. */
const MOST_LEAVES = 150;

/** Whether a message is objects and lists all the way down, so that a changed copy of it is a message as well. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function" && typeof value !== "symbol";
  if (Array.isArray(value)) return value.every(isPlain);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain);
}

/** Texts, numbers and flags of a message with their places, except below members, and parts of types, named `unsent`. */
export function leaves(message: unknown, unsent: ReadonlySet<string>): readonly (readonly [Path, Leaf])[] {
  const found: [Path, Leaf][] = [];
  const walk = (value: unknown, path: Path): void => {
    if (found.length >= MOST_LEAVES) return;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") found.push([path, value]);
    if (typeof value !== "object" || value === null) return;
    const { type } = value as { type?: unknown };
    if (typeof type === "string" && unsent.has(type)) return;
    for (const [name, member] of Object.entries(value))
      if (!unsent.has(name)) walk(member, [...path, Array.isArray(value) ? Number(name) : name]);
  };
  walk(message, []);
  return found;
}

/** A copy of a message in which one value is another; all beside the path is the same. */
export function withLeaf<T>(value: T, path: Path, leaf: unknown): T {
  const [step, ...rest] = path;
  if (step === undefined) return leaf as T;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>;
  copy[step] = withLeaf(copy[step], rest, leaf);
  return copy as T;
}

/** A copy of a message in which each object has one more member, `MARK`, but for those that `read` has passed as values. */
export function marked<T>(value: T, passed: ReadonlySet<unknown>): T {
  if (typeof value !== "object" || value === null || passed.has(value)) return value;
  if (Array.isArray(value)) return value.map((one) => marked(one, passed)) as T;
  const members = Object.entries(value).map(([name, member]) => [name, marked(member, passed)]);
  return { ...Object.fromEntries(members), [MARK]: "kept" } as T;
}

export const MARK = "precisCheck";

/** Where the objects stand that have the mark. */
export function marks(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [];
  const own = MARK in value ? [path] : [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    marks(member, [...path, Array.isArray(value) ? Number(name) : name]),
  );
  return [...own, ...below];
}

/** Whether a value is one of these, or one of them stands anywhere in it. */
export function holds(value: unknown, wanted: ReadonlySet<unknown>): boolean {
  if (wanted.has(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some((member) => holds(member, wanted));
}

/** The object or value at a place. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((one, step) => (one as Record<string | number, unknown> | undefined)?.[step], value);
}

/** A place as code has it: `content[1].text`. */
export function shownPath(path: Path): string {
  const text = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return text.replace(/^\./, "");
}
