import { TranscriptError } from "./transcripts/conversation.ts";

/** Where a text would have shown that it is none. */
const LOOKED_AT = 65_536;

/** The text of a transcript that is not compressed: UTF-8, or UTF-16 with its mark (as PowerShell writes). */
export function decoded(file: string, bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (!utf16 && bytes.subarray(0, LOOKED_AT).includes(0))
    throw new TranscriptError(`${file} is binary: a transcript is JSON or JSON lines.`);
  return new TextDecoder(utf16 ? "utf-16le" : "utf-8").decode(bytes);
}
