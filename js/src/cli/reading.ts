import { existsSync, statSync } from "node:fs";
import type { Given } from "./arguments.ts";
import { UsageError } from "./arguments.ts";
import { EXIT } from "./command.ts";
import { load, readStdin, STDIN } from "./files.ts";
import { grouped } from "./paint.ts";
import { notice } from "./print.ts";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";

/** The conversations that a command works on, and what came of reading them. */
export interface Read {
  readonly conversations: readonly Conversation[];
  /** The exit code of a command that did its work otherwise with `code`. */
  end(code?: number): number;
}

/** Reads the files of a command. Broken lines and files are reported at once, and counted at the end. */
export async function readFiles(given: Given, files: readonly string[] = given.files): Promise<Read> {
  if (files.length === 0) throw new UsageError("Name a transcript, or - for standard input.");
  const strict = given.flag("strict");
  let skipped = 0;
  const stdin = files.includes(STDIN) ? await readStdin() : undefined;
  const conversations = load(
    files,
    (reason) => {
      if (strict) throw new TranscriptError(reason);
      skipped += 1;
      notice(reason);
    },
    stdin,
  );
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

/** The one conversation that a command works on: that of `--pick`, or the longest, which is said. */
export async function readOne(given: Given): Promise<{ conversation: Conversation; end: Read["end"] }> {
  if (given.files.length !== 1) throw new UsageError("Name one transcript, or - for standard input.");
  checkFile(given.files[0]);
  const pick = given.count("pick", 1);
  const { conversations, end } = await readFiles(given);
  const count = conversations.length;
  if (pick !== undefined && pick > count)
    throw new UsageError(`--pick ${pick} is too high: the file has ${count === 1 ? "only one" : count}.`);
  const longest = conversations.reduce((best, one) => (one.messages.length > best.messages.length ? one : best));
  const conversation = pick === undefined ? longest : (conversations[pick - 1] ?? longest);
  if (count > 1 && pick === undefined)
    notice(
      `There are ${count} conversations; this is number ${conversations.indexOf(longest) + 1}, the longest. --pick K takes another.`,
    );
  return { conversation, end };
}

function checkFile(file = ""): void {
  if (file !== STDIN && existsSync(file) && statSync(file).isDirectory())
    throw new UsageError(`${file} is a directory: name one transcript.`);
}
