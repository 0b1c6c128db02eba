/**
 * Recognizes media in values: encoded binary data is known by what it is, wherever it stands, and not by the member that
 * holds it. A provider counts it by what it shows, and its letters are no text that anybody reads.
 *
 * Media are bytes, data URLs, base64 that begins like a PNG, a JPEG, a PDF, a WAV and the like, and base64 beside a media
 * type (`mimeType`, `media_type`, under whatever name) or in a member or object whose name or `type` says image, audio,
 * video or PDF. What says that it is base64 and is none counts as the text it is. A text that is all of a result, and the
 * arguments of calls, stay text: providers read them letter by letter.
 */
import type { MediaKind } from "../format.ts";
import { starts } from "./image-size.ts";
import { bytesAt, describeMedia, type Media } from "./media.ts";
import { bytesOf } from "./plain-value.ts";

/** A medium that was found in a value. */
export interface Encoded {
  readonly kind: MediaKind;
  readonly media: Media;
}

/** Where a value stands: the name of its member, or of the list that it is in, and the object with that member. */
export interface Holder {
  readonly key: string;
  readonly object: object | null;
}

/** Characters of the shortest text that is looked at. What is shorter costs little, whatever it is. */
export const LEAST = 128;
/** Characters of the shortest base64 that only its surroundings say what it is of. */
const LEAST_UNKNOWN = 256;

/** The medium that a text or bytes are, if they are one and nothing else. */
export function encodedIn(value: unknown, holder: Holder): Encoded | null {
  const bytes = typeof value === "string" ? null : bytesOf(value);
  if (bytes) {
    const type = sniffed((index) => bytes[index] ?? -1) ?? typeBeside(holder) ?? "";
    return { kind: kindOf(type) ?? hinted(holder) ?? "file", media: describeMedia(bytes, type) };
  }
  if (typeof value !== "string" || value.length < LEAST) return null;
  return value.startsWith("data:") ? ofUrl(value) : ofBase64(value, holder);
}

const DATA_URL = /^data:([\w!#$&^.+-]+\/[\w!#$&^.+-]+)?((?:;[^,;]*)*),/i;

function ofUrl(url: string): Encoded | null {
  const [head, type = "text/plain", parameters = ""] = DATA_URL.exec(url.slice(0, 512)) ?? [];
  if (head === undefined) return null;
  const isWhole = /;\s*base64\s*$/i.test(parameters) ? isBase64(url, head.length) : !/[\s"'<>]/.test(url);
  return isWhole ? { kind: kindOf(type) ?? "file", media: describeMedia(url, type) } : null;
}

/** Base64 that begins like a file that everybody knows, or stands beside what says what it is. */
function ofBase64(text: string, holder: Holder): Encoded | null {
  if (!isBase64(text.slice(0, 64).trimEnd(), 0)) return null;
  const known = sniffed(bytesAt(text));
  const type = known ?? (text.length >= LEAST_UNKNOWN ? typeBeside(holder) : null);
  const kind = type === null ? (text.length >= LEAST_UNKNOWN ? hinted(holder) : null) : (kindOf(type) ?? "file");
  if (kind === null || !isBase64(text, 0) || (known === null && HEX.test(text))) return null;
  return { kind, media: describeMedia(text, type ?? "") };
}

/** Base64 from there on, also as it is in addresses, or in lines. */
function isBase64(text: string, from: number): boolean {
  BASE64.lastIndex = from;
  return BASE64.test(text);
}

const BASE64 = /[\w+/%\r\n-]+={0,2}\s*$/y;

/** A number or a hash, which base64 letters can write too. */
const HEX = /^[\da-f]+$/;

/** How files begin: where, with which bytes, and what they are. */
const MAGIC: readonly (readonly [number, string, string])[] = [
  [0, "\x89PNG\r\n\x1a\n", "image/png"],
  [0, "\xff\xd8\xff", "image/jpeg"],
  [0, "GIF8", "image/gif"],
  [8, "WEBP", "image/webp"],
  [0, "II*\0", "image/tiff"],
  [0, "MM\0*", "image/tiff"],
  [4, "ftypavif", "image/avif"],
  [4, "ftyphei", "image/heic"],
  [0, "%PDF-", "application/pdf"],
  [8, "WAVE", "audio/wav"],
  [0, "ID3", "audio/mpeg"],
  [0, "OggS", "audio/ogg"],
  [0, "fLaC", "audio/flac"],
  [4, "ftypM4A", "audio/mp4"],
  [4, "ftyp", "video/mp4"],
  [0, "\x1aE\xdf\xa3", "video/webm"],
  [8, "AVI ", "video/x-msvideo"],
  [0, "PK\x03\x04", "application/zip"],
  [0, "\x1f\x8b\x08", "application/gzip"],
];

function sniffed(byte: (index: number) => number): string | null {
  for (const [at, magic, type] of MAGIC) if (starts(byte, at, magic)) return type;
  return null;
}

const TYPE = /^(?:image|audio|video|application|text|font|model)\/[\w.+-]+/i;

/** The media type that stands beside a value, under whatever name. */
function typeBeside({ object }: Holder): string | null {
  if (object === null || Array.isArray(object)) return null;
  for (const value of Object.values(object)) {
    if (typeof value === "string" && value.length < LEAST && TYPE.test(value)) return value;
  }
  return null;
}

function kindOf(type: string): MediaKind | null {
  const [, major] = /^(image|audio|video)\//i.exec(type) ?? [];
  if (major) return major.toLowerCase() as MediaKind;
  return /^application\/pdf\b/i.test(type) ? "pdf" : null;
}

const HINTS: readonly (readonly [RegExp, MediaKind])[] = [
  [/image|screenshot|picture|photo/i, "image"],
  [/audio|sound|speech|voice/i, "audio"],
  [/video/i, "video"],
  [/pdf/i, "pdf"],
];

/** What the type of an object, or the name of the member, says that it holds. */
function hinted({ key, object }: Holder): MediaKind | null {
  const type = (object as { type?: unknown } | null)?.type;
  const named = `${typeof type === "string" ? type : ""} ${key}`;
  return HINTS.find(([words]) => words.test(named))?.[1] ?? null;
}
