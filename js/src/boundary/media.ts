import { DataHash, sextet } from "./data-hash.ts";
import { type ByteAt, imageSize, little, starts } from "./image-size.ts";
import { bytesOf } from "./plain-value.ts";

/** What a provider counts of a piece of media. */
export interface Media {
  /** Of inline data, decoded; 0 for a reference. */
  readonly bytes: number;
  /** Pixels of a picture, pages of a PDF, seconds of sound and film; 0 when unknown. */
  readonly width: number;
  /** Pixels of a picture; 0 when unknown. */
  readonly height: number;
  readonly mediaType: string;
  /** URL or file id; empty for inline data. */
  readonly reference: string;
  /** Both halves of a hash of inline data; null for a reference. */
  readonly print: readonly [number, number] | null;
}

/** Members that may hold the data of an object, and those that may hold an id. */
const DATA = ["data", "url", "file_data"] as const;
const IDS = ["file_id", "id", "reference"] as const;

/** What a format may say beside the data, and where it stands. */
const SIZES = ["width", "pages", "seconds"] as const;

/** Describes what a format handed over as media; see `Reader.media` for the forms of `data`. */
export function describeMedia(data: unknown, mediaType: unknown): Media {
  const type = typeof mediaType === "string" ? mediaType : "";
  if (typeof data === "string") return describeText(data, type);
  const bytes = bytesOf(data);
  if (bytes !== null) return inline(bytes.length, (index) => bytes[index] ?? -1, type);
  if (typeof data !== "object" || data === null) return reference("", type);
  const members = data as Record<string, unknown>;
  const found = describeMember(members, type);
  const width = count(SIZES.map((name) => members[name]).find((size) => size !== undefined));
  const height = count(members.height);
  return width ? { ...found, width, height } : found;
}

function describeMember(members: Record<string, unknown>, type: string): Media {
  if (typeof members.href === "string") return describeText(members.href, type);
  for (const name of DATA) {
    const member = members[name];
    if (typeof member === "string" || bytesOf(member) !== null || (name === "url" && isUrl(member)))
      return describeMedia(member, type);
  }
  for (const name of IDS) {
    const id = members[name];
    if (typeof id === "string") return reference(id, type);
    // The same file at several providers: any of its ids says that there is one.
    const first = typeof id === "object" && id !== null ? Object.values(id)[0] : undefined;
    if (typeof first === "string") return reference(first, type);
  }
  return reference(Object.values(members).find((member) => typeof member === "string") ?? "", type);
}

const count = (size: unknown): number =>
  typeof size === "number" && size > 0 ? Math.min(Math.ceil(size), 0xffffffff) : 0;

function describeText(text: string, type: string): Media {
  if (text.startsWith("data:")) return describeDataUrl(text, type);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text.slice(0, 32))) return reference(text, type);
  return describeBase64(text, 0, type);
}

function describeDataUrl(url: string, type: string): Media {
  const comma = url.indexOf(",");
  if (comma < 0) return reference("", type);
  const [own, ...parameters] = url.slice("data:".length, comma).split(";");
  if (parameters.at(-1)?.trim() === "base64") return describeBase64(url, comma + 1, own || type);
  return inline(url.length - comma - 1, (index) => url.charCodeAt(comma + 1 + index) & 0xff, own || type);
}

function describeBase64(text: string, start: number, type: string): Media {
  let end = text.length;
  while (end > start && text.charCodeAt(end - 1) === EQUALS) end -= 1;
  const length = Math.floor(((end - start) * 3) / 4);
  const hash = new DataHash().base64(text, start, end);
  return inline(length, (index) => base64Byte(text, start, end, index), type, hash);
}

function inline(bytes: number, byte: ByteAt, mediaType: string, hash = new DataHash().bytes(bytes, byte)): Media {
  return { bytes, ...sizeOf(bytes, byte), mediaType, reference: "", print: hash.halves };
}

function sizeOf(bytes: number, byte: ByteAt): { width: number; height: number } {
  if (starts(byte, 0, "%PDF")) return { width: pages(bytes, byte), height: 0 };
  // Behind the header of a WAV stands how many bytes a second has.
  if (starts(byte, 0, "RIFF") && starts(byte, 8, "WAVEfmt ")) {
    return { width: count(bytes / little(byte, 28, 4)), height: 0 };
  }
  return imageSize(byte);
}

/** Bytes at either end of a PDF in which its pages are looked for. */
const PDF_ENDS = 65_536;

/** Pages of a PDF, as far as its ends tell: by the page tree or page by page. 0 where they are compressed. */
function pages(bytes: number, byte: ByteAt): number {
  let text = "";
  for (let at = 0; at < bytes; at++) {
    if (at === PDF_ENDS) at = Math.max(at, bytes - PDF_ENDS);
    text += String.fromCharCode(byte(at));
  }
  const tree = /\/Type\s*\/Pages[^>]{0,999}?\/Count\s+(\d{1,6})|\/Count\s+(\d{1,6})[^>]{0,999}?\/Type\s*\/Pages/g;
  const totals = [...text.matchAll(tree)].map((match) => Number(match[1] ?? match[2]));
  const single = text.match(/\/Type\s*\/Page(?![a-z])/g)?.length ?? 0;
  return Math.max(single, ...totals);
}

function reference(text: string, mediaType: string): Media {
  return { bytes: 0, width: 0, height: 0, mediaType, reference: text, print: null };
}

const isUrl = (value: unknown): boolean => typeof (value as { href?: unknown } | null | undefined)?.href === "string";

/** The bytes of a text in base64, each decoded when it is asked for. */
export const bytesAt =
  (text: string): ByteAt =>
  (index) =>
    base64Byte(text, 0, text.length, index);

const EQUALS = 61;

/** One byte of base64 text, so that reading a header decodes nothing else. */
function base64Byte(text: string, start: number, end: number, index: number): number {
  const at = start + Math.floor(index / 3) * 4 + (index % 3);
  if (at + 1 >= end) return -1;
  const left = sextet(text.charCodeAt(at));
  const right = sextet(text.charCodeAt(at + 1));
  switch (index % 3) {
    case 0:
      return ((left << 2) | (right >> 4)) & 0xff;
    case 1:
      return ((left << 4) | (right >> 2)) & 0xff;
    default:
      return ((left << 6) | right) & 0xff;
  }
}
