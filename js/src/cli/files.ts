import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";
import { transcripts } from "./transcripts/detect.ts";

/** Reads what the command line names. What cannot be read, a whole file or a line of one, is skipped and reported. */
export function load(files: readonly string[], skipped: (reason: string) => void): Conversation[] {
  const found = files.flatMap((file) => {
    const path = locate(file);
    if (!statSync(path).isDirectory()) return attempt(file, path, skipped);
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(jsonl?|traj)$/.test(name),
    );
    return names.sort().flatMap((name) => attempt(join(file, name), join(path, name), skipped));
  });
  if (found.length === 0) throw new TranscriptError(`Nothing to replay: ${files.join(", ")} holds no conversation.`);
  return found;
}

function attempt(file: string, path: string, skipped: (reason: string) => void): Conversation[] {
  try {
    return transcripts(file, readFileSync(path, "utf8"), skipped);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    skipped(error.message);
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
