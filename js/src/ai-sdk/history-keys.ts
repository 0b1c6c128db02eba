/** Keys of histories: equal for equal messages, and by no means for others. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

type Message = { readonly role: string; readonly content: unknown };
type Hash = ReturnType<typeof sha256.create>;

/** Deep enough for any message. What is deeper cannot be compared, and is not taken for equal. */
const DEEPEST = 1_000;

class TooDeep extends Error {}

const encoder = new TextEncoder();

/**
 * A key for each beginning of a list of messages, the shortest first: SHA-256 over `scope` and everything in them, with the
 * kind and length of each value, so that no two lists have one key. What providers are told besides the content
 * (`providerOptions`: where to cache, say) is not part of the history, nor is the order of an object's members. Null if a
 * message is nested too deeply to be compared.
 */
export function keysOf(messages: readonly Message[], scope = ""): string[] | null {
  const hash = sha256.create();
  text(hash, scope);
  try {
    return messages.map(({ role, content }) => {
      text(hash, role);
      value(hash, content, 0);
      return bytesToHex(hash.clone().digest());
    });
  } catch (error) {
    if (error instanceof TooDeep) return null;
    throw error;
  }
}

function text(hash: Hash, text: string): void {
  bytes(hash, "s", encoder.encode(text));
}

function bytes(hash: Hash, kind: string, bytes: Uint8Array): void {
  hash.update(encoder.encode(`${kind}${bytes.length}:`)).update(bytes);
}

/** Writes a value as its kind, its size, and what is in it. */
function value(hash: Hash, given: unknown, depth: number): void {
  if (typeof given === "string") text(hash, given);
  else if (typeof given !== "object" || given === null) bytes(hash, typeof given, encoder.encode(String(given)));
  else if (depth > DEEPEST) throw new TooDeep();
  else if (Array.isArray(given)) {
    hash.update(encoder.encode(`a${given.length}:`));
    for (const item of given) value(hash, item, depth + 1);
  } else if (given instanceof URL || given instanceof Date) bytes(hash, "d", encoder.encode(String(given)));
  else if (ArrayBuffer.isView(given)) {
    bytes(hash, "b", new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  } else if (given instanceof ArrayBuffer) bytes(hash, "b", new Uint8Array(given));
  else members(hash, given as Record<string, unknown>, depth);
}

function members(hash: Hash, given: Record<string, unknown>, depth: number): void {
  const names = Object.keys(given).filter((name) => name !== "providerOptions" && given[name] !== undefined);
  hash.update(encoder.encode(`o${names.length}:`));
  for (const name of names.sort()) {
    text(hash, name);
    value(hash, given[name], depth + 1);
  }
}
