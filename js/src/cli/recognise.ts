import type { Format } from "precis";

export type Role = "system" | "user" | "assistant" | "tool";

/** What is left of a message when it is shortened: its role, the calls it makes and answers, the ends of its text. */
export interface Outline {
  readonly role: Role | undefined;
  readonly texts: readonly string[];
  readonly ids: readonly string[];
}

/** Reads outlines through the format, each message once. */
export function outliner(format: Format<object>): (message: object) => Outline {
  const known = new WeakMap<object, Outline>();
  return (message) => {
    const found = known.get(message) ?? outline(format, message);
    known.set(message, found);
    return found;
  };
}

function outline(format: Format<object>, message: object): Outline {
  let role: Role | undefined;
  const texts: string[] = [];
  const ids: string[] = [];
  format.read(message, {
    role(said) {
      role = said;
    },
    speaker: () => {},
    text: (_, text) => void texts.push(text),
    reasoning: () => {},
    call: (id) => void ids.push(`call ${id}`),
    result: (_, id) => void ids.push(`result ${id}`),
    media: () => {},
    document: (_, text) => void texts.push(text),
    approvalRequest: () => {},
    approvalResponse: () => {},
    compaction: (_, text) => void texts.push(text ?? ""),
    opaque: () => {},
  });
  return { role, texts, ids };
}

/** A person's message rather than a tool's answer in the user's name. */
export function isRequest({ role, texts, ids }: Outline): boolean {
  return role === "user" && !ids.length && texts.some((text) => text.trim() !== "");
}

/** Whether `copy` is `original`, whole or shortened: equal ids where there are any, else a text that goes back to one of its texts. */
export function standsFor(copy: Outline, original: Outline): boolean {
  if (copy.role !== original.role || copy.ids.join() !== original.ids.join()) return false;
  if (original.ids.length) return true;
  const spoken = original.texts.filter((text) => text.trim() !== "");
  return copy.texts.some((text) =>
    spoken.some((whole) => text.startsWith(whole.slice(0, HEAD)) || isClip(text, whole)),
  );
}

const HEAD = 40;
const LONGEST_NOTICE = 200;
const LEAST_KEPT = 4;

/** Both ends of `whole` around a bracketed notice. */
function isClip(text: string, whole: string): boolean {
  const most = Math.min(text.length, whole.length);
  let head = 0;
  while (head < most && text[head] === whole[head]) head += 1;
  let tail = 0;
  while (tail < most - head && text.at(-1 - tail) === whole.at(-1 - tail)) tail += 1;
  const notice = text.slice(head, text.length - tail);
  return head + tail >= LEAST_KEPT && notice.length <= LONGEST_NOTICE && /\[[^\]]+\]?/.test(notice);
}
