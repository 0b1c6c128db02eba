import type { Format } from "precis";

export type Role = "system" | "user" | "assistant" | "tool";

/** What identifies a message after its text was shortened: its role, the calls it makes and answers, else how its text begins. */
export interface Outline {
  readonly role: Role | undefined;
  readonly texts: readonly string[];
  readonly ids: readonly string[];
  readonly key: string;
}

const HEAD = 40;

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
    text: (_, text) => void texts.push(text),
    reasoning: () => {},
    call: (id) => void ids.push(`call ${id}`),
    result: (_, id) => void ids.push(`result ${id}`),
    media: () => {},
    opaque: () => {},
  });
  return { role, texts, ids, key: `${role}\n${ids.length ? ids.join("\n") : head(texts)}` };
}

/** Whether this user message still says what the other one began with. */
export function saysTheSame(copy: Outline, original: Outline): boolean {
  return copy.role === original.role && copy.texts.some((text) => text.startsWith(head(original.texts)));
}

/** A person's message rather than a tool's answer in the user's name. */
export function isRequest({ role, texts, ids }: Outline): boolean {
  return role === "user" && !ids.length && texts.some((text) => text.trim() !== "");
}

function head(texts: readonly string[]): string {
  return (texts.find((text) => text.trim() !== "") ?? "").slice(0, HEAD);
}
