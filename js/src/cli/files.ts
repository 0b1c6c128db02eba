import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Conversation, TranscriptError } from "./transcripts/conversation.ts";
import { transcripts } from "./transcripts/detect.ts";

/** Reads what the command line names. Files inside a directory that are no transcripts are passed over and told; so are all, if `tolerant`. */
export function load(files: readonly string[], passedOver: (reason: string) => void, tolerant = false): Conversation[] {
  return files.flatMap((file) => {
    const path = locate(file);
    if (!statSync(path).isDirectory()) return attempt(file, path, tolerant ? passedOver : undefined);
    const names = readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(jsonl?|traj)$/.test(name),
    );
    const found = names.sort().flatMap((name) => attempt(join(file, name), join(path, name), passedOver));
    if (!found.length) throw new TranscriptError(`${file} holds no transcripts.`);
    return found;
  });
}

function attempt(file: string, path: string, passedOver: ((reason: string) => void) | undefined): Conversation[] {
  try {
    return transcripts(file, readFileSync(path, "utf8"));
  } catch (error) {
    if (!passedOver || !(error instanceof TranscriptError)) throw error;
    passedOver(error.message);
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
