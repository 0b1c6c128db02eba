import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkSize, linesOf, textOf } from "./bytes.ts";
import { type Conversation, type JsonObject, NoConversation, TranscriptError } from "./transcripts/conversation.ts";
import { conversationsOf, transcripts, transcriptsOfLines } from "./transcripts/detect.ts";

/** Files that may be transcripts. */
const NAMES = /(\.(jsonl?|ndjson|traj)|chat[.-]history\.md)(\.gz)?$/;
/** Folders that hold no transcripts, but thousands of other files. */
const ELSEWHERE = /(^|[/\\])(node_modules|\.[^/\\]+)[/\\]/;
const isLikely = (name: string) => NAMES.test(name) && !ELSEWHERE.test(name);
/** What stands for standard input. */
export const STDIN = "-";

export interface LoadOptions {
  /** What standard input held, where it is named. */
  readonly stdin?: Uint8Array | undefined;
  /** What is done to a text before it is read. */
  readonly clean?: ((text: string) => string) | undefined;
  /** Gets the records of a named file that holds no conversation by itself. */
  readonly other?: ((parts: readonly JsonObject[]) => void) | undefined;
}

/**
 * Reads what the command line names. What cannot be read, a whole file or a line of one, is skipped and reported.
 */
export function load(
  files: readonly string[],
  skipped: (reason: string) => void,
  { stdin = new Uint8Array(), clean = (text) => text, other }: LoadOptions = {},
): Conversation[] {
  const found = files.flatMap((file) => {
    if (file === STDIN) return attempt({ file: "standard input", bytes: () => stdin, skipped, clean });
    const path = locate(file);
    if (!statSync(path).isDirectory()) return attempt(ofFile(file, path, skipped, clean), other);
    // A folder holds other files as well: only what is broken is reported.
    const parts: JsonObject[] = [];
    const whole = namesIn(path).flatMap((name) => {
      const one = ofFile(name, join(path, name), skipped, clean);
      return attempt({ ...one, file: join(file, name) }, (found) => parts.push(...found));
    });
    return [...whole, ...together(file, parts)];
  });
  if (found.length === 0) throw new TranscriptError(`No conversation was found in ${files.join(", ")}.`);
  return found;
}

/** What a folder holds that may be a transcript, by name. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isLikely).sort();
}

/** Chats whose parts lie in files of their own. */
export function together(folder: string, parts: readonly JsonObject[]): Conversation[] {
  try {
    return parts.length > 0 ? conversationsOf({ file: folder, values: parts }) : [];
  } catch (error) {
    if (error instanceof NoConversation) return [];
    throw error;
  }
}

/** All of standard input. */
export async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    bytes += chunk.length;
    checkSize("standard input", bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function read(file: string, path: string): Uint8Array {
  checkSize(file, statSync(path).size);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new TranscriptError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

interface Attempt {
  readonly file: string;
  readonly skipped: (reason: string) => void;
  readonly clean: (text: string) => string;
  bytes(): Uint8Array;
  /** Its lines one after another, where it is better not to hold all of it. */
  lines?(): Iterable<string>;
}

/** Bytes from which on a file is read line by line. */
const LARGE = 16_000_000;

function ofFile(file: string, path: string, skipped: Attempt["skipped"], clean: Attempt["clean"]): Attempt {
  const isLarge = statSync(path).size >= LARGE;
  return {
    ...{ file, skipped, clean, bytes: () => read(file, path) },
    ...(isLarge && { lines: () => linesOf(path) }),
  };
}

/** Reads a file; of a folder's, `other` gets the records of those that hold no conversation by themselves. */
function attempt(
  { file, bytes, lines, skipped, clean }: Attempt,
  other?: (parts: readonly JsonObject[]) => void,
): Conversation[] {
  try {
    const found = lines && transcriptsOfLines(file, cleaned(lines(), clean), skipped);
    return found ?? transcripts(file, clean(textOf(file, bytes())), skipped);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    if (other && error instanceof NoConversation) other(error.parts);
    else skipped(error.message);
    return [];
  }
}

function* cleaned(lines: Iterable<string>, clean: (text: string) => string): Iterable<string> {
  for (const line of lines) yield clean(line);
}

/** npm runs scripts in the project's folder; a name may be meant from where the user stands. */
function locate(file: string): string {
  const candidates = [file, resolve(process.env.INIT_CWD ?? ".", file)];
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new TranscriptError(`${file} does not exist.`);
  return found;
}
