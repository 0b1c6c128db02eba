import type { Reader } from "precis";
import { attempt, type Examined, type FormatRule, readBack } from "./finding.ts";
import { at, holds, isPlain, marked, marks, type Path, shownPath } from "./leaves.ts";
import { asJson, isAlike, isSame, partOf, passedBy, readAll, type Said, sameJson, shown } from "./said.ts";

/** A text that comes out changed where a format escapes, trims, parses or uses it as a pattern. */
export const TEXT = 'cut: "4711"\n\t$& $1 \\n 日本 😀 {"a":[1]} <b>&amp; ';

/** What the engine replaces by a text, or by a shorter input. */
const REPLACED: readonly (keyof Reader)[] = ["text", "document", "result", "media", "call"];
/** What it leaves out. */
const LEFT_OUT: readonly (keyof Reader)[] = ["call", "result", "reasoning", "approvalRequest", "approvalResponse"];

/** A copy in which one part was replaced says the same of everything else, and keeps what nobody reads. */
export function checkReplace<M>(given: Examined<M>): void {
  const { format, messages, said } = given;
  if (typeof format.replace !== "function") return;
  messages.forEach((message, index) => {
    const all = said[index] ?? [];
    const parts = all.filter((one) => REPLACED.includes(one.kind) && isReplaced(one, all));
    let together: unknown = message;
    for (const one of parts) {
      const part = partOf(one) as number;
      const text = one.kind === "call" ? JSON.stringify(shorter(passedBy(one))) : TEXT;
      const what = `replace(messages[${index}], ${part}, …)`;
      const run = (of: unknown) => attempt(given, "replace", index, what, () => format.replace?.(of as M, part, text));
      const copy = unchanged(given, index, "replace", () => run(message));
      const after = copy !== undefined && readBack(given, "replace", index, what, copy);
      if (!after) continue;
      if (copy === message) given.report("replace", index, `${what} returns the message itself. ${COPY}`);
      const isSound = compare(given, index, what, all, after, (other) => replaced(other, one, text));
      if (isSound) checkKept(given, index, what, message, copy, one, run);
      together = attempt(given, "replace", index, what, () => format.replace?.(together as M, part, text)) ?? together;
    }
    if (parts.length < 2) return;
    const what = `replace, called for each part of messages[${index}] on the copy before,`;
    const after = readBack(given, "replace", index, what, together);
    const lost = after && parts.find((one) => !after.some((other) => partOf(other) === partOf(one)));
    if (lost)
      given.report("replace", index, `${what} loses ${shown(lost)}. A copy has the same parts, with the same numbers.`);
  });
}

const COPY = "Return a copy: your history holds the other one.";

/** There is nothing to replace in an empty result, and what is inside a result goes with it. */
function isReplaced(one: Said, all: readonly Said[]): boolean {
  const part = partOf(one);
  if (part === undefined || (one.kind === "result" && passedBy(one) === "")) return false;
  return one.kind === "result" || !all.some((other) => other.kind === "result" && partOf(other) === part);
}

/** The input of a call with shorter strings. */
function shorter(input: unknown): unknown {
  if (typeof input === "string") return input.length > 3 ? `${input.slice(0, 3)}…` : input;
  if (typeof input !== "object" || input === null) return input;
  if (Array.isArray(input)) return input.map(shorter);
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, shorter(value)]));
}

/** What `read` passes of a part once it was replaced: undefined if it is gone. */
function replaced(other: Said, one: Said, text: string): Said | undefined {
  if (other !== one) return partOf(other) === partOf(one) ? undefined : other;
  const part = partOf(one);
  if (one.kind === "call") return { kind: "call", args: one.args.with(2, JSON.parse(text)) };
  if (one.kind === "result") return { kind: "result", args: one.args.with(2, text) };
  return {
    kind: one.kind === "document" ? "document" : "text",
    args: one.kind === "document" ? one.args.with(1, text) : [part, text],
  };
}

/**
 * Whether a copy says what it should: `expected` is what becomes of each part, undefined for what leaves. What has no number
 * of its own and stands beside such a part may leave with it, and so may what says that a message is signed.
 */
function compare<M>(
  { report }: Examined<M>,
  index: number,
  what: string,
  before: readonly Said[],
  after: readonly Said[],
  expected: (one: Said) => Said | undefined,
  alike: (one: Said, other: Said | undefined) => boolean = isSame,
): boolean {
  const rule: FormatRule = what.startsWith("without") ? "without" : "replace";
  let place = 0;
  for (const [at, one] of before.entries()) {
    const wanted = expected(one);
    const goes = [before[at - 1], before[at + 1]].some(
      (next) => next && partOf(next) !== undefined && expected(next) !== next,
    );
    const found = after[place];
    if (!wanted) continue;
    if (alike(wanted, found)) {
      place += 1;
      continue;
    }
    if (wanted !== one && isAlike(asText(wanted), found && asText(found)) && partOf(wanted) === partOf(found as Said)) {
      place += 1;
      continue;
    }
    if (partOf(one) === undefined && (goes || one.kind === "reasoning")) continue;
    const isCopy = wanted === one && isAlike(one, found);
    report(
      isCopy ? "identity" : rule,
      index,
      isCopy
        ? `After ${what} the format passes a copy of what it passed before: ${shown(one)}. Keep the other parts as the objects that they are, and their numbers.`
        : `After ${what} read should pass ${shown(wanted)}, but it passes ${found ? shown(found) : "nothing more"}. ${ELSE}`,
    );
    return false;
  }
  if (place === after.length) return true;
  report(rule, index, `After ${what} read passes more than before: ${shown(after[place] as Said)}. ${ELSE}`);
  return false;
}

const ELSE = "Change that part alone; ids, names, failures and all other parts stay.";

/** A document that was replaced may have become a text. */
const asText = (one: Said): Said => (one.kind === "document" ? { kind: "text", args: one.args.slice(0, 2) } : one);

/** Members that the format knows nothing about stay. */
function checkKept<M>(
  given: Examined<M>,
  index: number,
  what: string,
  message: M,
  copy: unknown,
  one: Said,
  run: (of: unknown) => unknown,
): void {
  const all = given.said[index] ?? [];
  const replacedValues = new Set(all.filter((other) => partOf(other) === partOf(one)).map(passedBy));
  // What was inside a result went with it, and so may the member that held it.
  const lost = Object.entries(message as object).find(
    ([name, value]) => !(name in (copy as object)) && !holds(value, replacedValues),
  );
  if (lost !== undefined) {
    given.report("unknown-members", index, `${what} loses the member ${asJson(lost[0])}. ${SPREAD}`);
    return;
  }
  if (!isPlain(message)) return;
  const noted = marked(message, new Set(all.map(passedBy)));
  // A format that takes no unknown members does not keep them.
  if (!isReadAlike(given, noted, all)) return;
  const gone = missing(marks(noted), marks(attempt(given, "replace", index, what, () => run(noted))));
  const tied = one.kind === "result" ? marks(noted).filter((path) => hasMember(at(noted, path), one.args[1])) : [];
  const place = gone.find((path) => !mayLeave(path, gone, one, tied));
  if (place)
    given.report(
      "unknown-members",
      index,
      `${what} loses members that it does not know ${place.length === 0 ? "of the message" : `of ${shownPath(place)}`}. ${SPREAD}`,
    );
}

const SPREAD = "Spread the original into the copy: ({ ...message, … }), and a part into its own.";

function isReadAlike<M>({ format }: Examined<M>, noted: M, all: readonly Said[]): boolean {
  try {
    const again = readAll(format, noted);
    return again.length === all.length && again.every(({ kind }, place) => kind === all[place]?.kind);
  } catch {
    return false;
  }
}

const missing = (before: readonly Path[], after: readonly Path[]): readonly Path[] => {
  const there = new Set(after.map(shownPath));
  return before.filter((path) => !there.has(shownPath(path)));
};

const hasMember = (value: unknown, member: unknown) =>
  member !== undefined && Object.values(value as object).some((one) => one === member);

/**
 * A text keeps all around it. A medium is exchanged as a whole, and nothing beside it; of a result what is inside the object
 * that holds its id.
 */
function mayLeave(path: Path, gone: readonly Path[], { kind }: Said, tied: readonly Path[]): boolean {
  if (path.length === 0 || !["result", "media"].includes(kind)) return false;
  if (tied.length > 0)
    return tied.some((own) => own.length < path.length && own.every((step, depth) => step === path[depth]));
  const element = (one: Path) => shownPath(one.slice(0, one.findIndex((step) => typeof step === "number") + 1 || 1));
  return element(path) === element(gone[0] as Path);
}

/** A copy without a part says the same of all others. */
export function checkWithout<M>(given: Examined<M>): void {
  const { format, messages, said } = given;
  if (typeof format.without !== "function") return;
  messages.forEach((message, index) => {
    const all = said[index] ?? [];
    for (const one of all) {
      const part = partOf(one);
      if (part === undefined || !LEFT_OUT.includes(one.kind)) continue;
      // A message never loses its last part: then all of it is left out.
      const rest = all.map(partOf).filter((other) => other !== undefined && other !== part);
      if (rest.length === 0) continue;
      const what = `without(messages[${index}], [${part}])`;
      const copy = unchanged(given, index, "without", () =>
        attempt(given, "without", index, what, () => format.without?.(message, [part])),
      );
      const after = copy !== undefined && readBack(given, "without", index, what, copy);
      if (!after) continue;
      const leaves = (other: Said) => (partOf(other) === part ? undefined : other);
      compare(given, index, what, all, after, leaves, isAlike);
    }
  });
}

/** What is no part. */
const BESIDE: readonly (keyof Reader)[] = ["role", "speaker"];

/** A result that precis adds belongs to its call. */
export function checkResult<M>(given: Examined<M>): void {
  const { format, messages, said, report } = given;
  if (typeof format.result !== "function") return;
  messages.forEach((message, index) => {
    for (const { kind, args } of said[index] ?? []) {
      const [id, name, , , executed] = args;
      if (kind !== "call" || executed === true) continue;
      const what = `result(${asJson(id ?? "")}, ${asJson(name)}, …)`;
      const made = unchanged(given, index, "result", () =>
        attempt(given, "result", index, what, () => format.result?.(String(id ?? ""), String(name), TEXT, message)),
      );
      const after = made !== undefined && readBack(given, "result", index, what, made);
      if (!after) continue;
      const [result, ...more] = after.filter((one) => one.kind === "result");
      const isAnswer = result && more.length === 0 && (id ? result.args[1] === id : !result.args[1]);
      if (!isAnswer || passedBy(result) !== TEXT)
        report(
          "result",
          index,
          `${what} returns a message that is read as ${after.map(shown).join(", ")}. It must hold one result, of this id, with this text.`,
        );
    }
  });
}

/** A summary is a message of the user that says what it was given, and can be stored. */
export function checkSummary<M>(given: Examined<M>): void {
  const { format, report } = given;
  if (typeof format.summary !== "function") return;
  const make = (text: string) =>
    attempt(given, "summary", null, "summary", () => format.summary?.(text, { id: "c1", covers: 3 }));
  const made = make(TEXT);
  const after = made !== undefined && readBack(given, "summary", null, "summary", made);
  if (!after) {
    if (made === undefined)
      report("summary", null, "summary returns nothing. Return a message of the user with the text.");
    return;
  }
  const texts = after.filter(({ kind }) => !BESIDE.includes(kind));
  const isText = texts.length > 0 && texts.every(({ kind }) => kind === "text");
  if (after[0]?.args[0] !== "user" || !isText || texts.map(passedBy).join("") !== TEXT)
    report(
      "summary",
      null,
      `summary returns a message that is read as ${after.map(shown).join(", ")}. It must be of the role user, and its text the one that was given.`,
    );
  if (!sameJson(JSON.parse(asJson(made)), made) || !isPlain(made))
    report(
      "summary",
      null,
      "summary returns a message that JSON does not keep. It is stored like any other: use plain objects.",
    );
}

/** Two messages of the user become one that says both. */
export function checkMerge<M>(given: Examined<M>): void {
  const { format, messages, said, report } = given;
  if (typeof format.merge !== "function" || typeof format.summary !== "function") return;
  const second = messages.findIndex((_, index) => isOfUser(said[index] ?? []));
  const first = attempt(given, "summary", null, "summary", () => format.summary?.(TEXT, { id: "c1", covers: 3 }));
  if (second < 0 || first === undefined) return;
  const merged = unchanged(given, second, "merge", () =>
    attempt(given, "merge", second, "merge", () => format.merge?.(first as M, messages[second] as M)),
  );
  const after = merged !== undefined && readBack(given, "merge", second, "merge", merged);
  if (!after) return;
  const texts = (all: readonly Said[]) =>
    all
      .filter(({ kind }) => kind === "text")
      .map(passedBy)
      .join("\n");
  const all = texts(after);
  const own = (said[second] ?? []).filter(({ kind }) => kind === "text").map((one) => String(passedBy(one)));
  const places = own.map((text) => all.indexOf(text, all.indexOf(TEXT)));
  const isWhole = all.includes(TEXT) && places.every((place, at) => place >= (places[at - 1] ?? 0));
  const isUser = after[0]?.kind === "role" && after[0].args[0] === "user";
  const others = (list: readonly Said[]) =>
    list.filter(({ kind }) => !["role", "speaker", "text"].includes(kind)).length;
  if (isUser && isWhole && others(after) >= others(said[second] ?? [])) return;
  report(
    "merge",
    second,
    `merge returns a message that is read as ${after.map(shown).join(", ")}. It must be of the role user and hold all of the first message, then all of the second.`,
  );
}

const isOfUser = (said: readonly Said[]) =>
  said[0]?.args[0] === "user" &&
  said.some(({ kind }) => kind === "text") &&
  !said.some(({ kind }) => kind === "result");

/** Runs a writing function, and reports it if it wrote into the message. */
function unchanged<M, T>(given: Examined<M>, index: number, name: string, run: () => T): T {
  const before = asJson(given.messages[index]);
  const made = run();
  if (asJson(given.messages[index]) !== before)
    given.report("written-to", index, `${name} writes into the message that it is given. ${COPY}`);
  return made;
}
