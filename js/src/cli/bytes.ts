import { closeSync, openSync, readSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decoded } from "./text.ts";
import { TranscriptError } from "./transcripts/conversation.ts";

/** The largest transcript that is read, in bytes: engines hold no longer text than about 500 MB. */
const MOST = 400_000_000;

/** Refuses what is too large before it is read. */
export function checkSize(file: string, bytes: number): void {
  if (bytes <= MOST) return;
  const [large, most] = [bytes, MOST].map((size) => Math.round(size / 1_000_000));
  throw new TranscriptError(
    `${file} has ${large} MB; up to ${most} MB are read at once. Split it between two lines, and try the parts.`,
  );
}

/** The text of a transcript: UTF-8, UTF-16 with its mark (as PowerShell writes), or either compressed with gzip. */
export function textOf(file: string, bytes: Uint8Array): string {
  checkSize(file, bytes.length);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return textOf(file, unpacked(file, bytes));
  return decoded(file, bytes);
}

function unpacked(file: string, bytes: Uint8Array): Uint8Array {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TranscriptError(`${file} begins like a gzip file and cannot be unpacked: ${reason}.`);
  }
}

/** Bytes that are read at a time. */
const PIECE = 1 << 20;

/** The lines of a file of UTF-8. Of one in another encoding, or compressed, they are no text. */
export function* linesOf(path: string): Generator<string> {
  const file = openSync(path, "r");
  try {
    const piece = new Uint8Array(PIECE);
    const decoder = new TextDecoder();
    // A line may be a whole document: it is put together once.
    let begun: string[] = [];
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const [first = "", ...others] = decoder.decode(piece.subarray(0, read), { stream: true }).split("\n");
      begun.push(first);
      const last = others.pop();
      if (last === undefined) continue;
      yield begun.join("");
      yield* others;
      begun = [last];
    }
    yield begun.join("") + decoder.decode();
  } finally {
    closeSync(file);
  }
}
