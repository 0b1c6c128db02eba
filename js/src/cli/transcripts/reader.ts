import type { Conversation, JsonObject } from "./conversation.ts";
import type { Source } from "./source.ts";

/** One kind of file: whose it is, how its records are known, and the conversations they are. */
export interface TranscriptReader {
  /** Whose files these are, for people. */
  readonly title: string;
  /** Whether a value is one of its records, by its structure alone. */
  owns(value: JsonObject): boolean;
  /** The conversations that its records hold. They stand in the order of the file, and nothing else does. */
  read(source: RecordSource): Conversation[];
}

/** The records of one kind in a file. */
export interface RecordSource extends Source {
  readonly values: readonly JsonObject[];
}
