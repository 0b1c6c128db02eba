/** The name of a chat as a state holds it: hashed, so that a state names nobody. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** A hash that is being made. */
export interface Hashing {
  update(bytes: Uint8Array): Hashing;
  digest(): Uint8Array;
}

/** SHA-256, for the other entries as well: the package has it once. */
export const hashing = (): Hashing => sha256.create();

/** A text as bytes, for what is hashed by other entries: only this one brings an encoder where the platform has none. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Bytes as hex digits. */
export const hexOf = (bytes: Uint8Array): string => bytesToHex(bytes);

/** SHA-256 over the name as JSON, which has another text for each name, also where one is no valid Unicode; as hex digits. */
export function hashOfChat(chat: string): string {
  return bytesToHex(sha256(utf8(JSON.stringify(chat))));
}

/** Whether a state may be used for the chat of this name: it is bound to none, or to this one. */
export function isStateOf(state: object, chat: string): boolean {
  const { chat: bound } = state as { readonly chat?: unknown };
  return bound === undefined || bound === null || bound === hashOfChat(chat);
}
