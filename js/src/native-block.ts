/**
 * A provider's own summary in a chat: its text is that of the checkpoint, and what makes it the provider's stands beside it in
 * the state. It is put together again where the text is still the same letter for letter; everywhere else the text is sent.
 * Internal.
 */
import { hashing, hexOf } from "./chat-name.ts";
import type { NativeBlock, Report, SessionState } from "./types.ts";

/** Bytes that a block may take in the state, beside its text. */
const MOST = 8_000;
/** Characters by which its beginning is looked for. */
const HEAD = 64;

/** What the state holds of a block. */
export interface Stored {
  /** Everything but its text. */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly head: string;
  readonly length: number;
  readonly hash: string;
  /** Blanks before and behind its text, which the engine takes off. */
  readonly blanks: readonly [string, string];
}

/** The block that a state holds, if it is one. */
export function storedIn(state: unknown): Stored | null {
  const { block } = (state ?? {}) as { block?: Partial<Stored> | null };
  const { rest, head, length, hash, blanks } = block ?? {};
  const isWhole =
    typeof head === "string" &&
    head !== "" &&
    typeof length === "number" &&
    typeof hash === "string" &&
    Array.isArray(blanks);
  return isWhole && typeof rest === "object" && rest !== null ? (block as Stored) : null;
}

/** What is stored of a block; null for one without a text, or one that is too large. */
export function storedOf(block: NativeBlock): Stored | null {
  try {
    const { content, ...rest } = block;
    if (typeof content !== "string" || content.trim() === "" || JSON.stringify(rest).length > MOST) return null;
    const text = content.trim();
    const at = content.indexOf(text);
    const blanks = [content.slice(0, at), content.slice(at + text.length)] as const;
    return { rest, head: text.slice(0, HEAD), length: text.length, hash: hashOf(text), blanks };
  } catch {
    return null;
  }
}

/** The block within a summary, and the text around it; null where the summary does not hold its text as it was. */
export function found(stored: Stored, text: string): { block: NativeBlock; around: string } | null {
  const { rest, head, length, hash, blanks } = stored;
  const at = text.indexOf(head);
  const content = text.slice(at, at + length);
  if (at < 0 || content.length !== length || hashOf(content) !== hash) return null;
  return {
    block: { ...rest, content: `${blanks[0]}${content}${blanks[1]}` },
    around: `${text.slice(0, at)}${text.slice(at + length)}`,
  };
}

/** The state with the one of these blocks whose text is that of its newest summary, or without any. */
export function keptIn(state: SessionState, blocks: readonly Stored[]): SessionState {
  const { block: _, ...others } = state as SessionState & { block?: unknown };
  const { checkpoints } = others as { checkpoints?: readonly { readonly summary?: { readonly text?: unknown } }[] };
  const text = checkpoints?.at(-1)?.summary?.text;
  const block = typeof text === "string" ? blocks.find((one) => found(one, text)) : undefined;
  return (block ? { ...others, block } : others) as SessionState;
}

/** What Anthropic's API demands of every request with such a block. */
const BETA = { name: "anthropic-beta", value: "compact-2026-09-04" };

/** The report of a request that holds a block: with the header that the provider demands. */
export function demanding(report: Report): Report {
  const { headers = {}, body = {} } = report.provider ?? {};
  const value = [headers[BETA.name], BETA.value].filter(Boolean).join(",");
  return { ...report, provider: { headers: { ...headers, [BETA.name]: value }, body } };
}

function hashOf(text: string): string {
  return hexOf(hashing().update(new TextEncoder().encode(text)).digest());
}
