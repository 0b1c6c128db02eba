import { TranscriptError } from "./transcripts/conversation.ts";

/** Where a text would have shown that it is none. */
const LOOKED_AT = 65_536;

/** Files that people have beside their transcripts, by how they begin, and what to do with them. */
const KNOWN: readonly (readonly [string, string])[] = [
  [
    "PK\x03\x04",
    "a ZIP archive: unpack it, and name the JSON file in it (of an export of ChatGPT or Claude.ai conversations.json).",
  ],
  [
    "SQLite format 3\0",
    "a SQLite database: export its chats as JSON first (`opencode export`, Open WebUI's export of chats, or the rows of its table of messages).",
  ],
  ["\x28\xb5\x2f\xfd", "compressed with zstd: unpack it with `zstd -d`."],
  ["BZh", "compressed with bzip2: unpack it first."],
  ["\xfd7zXZ\0", "compressed with xz: unpack it first."],
  ["PAR1", "a Parquet file: convert its rows to JSON lines first."],
  ["%PDF-", "a PDF: a transcript is JSON or JSON lines."],
];

function begins(bytes: Uint8Array, mark: string): boolean {
  return [...mark].every((char, at) => bytes[at] === char.charCodeAt(0));
}

/** The text of a transcript that is not compressed: UTF-8, or UTF-16 with its mark (as PowerShell writes). */
export function decoded(file: string, bytes: Uint8Array): string {
  const known = KNOWN.find(([mark]) => begins(bytes, mark));
  if (known) throw new TranscriptError(`${file} is ${known[1]}`);
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  if (!utf16 && bytes.subarray(0, LOOKED_AT).includes(0))
    throw new TranscriptError(`${file} is binary: a transcript is JSON or JSON lines.`);
  return new TextDecoder(utf16 ? "utf-16le" : "utf-8").decode(bytes);
}
