import { parseArgs } from "node:util";
import type { Tuning } from "precis";

/** The command line asks for something that does not exist. */
export class UsageError extends Error {}

/** One option of a command, as `--help` lists it. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  /** What stands for its value in the help. */
  readonly value?: string;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What a command was given, checked for the names of its options alone. */
export class Given {
  constructor(
    readonly files: readonly string[],
    private readonly values: Readonly<Record<string, unknown>>,
  ) {}

  flag(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.values[name];
    return typeof value === "string" ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.values[name];
    return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
  }

  /** A whole number from `least` on. */
  count(name: string, least: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text) || Number(text) < least)
      throw new UsageError(`--${name} takes a whole number from ${least} on, not "${text}".`);
    return Number(text);
  }

  /** The windows in `--window`, which takes lists; `otherwise` if there are none. */
  windows(otherwise: readonly number[]): readonly number[] {
    const asked = this.list("window").flatMap((list) => list.split(",").map((one) => tokens("window", one)));
    return asked.length > 0 ? asked : otherwise;
  }

  /** The one window in `--window`. */
  window(): number {
    const [window = DEFAULT_WINDOW, ...more] = this.windows([DEFAULT_WINDOW]);
    if (more.length > 0) throw new UsageError("--window takes one number here: run the command once for each.");
    return window;
  }

  /** The options of a compactor that the command line sets. */
  limits(contextWindow: number): { contextWindow: number; maxOutputTokens?: number; tune: Tuning } {
    const reply = this.text("reply");
    return {
      contextWindow,
      ...(reply !== undefined && { maxOutputTokens: tokens("reply", reply) }),
      tune: this.tune(),
    };
  }

  tune(): Tuning {
    const tune: Record<string, unknown> = {};
    for (const name of ["strategy", "preset"]) if (this.text(name) !== undefined) tune[name] = this.text(name);
    if (this.text("estimator") !== undefined) tune.tokens = { estimator: this.text("estimator") };
    return tune as Tuning;
  }
}

/** Used where none is given, and said so. */
export const DEFAULT_WINDOW = 128_000;

const WINDOW = { type: "string", multiple: true, value: "N" } as const;

/** Options that mean the same in every command that has them. */
export const COMMON = {
  window: { ...WINDOW, help: "tokens the model takes: 32000, 128k, 1m (default 128k)" },
  windows: { ...WINDOW, help: "tokens the model takes; repeat it or give a list: 16000,64k" },
  reply: { type: "string", value: "N", help: "the reply limit that is sent to the model, in tokens" },
  strategy: { type: "string", value: "S", help: "tail (default), full, sliding-window, last-tool-batch" },
  preset: { type: "string", value: "P", help: "contextguard" },
  estimator: { type: "string", value: "E", help: "lexical (default), bytes4" },
  conversation: {
    type: "string",
    value: "K",
    help: "which conversation of the file: its number, or a part of its name",
  },
  branch: { type: "string", value: "N", help: "which branch of it, from the newest, 1, on" },
  redact: { type: "boolean", help: "replace what looks like a key, a token or a password" },
  strict: { type: "boolean", help: "end at the first line or file that cannot be read" },
  json: { type: "boolean", help: "JSON on standard output, and nothing else" },
  help: { type: "boolean", short: "h", help: "this text" },
} as const satisfies Options;

/** Which conversation, and what is left out of it. */
export const CHOICE = {
  conversation: COMMON.conversation,
  branch: COMMON.branch,
  redact: COMMON.redact,
} as const satisfies Options;

/** What decides on the limits of a request. */
export const LIMITS = {
  reply: COMMON.reply,
  strategy: COMMON.strategy,
  preset: COMMON.preset,
  estimator: COMMON.estimator,
} as const satisfies Options;

/** Reads the arguments of a command. */
export function given(args: readonly string[], options: Options): Given {
  const known = Object.entries(options).map(([name, { type, short, multiple }]) => [
    name,
    { type, ...(short && { short }), ...(multiple && { multiple }) },
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(known),
    });
    return new Given(positionals, values);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** `32000`, `32_000`, `32k`, `1m`. */
export function tokens(name: string, text: string): number {
  const [, digits = "", unit = ""] = /^\s*(\d[\d_]*)([km]?)\s*$/i.exec(text) ?? [];
  const number = Number(digits.replaceAll("_", "")) * ({ k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
  if (!digits || number < 1)
    throw new UsageError(`--${name} takes a number of tokens such as 32000 or 32k, not "${text}".`);
  return number;
}
