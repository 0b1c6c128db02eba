import { parseArgs } from "node:util";
import type { Tuning } from "precis";

export interface Options {
  readonly files: readonly string[];
  readonly windows: readonly number[];
  readonly tune: Tuning;
  readonly json: boolean;
  readonly matrix: boolean;
  readonly strict: boolean;
  readonly help: boolean;
}

/** The command line asks for something that does not exist. */
export class UsageError extends Error {}

const SESSION = "tests/fixtures/pi-session/refactoring.jsonl";
const WINDOWS = [32_000, 64_000, 128_000];
/** The recorded sessions of the project; beside them lie files that are none. */
const MATRIX_FILES = "ai-sdk anthropic openai-chat pi-session provider-pairs swe-agent tau-bench"
  .split(" ")
  .map((folder) => `tests/fixtures/${folder}`);
const MATRIX_WINDOWS = [4_000, 8_000, 32_000, 200_000];

export const HELP = `npm run demo -- [FILE…] [options]

Replays recorded chats through context windows: before each recorded reply the compactor sees all messages so far.
No LLM and no key: summaries are made by code. Without a FILE: a coding session that comes with the project.

FILE  a transcript, or a directory of them, in any of these forms (detected):
      OpenAI chat, AI SDK, Anthropic, pi session, tau-bench, SWE-agent, mini-swe-agent

  --window N       tokens the model takes; repeat it or give a list: 16000,64k (default ${WINDOWS.join(",")})
  --strategy S     tail (default), full, sliding-window, last-tool-batch
  --preset P       contextguard
  --estimator E    lexical, bytes4
  --json           one JSON object a line for each conversation and window
  --matrix         one table: a line for each file, a column for each window (default ${MATRIX_WINDOWS.join(",")}); fails on any fault
  --strict         ends at the first line or file that cannot be read, instead of skipping it (exit code 2 either way)
  --help
`;

export function options(args: readonly string[]): Options {
  const { values, positionals } = parsed(args);
  const matrix = values.matrix ?? false;
  const tune: Record<string, unknown> = {};
  if (values.strategy !== undefined) tune.strategy = values.strategy;
  if (values.preset !== undefined) tune.preset = values.preset;
  if (values.estimator !== undefined) tune.tokens = { estimator: values.estimator };
  return {
    files: positionals.length ? positionals : matrix ? MATRIX_FILES : [SESSION],
    windows: values.window?.flatMap((list) => list.split(",").map(tokens)) ?? (matrix ? MATRIX_WINDOWS : WINDOWS),
    tune: tune as Tuning,
    json: values.json ?? false,
    matrix,
    strict: values.strict ?? false,
    help: values.help ?? false,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        window: { type: "string", multiple: true },
        strategy: { type: "string" },
        preset: { type: "string" },
        estimator: { type: "string" },
        json: { type: "boolean" },
        matrix: { type: "boolean" },
        strict: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function tokens(text: string): number {
  const [, digits = "", unit = ""] = /^\s*(\d[\d_]*)([km]?)\s*$/i.exec(text) ?? [];
  const number = Number(digits.replaceAll("_", "")) * ({ k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
  if (!digits || number < 1)
    throw new UsageError(`--window takes a number of tokens such as 32000 or 32k, not "${text}".`);
  return number;
}
