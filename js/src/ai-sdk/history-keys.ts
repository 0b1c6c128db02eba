/** Keys of histories: equal for equal messages, and by no means for others. */
import { input } from "precis";

type Message = { readonly role: string; readonly content: unknown };
type Hash = ReturnType<typeof input.hashing>;

/** Deep enough for any message. What is deeper cannot be compared, and is not taken for equal. */
const DEEPEST = 1_000;

/**
 * The hash of a message: SHA-256 over everything in it, with the kind and length of each value. Options for providers
 * beside the content (`providerOptions`: where to cache, say) are not part of the history, nor is the order of an object's
 * members.
 *
 * @throws RangeError for a message that is nested too deeply to be compared.
 */
export function hashOf({ role, content }: Message): Uint8Array {
  const hash = input.hashing();
  text(hash, role);
  value(hash, content, 0);
  return hash.digest();
}

/**
 * The key of a list of messages: SHA-256 over that of the list without its last message, or over the scope, and the hash of
 * that message. So no two lists have one key, and the key of a list that goes on costs as much as what is new.
 */
export function keyOf(before: string, message: Uint8Array): string {
  const hash = input.hashing();
  text(hash, before);
  return input.hexOf(hash.update(message).digest());
}

function text(hash: Hash, text: string): void {
  bytes(hash, "s", input.utf8(text));
}

function bytes(hash: Hash, kind: string, bytes: Uint8Array): void {
  hash.update(input.utf8(`${kind}${bytes.length}:`)).update(bytes);
}

/** Writes a value as its kind, its size, and what is in it. */
function value(hash: Hash, given: unknown, depth: number): void {
  if (typeof given === "string") text(hash, given);
  else if (typeof given !== "object" || given === null) bytes(hash, typeof given, input.utf8(String(given)));
  else if (depth > DEEPEST) throw new RangeError("too deep to be compared");
  else if (Array.isArray(given)) {
    hash.update(input.utf8(`a${given.length}:`));
    for (const item of given) value(hash, item, depth + 1);
  } else if (given instanceof URL || given instanceof Date) bytes(hash, "d", input.utf8(String(given)));
  else if (ArrayBuffer.isView(given)) {
    bytes(hash, "b", new Uint8Array(given.buffer, given.byteOffset, given.byteLength));
  } else if (given instanceof ArrayBuffer) bytes(hash, "b", new Uint8Array(given));
  else members(hash, given as Record<string, unknown>, depth);
}

function members(hash: Hash, given: Record<string, unknown>, depth: number): void {
  const names = Object.keys(given).filter((name) => name !== "providerOptions" && given[name] !== undefined);
  hash.update(input.utf8(`o${names.length}:`));
  for (const name of names.sort()) {
    text(hash, name);
    value(hash, given[name], depth + 1);
  }
}
