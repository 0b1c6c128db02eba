import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import type { Conversation } from "./transcripts/conversation.ts";
import { TranscriptError } from "./transcripts/conversation.ts";
import { transcripts } from "./transcripts/detect.ts";

/** The recorded coding session that lies in the package, as text. `cli/NOTICE` says whose it is. */
export function recordedText(): string {
  const packed = readFileSync(new URL("./cli/session.jsonl.br", import.meta.url));
  return brotliDecompressSync(packed).toString("utf8");
}

export function recordedSession(): Conversation[] {
  return transcripts("a recorded coding session", recordedText(), (reason) => {
    throw new TranscriptError(reason);
  });
}
