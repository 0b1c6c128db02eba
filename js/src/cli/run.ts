import { existsSync } from "node:fs";
import { load, PrecisError } from "precis";
import { given, UsageError } from "./arguments.ts";
import { type Command, EXIT, helpOf } from "./command.ts";
import { notice, print } from "./print.ts";
import { TranscriptError } from "./transcripts/conversation.ts";

/** Of the package; set by the build. */
declare const VERSION: string;

/** Runs the command that the arguments name, and leaves its exit code to the process. */
export function main(commands: readonly Command[], args: readonly string[]): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // Whoever read this has seen enough.
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  run(commands, args).then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.exitCode = failed(error, commands, args);
    },
  );
}

/** Says what went wrong and what to do; returns the exit code. */
function failed(error: unknown, commands: readonly Command[], [name]: readonly string[]): number {
  const isOurs = error instanceof PrecisError && /^engine-/.test(error.code);
  const isRefusal = error instanceof UsageError || error instanceof TranscriptError || error instanceof PrecisError;
  if (isOurs || !isRefusal) {
    notice("precis failed because of a bug. Please report it with this:");
    console.error(error);
    return EXIT.broken;
  }
  notice(error instanceof PrecisError ? `${error.code}: ${error.advice}` : error.message);
  if (error instanceof UsageError) {
    const named = commands.some((command) => command.name === name);
    notice(`More: precis ${named ? `${name} ` : ""}--help`);
  }
  return EXIT.unread;
}

async function run(commands: readonly Command[], [name = "--help", ...rest]: readonly string[]): Promise<number> {
  if (name === "--version" || name === "-v") return said(VERSION);
  if (name === "--help" || name === "-h" || name === "help") {
    const asked = commands.find((command) => command.name === rest[0]);
    return said(asked ? helpOf(asked) : overview(commands));
  }
  const command = commands.find((one) => one.name === name);
  if (!command) throw new UsageError(unknown(name, commands));
  const parsed = given(rest, command.options);
  if (parsed.flag("help")) return said(helpOf(command));
  // Meters count roughly until the engine is there.
  await load();
  return command.run(parsed);
}

function said(text: string): number {
  print(text);
  return 0;
}

function unknown(name: string, commands: readonly Command[]): string {
  if (existsSync(name))
    return `"${name}" is a file, not a command. Name a command first, for example: precis inspect ${name}`;
  return `There is no command "${name}". The commands are ${commands.map((command) => command.name).join(", ")}.`;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "precis COMMAND [options]",
    "",
    "Shows what fills the context window of recorded chats, and how precis compacts them. Works offline.",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    "",
    "precis COMMAND --help lists the options of one. FILE is a transcript (- is standard input), plain or",
    "with gzip, of providers' APIs, coding agents (Claude Code, Codex, opencode, Gemini CLI, Cline, …),",
    "exports (ChatGPT, Claude.ai, …) and traces (LangSmith, Langfuse, OpenTelemetry). It is detected.",
    "",
    "Results go to standard output, everything else to standard error. Exit codes:",
    "  0  done",
    "  1  done, with findings: a request that does not fit, or messages that a provider would refuse",
    "  2  wrong options, or input that cannot be read, even if only some of its lines",
    "  3  done, but the summarizer failed, and a digest written by code took its place",
    "  70 a bug in precis",
  ].join("\n");
}
