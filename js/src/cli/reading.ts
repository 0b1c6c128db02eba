import { existsSync, statSync } from "node:fs";
import type { Given } from "./arguments.ts";
import { UsageError } from "./arguments.ts";
import { chosen, chosenOf } from "./choosing.ts";
import { EXIT } from "./command.ts";
import { load, readStdin, STDIN } from "./files.ts";
import { grouped } from "./paint.ts";
import { notice } from "./print.ts";
import { redactor } from "./redact.ts";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";

/** The conversations that a command works on, and what came of reading them. */
export interface Read {
  readonly conversations: readonly Conversation[];
  /** The exit code of a command that did its work otherwise with `code`. */
  end(code?: number): number;
}

/** Reads the files of a command: all of their conversations, or the one that was chosen. */
export async function readFiles(given: Given, files: readonly string[] = given.files): Promise<Read> {
  const { conversations, end } = await read(given, files);
  const own = chosenOf(given, conversations);
  tellDoubts(own);
  return { conversations: own, end };
}

/** Broken lines and files are reported at once, and counted at the end. */
async function read(given: Given, files: readonly string[]): Promise<Read> {
  if (files.length === 0) throw new UsageError("Name a transcript, or - for standard input.");
  const strict = given.flag("strict");
  let skipped = 0;
  const stdin = files.includes(STDIN) ? await readStdin() : undefined;
  const redact = given.flag("redact") ? redactor() : undefined;
  const conversations = load(
    files,
    (reason) => {
      if (strict) throw new TranscriptError(reason);
      skipped += 1;
      notice(reason);
    },
    { stdin, clean: redact?.text },
  );
  if (redact) notice(`Replaced ${grouped(redact.count)} ${redact.count === 1 ? "key or token" : "keys or tokens"}.`);
  return {
    conversations,
    end(code = EXIT.done) {
      if (skipped === 0) return code;
      const what = skipped === 1 ? "line or file" : "lines or files";
      notice(`Skipped ${grouped(skipped)} ${what} that cannot be read.`);
      return EXIT.unread;
    },
  };
}

/** The one conversation that a command works on. */
export async function readOne(given: Given): Promise<{ conversation: Conversation; end: Read["end"] }> {
  if (given.files.length !== 1) throw new UsageError("Name one transcript, or - for standard input.");
  const { conversations, end } = await read(given, given.files);
  const conversation = chosen(given, conversations);
  tellDoubts([conversation]);
  return { conversation, end };
}

/** Whether a command for one conversation was given a folder and no choice from it. */
export function isUnchosen(given: Given): boolean {
  const [file = "", ...more] = given.files;
  const isFolder = more.length === 0 && file !== STDIN && existsSync(file) && statSync(file).isDirectory();
  return isFolder && given.text("conversation") === undefined;
}

/** What had to be guessed of how messages follow each other. */
function tellDoubts(conversations: readonly Conversation[]): void {
  for (const { file, doubts = [] } of conversations) for (const doubt of doubts) notice(`${file}: ${doubt}`);
}
