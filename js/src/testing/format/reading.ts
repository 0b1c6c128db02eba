import type { MediaKind, Role } from "precis";
import { attempt, type Examined } from "./finding.ts";
import { isPlain, leaves, type Path, shownPath, withLeaf } from "./leaves.ts";
import { asJson, isSame, partOf, readAll, type Said, shown } from "./said.ts";

const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];
const MEDIA: readonly MediaKind[] = ["image", "pdf", "audio", "video", "file"];
/** The largest number of a part. */
const MOST_PARTS = 4_194_303;

/** What `read` passes: a role first, and arguments of the declared kinds. */
export function checkRead<M>(given: Examined<M>): void {
  for (const [index, said] of given.said.entries()) {
    if (said.length === 0) continue;
    const roles = said.filter(({ kind }) => kind === "role");
    if (roles.length === 0) given.report("read", index, `read passes no role. ${NO_ROLE}`);
    else if (roles.length > 1 || said[0]?.kind !== "role")
      given.report("read", index, "read must call to.role once, before everything else.");
    for (const one of said) {
      const wrong = wrongArgument(one);
      if (wrong) given.report("read", index, `${shown(one)}: ${wrong}`);
    }
  }
}

const NO_ROLE =
  "The message is counted as a whole, never shortened, and not shown to a summarizer. Call to.role first, or leave messages that are meant to be opaque out of the samples.";

function wrongArgument(said: Said): string | undefined {
  const { kind, args } = said;
  const part = partOf(said);
  if (part !== undefined && !(Number.isInteger(part) && part >= 0 && part <= MOST_PARTS))
    return `the number of a part is a whole number from 0 to ${MOST_PARTS}; pass its index in the message.`;
  const text = (value: unknown, what: string) => (typeof value === "string" ? undefined : `${what} must be a string.`);
  switch (kind) {
    case "role":
      return ROLES.includes(args[0] as Role) ? undefined : `the role must be one of ${ROLES.join(", ")}.`;
    case "speaker":
      return text(args[0], "the name");
    case "text":
    case "document":
      return part === undefined
        ? "the number of the part is missing; replace gets it back."
        : text(args[1], "the text; pass other values with to.opaque. It");
    case "reasoning":
      return text(args[0], "the reasoning");
    case "call":
      return wrongId(args[0]) ?? text(args[1], "the tool's name");
    case "result":
      if (part === undefined) return "the number of the part is missing; replace gets it back.";
      if (args[2] === undefined) return "the output is undefined; pass an empty string where there is none.";
      return wrongId(args[1]) ?? (typeof args[3] === "boolean" ? undefined : "failed must be true or false.");
    case "media":
      return MEDIA.includes(args[0] as MediaKind) ? undefined : `the kind must be one of ${MEDIA.join(", ")}.`;
    default:
      return undefined;
  }
}

function wrongId(id: unknown): string | undefined {
  if (id === undefined || id === null || typeof id === "string") return undefined;
  return "the id must be a string as it stands in the message, or undefined.";
}

/** Reading twice gives the same, and the same objects; so does reading what was stored and loaded. */
export function checkAgain<M>(given: Examined<M>): void {
  const { format, messages, said, report } = given;
  messages.forEach((message, index) => {
    const first = said[index] ?? [];
    const again = attempt(given, "read", index, "read", () => readAll(format, message)) ?? first;
    const at = first.findIndex((one, place) => !isSame(one, again[place]));
    if (at >= 0 || first.length !== again.length)
      report(
        "read-again",
        index,
        `read passes something else when it is called again: ${shown(first[at] ?? (again[first.length] as Said))}. Pass the message's own objects, or parse once and keep the value: a new object makes precis read the message again on every request.`,
      );
    else if (isPlain(message)) checkStored(given, index, message, first);
  });
}

function checkStored<M>(given: Examined<M>, index: number, message: M, first: readonly Said[]): void {
  const stored = attempt(given, "stored", index, "read of the message as stored JSON", () =>
    readAll(given.format, JSON.parse(asJson(message)) as M),
  );
  if (stored && asJson(stored) !== asJson(first))
    given.report(
      "stored",
      index,
      "The message is read otherwise after it was stored as JSON and loaded. Keep nothing about messages outside of them, and do not tell them by identity or symbols.",
    );
}

/** What can be replaced has a number of its own. */
export function checkParts<M>({ said, report }: Examined<M>): void {
  said.forEach((all, index) => {
    const seen = new Map<number, Said>();
    for (const one of all) {
      const part = partOf(one);
      if (part === undefined) continue;
      const other = seen.get(part);
      // What is inside a result leaves with it.
      if (other && !(other.kind === "result" && ["media", "document"].includes(one.kind)))
        report(
          "parts",
          index,
          `${shown(other)} and ${shown(one)} have the same number, so replace cannot tell them apart. Number the parts of a message.`,
        );
      seen.set(part, other ?? one);
    }
  });
}

/** Prose that nobody passes on, and elements of a list that nobody looks at, are not counted and not summarized. */
export function checkUnread<M>({ format, messages, said, unsent, report }: Examined<M>): void {
  messages.forEach((message, index) => {
    const before = asJson(said[index]);
    if (!isPlain(message) || (said[index]?.length ?? 0) === 0) return;
    const isRead = (path: Path, value: string | number | boolean) => {
      try {
        return asJson(readAll(format, withLeaf(message, path, changed(value)))) !== before;
      } catch {
        return true;
      }
    };
    const all = leaves(message, unsent).map(([path, value]) => ({ path, value, read: isRead(path, value) }));
    const lists = new Map<string, Map<number, { path: Path; read: boolean }>>();
    for (const { path, read } of all)
      path.forEach((step, depth) => {
        if (typeof step !== "number") return;
        const list = shownPath(path.slice(0, depth));
        const elements = lists.get(list) ?? new Map();
        const known = elements.get(step);
        elements.set(step, { path: path.slice(0, depth + 1), read: read || known?.read === true });
        lists.set(list, elements);
      });
    const silent = [...lists.values()].flatMap((elements) => {
      const list = [...elements.values()];
      return list.some(({ read }) => read) ? list.filter(({ read }) => !read) : [];
    });
    for (const { path } of silent)
      report("unread", index, `read passes nothing of ${shownPath(path)}, but other elements of that list. ${UNREAD}`);
    for (const { path, value, read } of all) {
      const isInside = silent.some((one) => one.path.every((step, depth) => step === path[depth]));
      if (!read && !isInside && isProse(value))
        report("unread", index, `read does not pass ${shownPath(path)}. ${UNREAD}`);
    }
  });
}

const UNREAD =
  "It is not counted, so a request may be too long by it. Pass it, with to.opaque if it must stay as it is; if the provider does not get it, name the member in `unsent`.";

const changed = (value: string | number | boolean) =>
  typeof value === "string" ? `${value}~` : typeof value === "number" ? value + 1 : !value;

/** What somebody wrote, rather than a name, an id or a date. */
const isProse = (value: unknown): boolean =>
  typeof value === "string" && value.length >= LEAST_PROSE && value.trim().split(/\s+/).length >= LEAST_WORDS;
const LEAST_PROSE = 24;
const LEAST_WORDS = 4;

/** A message's own id is a string, the same each time and that of no other. */
export function checkIds<M>(given: Examined<M>): void {
  const { format, messages, report } = given;
  if (typeof format.id !== "function") return;
  const seen = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const id = attempt(given, "ids", index, "id", () => format.id?.(message));
    if (id === undefined) continue;
    const other = seen.get(id);
    if (typeof id !== "string" || id === "")
      report("ids", index, `id returns ${asJson(id)}. Return the message's own id, or undefined if it has none.`);
    else if (format.id?.(message) !== id)
      report("ids", index, "id returns another id when it is called again. Return one that the message holds.");
    else if (other !== undefined && messages[other] !== message)
      report("ids", index, `id returns ${asJson(id)} for messages[${other}], too. An id belongs to one message.`);
    seen.set(id, index);
  }
}
