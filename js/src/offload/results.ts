import { type Format, input, type Reader } from "precis";

/** A tool result that is larger than it may be. */
export interface LargeResult {
  /** Its hash: equal for the same text of the same call. */
  readonly key: string;
  readonly text: string;
  readonly tool: string | undefined;
  readonly id: string;
  readonly index: number;
}

interface Found {
  readonly part: number;
  readonly id: string;
  readonly tool: string | undefined;
  readonly text: string;
}

/** Copies of messages, by the message: the same as long as it holds the same texts. */
export type Copies = WeakMap<object, { readonly texts: readonly string[]; readonly copy: unknown }>;

/**
 * The messages, with what `noticeOf` returns in place of each result of more than `over` characters; null leaves it as it is.
 * A result that holds media, one of a failed call, and one that nobody can read are left alone.
 */
export async function withResults<Base, M extends Base>(
  history: readonly M[],
  format: Format<Base>,
  over: number,
  copies: Copies,
  noticeOf: (result: LargeResult) => Promise<string | null>,
): Promise<M[]> {
  const tools = new Map<string, string>();
  return Promise.all(
    history.map(async (message, index) => {
      const large = largeIn(message, format, over, tools);
      if (large.length === 0) return message;
      const texts = large.map(({ text }) => text);
      const known = copies.get(message as object);
      // The same object as before: whoever compares them sees that nothing has changed.
      if (known?.texts.every((text, at) => text === texts[at])) return known.copy as M;
      let copy: Base = message;
      for (const { part, id, tool, text } of large) {
        const notice = await noticeOf({ key: keyOf(id, text), text, tool, id, index });
        if (notice !== null) copy = format.replace(copy, part, notice);
      }
      copies.set(message as object, { texts, copy });
      return copy as M;
    }),
  );
}

/** The large results of a message; notes the names of the tools that it calls. */
function largeIn<Base>(message: Base, format: Format<Base>, over: number, tools: Map<string, string>): Found[] {
  const found: Found[] = [];
  const media = new Set<number>();
  const nothing = () => {};
  const reader: Reader = {
    ...{ role: nothing, speaker: nothing, text: nothing, reasoning: nothing, document: nothing, opaque: nothing },
    ...{ approvalRequest: nothing, approvalResponse: nothing, compaction: nothing },
    call: (id, name) => void (id && tools.set(id, name)),
    result(part, id, output, failed, name) {
      const text = failed ? "" : textOf(output);
      if (text.length > over) found.push({ part, text, id: id ?? "", tool: name ?? tools.get(id ?? "") });
    },
    media: (_, __, ___, part) => void (part !== undefined && media.add(part)),
  };
  try {
    format.read(message, reader);
  } catch {
    return [];
  }
  return found.filter(({ part }) => !media.has(part));
}

/** A result as a text: what is none is its JSON. */
function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    return JSON.stringify(output) ?? "";
  } catch {
    return "";
  }
}

function keyOf(id: string, text: string): string {
  const hash = input.hashing();
  hash.update(input.utf8(`${id.length}:${id}`)).update(input.utf8(text));
  return input.hexOf(hash.digest());
}
