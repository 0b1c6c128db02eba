import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "./arguments.ts";

/** Refuses a file that cannot be written before any work is done; `-` is standard output. */
export function checkTarget(file: string, force: boolean): void {
  if (file === "-") return;
  const folder = dirname(file);
  if (!existsSync(folder)) throw new UsageError(`${file} cannot be written: there is no folder ${folder}.`);
  const there = existsSync(file);
  if (!allowed(there ? file : folder)) throw new UsageError(`${file} cannot be written: permission is denied.`);
  if (!there) return;
  const found = statSync(file);
  if (found.isDirectory()) throw new UsageError(`${file} is a directory: name a file to write.`);
  if (found.isFile() && !force) throw new UsageError(`${file} already exists: --force overwrites it.`);
}

function allowed(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes a file as a whole, or standard output. */
export function save(file: string, text: string, force: boolean): void {
  checkTarget(file, force);
  if (file === "-") {
    process.stdout.write(text);
    return;
  }
  try {
    const target = existsSync(file) ? realpathSync(file) : file;
    const { mode } = existsSync(target) ? statSync(target) : {};
    if (mode !== undefined && !statSync(target).isFile()) writeFileSync(target, text);
    else replace(target, text, mode);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** The old file stays whole until the new one is. */
function replace(target: string, text: string, mode: number | undefined): void {
  // A name that nobody can foresee, and a file that must not be there: no link that somebody planted is followed.
  const made = `${target}.${randomUUID()}.tmp`;
  try {
    writeFileSync(made, text, { flag: "wx", ...(mode === undefined ? {} : { mode }) });
    renameSync(made, target);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}
