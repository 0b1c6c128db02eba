import type { Given, Options } from "./arguments.ts";

/** How a command ended; said in `precis --help` and in docs/cli.md. */
export const EXIT = {
  /** Done, nothing to object to. */
  done: 0,
  /** Done, and something was found: what a provider would refuse, a request that does not fit. */
  found: 1,
  /** Wrong options, or input that cannot be read, wholly or in part. */
  unread: 2,
  /** The summarizer failed; a digest by code took the place of its summary. */
  fallback: 3,
  /** A mistake of this program. */
  broken: 70,
} as const;

/** One word of the command line. */
export interface Command {
  readonly name: string;
  /** What stands behind the name: `FILE [options]`. */
  readonly usage: string;
  /** One line, for the list of all commands. */
  readonly summary: string;
  /** What its own help adds, at most a few lines of up to 100 columns. */
  readonly about: readonly string[];
  readonly options: Options;
  /** Returns the exit code. */
  run(given: Given): Promise<number>;
}

/** What `--help` prints of one command. */
export function helpOf({ name, usage, summary, about, options }: Command): string {
  const rows = Object.entries(options).map(([option, { short, value, help }]) => {
    const names = `${short ? `-${short}, ` : ""}--${option}${value ? ` ${value}` : ""}`;
    return [names, help] as const;
  });
  const width = Math.max(...rows.map(([names]) => names.length));
  const listed = rows.map(([names, help]) => `  ${names.padEnd(width)}  ${help}`);
  return [`precis ${name} ${usage}`, "", summary, ...about, "", ...listed].join("\n");
}
