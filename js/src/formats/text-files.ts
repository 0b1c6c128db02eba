/**
 * Files that are text, whatever they are encoded in: they count by their text, and are cut like one.
 */
import { mediaKind, typeOfUrl } from "./parts.ts";

/** Types of files that are text. */
const TEXTUAL = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|csv)\b|[^;]*\+(?:json|xml)\b)/i;

/** Texts that were decoded, by the object that holds the data. */
const decoded = /* @__PURE__ */ new WeakMap<object, { readonly data: unknown; readonly text: string | undefined }>();

/**
 * The text of a file, decoded once as long as its data stays the same; undefined if it is none.
 *
 * @param holder - the object that holds the data.
 * @param data - base64, a data URL, or bytes.
 */
export function textOfFile(holder: object, data: unknown, mediaType: unknown): string | undefined {
  const type = typeOfUrl(data) ?? mediaType;
  if (typeof type !== "string" || !TEXTUAL.test(type) || mediaKind(type) !== "file") return undefined;
  const known = decoded.get(holder);
  if (known && known.data === data) return known.text;
  const text = textOf(data);
  decoded.set(holder, { data, text });
  return text;
}

/** Another text in the form that the data of a file had. */
export function encodedLike(data: unknown, text: string): unknown {
  const bytes = new TextEncoder().encode(text);
  if (typeof data !== "string") return bytes;
  const head = /^data:[^,]*,/.exec(data.slice(0, 512))?.[0] ?? "";
  return head === "" || BASE64.test(head) ? head + base64Of(bytes) : head + encodeURIComponent(text);
}

const BASE64 = /;\s*base64\s*,$/i;

/** Nothing where the data is an address, is not UTF-8, or is no base64 at all. */
function textOf(data: unknown): string | undefined {
  try {
    const bytes = typeof data === "string" ? bytesOf(data) : data;
    return bytes instanceof Uint8Array ? new TextDecoder("utf-8", { fatal: true }).decode(bytes) : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(data: string): Uint8Array {
  const head = /^data:[^,]*,/.exec(data.slice(0, 512))?.[0] ?? "";
  const payload = data.slice(head.length);
  if (head !== "" && !BASE64.test(head)) return new TextEncoder().encode(decodeURIComponent(payload));
  const binary = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}

/** Arguments of a call are limited: so many bytes at a time. */
const PIECE = 8_192;

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(binary);
}
