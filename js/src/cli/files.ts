import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkSize, textOf } from "./bytes.ts";
import { type Conversation, NoConversation, TranscriptError } from "./transcripts/conversation.ts";
import { transcripts } from "./transcripts/detect.ts";

/** Files that may be transcripts. */
const NAMES = /(\.(jsonl?|ndjson|traj)|chat[.-]history\.md)(\.gz)?$/;
/** Folders that hold no transcripts, but thousands of other files. */
const ELSEWHERE = /(^|[/\\])(node_modules|\.[^/\\]+)[/\\]/;
const isLikely = (name: string) => NAMES.test(name) && !ELSEWHERE.test(name);
/** What stands for standard input. */
export const STDIN = "-";

/**
 * Reads what the command line names. What cannot be read, a whole file or a line of one, is skipped and reported.
 * `stdin` is what standard input held, where it is named.
 */
export function load(
  files: readonly string[],
  skipped: (reason: string) => void,
  stdin: Uint8Array = new Uint8Array(),
): Conversation[] {
  const found = files.flatMap((file) => {
    if (file === STDIN) return attempt("standard input", () => stdin, skipped);
    const path = locate(file);
    if (!statSync(path).isDirectory()) return attempt(file, () => read(file, path), skipped);
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter(isLikely);
    // A folder holds other files as well: only what is broken is reported.
    return names.sort().flatMap((name) => attempt(join(file, name), () => read(name, join(path, name)), skipped, true));
  });
  if (found.length === 0) throw new TranscriptError(`No conversation was found in ${files.join(", ")}.`);
  return found;
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

function attempt(
  file: string,
  bytes: () => Uint8Array,
  skipped: (reason: string) => void,
  mayBeOther = false,
): Conversation[] {
  try {
    return transcripts(file, textOf(file, bytes()), skipped);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    if (!(mayBeOther && error instanceof NoConversation)) skipped(error.message);
    return [];
  }
}

/** npm runs scripts in the project's folder; a name may be meant from where the user stands. */
function locate(file: string): string {
  const candidates = [file, resolve(process.env.INIT_CWD ?? ".", file)];
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new TranscriptError(`${file} does not exist.`);
  return found;
}
