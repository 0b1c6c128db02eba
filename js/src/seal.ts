/**
 * A state that passes through a client: sealed before it leaves, opened when it comes back. A seal shows that a state is
 * one of yours and was not changed; it does not hide what is in it.
 *
 * @module precis/seal
 */
import { input, PrecisError, type SessionState } from "precis";
import type { Key } from "./globals.ts";

/** The secret: at least 16 bytes, as bytes, as a text, or as a key of Web Crypto for HMAC with SHA-256. */
export type SealKey = string | Uint8Array | Key;

/** The form of what is sealed. */
const FORM = "precis1";
/** Bytes of a secret that cannot be guessed. */
const LEAST_KEY = 16;
/** Characters: several times what the largest state takes. What is longer is none, and is not read. */
const MOST_SEALED = 1024 * 1024;
/** Characters of 32 bytes as base64url. */
const MAC = 43;

/**
 * The state as a text that a client may keep, with an HMAC over it. With `chat` it opens for that chat alone.
 *
 * @throws PrecisError `invalid-call` when the state, the key or the chat is none; `other-chat` when the state is bound to
 * another chat.
 */
export async function sealState(state: SessionState, key: SealKey, chat = ""): Promise<string> {
  checkChat(chat);
  if (typeof state !== "object" || state === null)
    throw new PrecisError(
      "invalid-call",
      "state",
      "There is nothing to seal. Pass the state that the last call returned.",
    );
  checkStateOf(state, chat);
  const payload = encode(new TextEncoder().encode(JSON.stringify(state)));
  if (payload.length > MOST_SEALED - 100)
    throw new PrecisError("invalid-call", "state", "This is larger than any state of precis. Pass the state alone.");
  const mac = await crypto.subtle.sign("HMAC", await imported(key, "sign"), covered(payload, chat));
  return `${FORM}.${payload}.${encode(new Uint8Array(mac))}`;
}

/**
 * The state that was sealed with this key, for this chat.
 *
 * @throws PrecisError `seal-broken` when it was not, or was changed since; `other-chat` when it is bound to another chat;
 * `invalid-call` when the key or the chat is none.
 */
export async function openState(sealed: string, key: SealKey, chat = ""): Promise<SessionState> {
  checkChat(chat);
  const secret = await imported(key, "verify");
  const isText = typeof sealed === "string" && sealed.length <= MOST_SEALED;
  const [form, payload = "", mac = "", ...more] = isText ? sealed.split(".", 4) : [];
  const bytes = form === FORM && more.length === 0 && mac.length === MAC ? decode(mac) : null;
  const isOurs = bytes !== null && (await crypto.subtle.verify("HMAC", secret, bytes, covered(payload, chat)));
  const bytesOfState = isOurs ? decode(payload) : null;
  if (bytesOfState === null)
    throw new PrecisError(
      "seal-broken",
      "sealed",
      "This state was not sealed with this key for this chat, or it was changed since. Load your own copy. Without one, pass null as the state: the conversation continues, and only its summary is made again.",
    );
  const state = JSON.parse(new TextDecoder().decode(bytesOfState)) as SessionState;
  checkStateOf(state, chat);
  return state;
}

async function imported(key: SealKey, use: "sign" | "verify"): Promise<CryptoKey> {
  const bytes = typeof key === "string" ? new TextEncoder().encode(key) : key;
  if (!(bytes instanceof Uint8Array)) {
    if (isHmacKey(bytes, use)) return bytes;
  } else if (bytes.length >= LEAST_KEY)
    return crypto.subtle.importKey("raw", bytes as Uint8Array<ArrayBuffer>, { name: "HMAC", hash: "SHA-256" }, false, [
      use,
    ]);
  throw new PrecisError(
    "invalid-call",
    "key",
    `The key must be a secret of at least ${LEAST_KEY} bytes (a text, a Uint8Array, or a CryptoKey for HMAC with SHA-256 and this use). Keep it on your server.`,
  );
}

/** Web Crypto would sign with any hash that a key was made for. */
function isHmacKey(key: unknown, use: "sign" | "verify"): key is CryptoKey {
  if (typeof CryptoKey === "undefined" || !(key instanceof CryptoKey)) return false;
  const { name, hash } = key.algorithm as { name: string; hash?: { name?: string } };
  return name === "HMAC" && hash?.name === "SHA-256" && key.usages.includes(use);
}

/** An object would be written as `[object Object]`, as every other one is. */
function checkChat(chat: unknown): void {
  if (typeof chat === "string") return;
  throw new PrecisError("invalid-call", "chat", "The chat must be its id, a string. Omit it to seal for no chat.");
}

/** A state that calls have bound to a chat is sealed and opened for no other. */
function checkStateOf(state: object, chat: string): void {
  if (chat === "" || input.isStateOf(state, chat)) return;
  throw new PrecisError("other-chat", "state", "This state is bound to another chat. Pass the name of its own chat.");
}

/** What the HMAC covers. A payload holds no dot, so it is clear where the chat begins; as JSON no two chats are one text. */
const covered = (payload: string, chat: string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${FORM}.${payload}.${JSON.stringify(chat)}`);

/** base64url without padding. */
function encode(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Null for what `encode` never writes: each text has one form, so not a single bit of it can be changed unnoticed. */
function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    return encode(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}
