import { at, type PrecisError } from "../errors.ts";
import { enter, isWhole, memoryBuffer } from "./engine.ts";
import type { Again, TapeReading } from "./glue.ts";
import type { Leaves } from "./message-stamp.ts";
import { EngineTape, MemoryTape, type Tape, type Target } from "./tape.ts";
import { type Count, writeMessage } from "./write-message.ts";

/** Of the buffer the engine reads from. */
const BUFFER = 65_536;

/** Tapes to use again; null while they are in use, and at first. */
let spare: EngineTape | null = null;
let spareShort: MemoryTape | null = null;

/** What a record is to be made of, and what it is called in an error. */
export interface Source {
  readonly leaves: Leaves;
  readonly path: string;
}

/** A message's record, as the words of several hold it, and whether the host's counter failed on it. */
export interface Recorded {
  readonly words: Uint32Array;
  /** Where in them it begins; its first word is its length. */
  readonly at: number;
  readonly guessed: boolean;
}

/** A call that may be decided where its new messages are read. */
export interface Ahead {
  /** Records of messages that were added before those. */
  known: Uint32Array;
  /** What the call before left. */
  readonly standing: Uint8Array;
  /** What came of it; null if it was not asked. */
  again: Again | undefined | null;
}

/**
 * Has the engine make records of messages, all in one go; if they are short, what comes `ahead` as well.
 *
 * @throws PrecisError with the path of the message that cannot be read.
 */
export function makeRecords(
  sources: readonly Source[],
  estimator: string,
  counter: ((text: string) => number) | null,
  ahead: Ahead | null = null,
): Recorded[] {
  const guessed: boolean[] = [];
  if (isShort(sources)) {
    const tape = (spareShort ?? new MemoryTape()).start();
    spareShort = null;
    for (const { leaves, path } of sources) guessed.push(write(tape, leaves, path, counter));
    const { ops, text } = tape.finish();
    const { records, again } = enter((glue) =>
      glue.records(estimator, ops, text, ahead?.known ?? null, ahead?.standing ?? null),
    );
    if (ahead) ahead.again = again;
    spareShort = tape;
    return split(records, guessed);
  }
  const records = enter((glue) => {
    const reading = glue.read(estimator);
    const tape = spare ?? new EngineTape();
    spare = null;
    try {
      tape.start(into(reading));
      for (const { leaves, path } of sources) guessed.push(write(tape, leaves, path, counter));
      tape.finish();
      return enter(() => glue.finish(reading));
    } finally {
      spare = tape;
      // The memory of an instance that broke must not be freed in the one that takes its place.
      if (isWhole()) glue.free(reading);
    }
  });
  return split(records, guessed);
}

/** Where a tape writes what a reading takes in. */
export function into(reading: TapeReading): Target {
  let bytes = new Uint8Array(0);
  return {
    bytes: () => {
      if (bytes.length === 0) bytes = new Uint8Array(memoryBuffer(), reading.pointer, BUFFER);
      return bytes;
    },
    push: (ops, length) => enter((glue) => glue.push(reading, ops, length)),
  };
}

/** Texts that take less than this in all cross in one go. */
const SHORT = 16_384;

/** Whether a few short texts are all there is. */
function isShort(sources: readonly Source[]): boolean {
  let length = 0;
  for (const { leaves } of sources) {
    for (const leaf of leaves) {
      if (typeof leaf === "string") length += leaf.length;
      else if (typeof leaf === "object" || typeof leaf === "bigint") return false;
    }
    if (length > SHORT) return false;
  }
  return true;
}

function write(tape: Tape, leaves: Leaves, path: string, counter: ((text: string) => number) | null): boolean {
  const count: Count | null = counter && { counter, failed: false };
  try {
    writeMessage(tape, leaves, count);
  } catch (error) {
    throw at(path, error) as PrecisError;
  }
  return count?.failed ?? false;
}

function split(words: Uint32Array, guessed: readonly boolean[]): Recorded[] {
  let next = 0;
  return guessed.map((guessed) => {
    const at = next;
    next += words[at] ?? 0;
    return { words, at, guessed };
  });
}
