import { type CompactNow, input, type ModelCall } from "precis";
import { schemaOf } from "./schema.ts";

/** What a run has for {@link compactTool}. */
export interface Compacting {
  /**
   * Has the next step compact before it sends anything, unless little is new since the last compaction: then nothing will
   * be done, and the reason says so.
   */
  compactNext(options?: CompactNextOptions): { readonly accepted: boolean; readonly reason: string };
}

/** The options of {@link Compacting.compactNext}. */
export interface CompactNextOptions extends CompactNow, Pick<ModelCall<never>, "keep"> {
  /** Who wrote `focus`. Default `"assistant"`, because it is tools that call this: what a model wrote is no wish of the user. */
  readonly focusBy?: "user" | "assistant" | undefined;
  /** Fewer new tokens than this are not worth it. Default: a tenth of the context window. */
  readonly minTokens?: number | undefined;
}

/** The options of {@link compactTool}. */
export interface CompactToolOptions extends Pick<CompactNextOptions, "keep" | "minTokens"> {
  /** The run of the call that has this tool. */
  readonly run: Compacting;
  /** What the model is told about the tool. */
  readonly description?: string | undefined;
}

/** A tool as the AI SDK takes it. */
export interface CompactTool {
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of a schema differs from version to version.
  readonly inputSchema: any;
  readonly execute: (given: { focus?: string }) => Promise<string>;
}

const COMPACT_TOOL: ReturnType<typeof input.table> = /* @__PURE__ */ input.table<CompactToolOptions>(
  {
    ...{ parameter: "options", code: "invalid-option", unknown: ["unknown-option", "option"] },
    owner: "the options of compactTool",
  },
  {
    run: {
      expected: "a run of `compaction`",
      fits: (value) => typeof (value as Partial<Compacting> | null)?.compactNext === "function",
    },
    ...{ keep: input.ANY, minTokens: /* @__PURE__ */ tokens(), description: input.TEXT },
  },
);

/** Who wrote a focus. */
const AUTHOR: typeof input.ANY = {
  expected: '"user" or "assistant"',
  fits: (value) => value === "user" || value === "assistant",
};

/** A number of tokens. */
function tokens(): typeof input.ANY {
  const fits = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
  return { expected: "a number of tokens, at least 0", fits };
}

const NEXT: ReturnType<typeof input.table> = /* @__PURE__ */ input.table<CompactNextOptions>(
  {
    ...{ parameter: "options", code: "invalid-call", unknown: ["invalid-call", "member"] },
    owner: "the options of run.compactNext",
  },
  { focus: input.TEXT, focusBy: AUTHOR, keep: input.ANY, minTokens: /* @__PURE__ */ tokens() },
);

/**
 * Checks the options of `compactNext`.
 *
 * @throws PrecisError naming the member that is wrong.
 */
export function checkNext(options: unknown): void {
  input.checkMembers(NEXT, options);
}

/**
 * A tool by which the model says that a task is done and its details are no longer needed: the step after it compacts. A
 * model that calls it again and again compacts no more often than there is something to gain; its answer says so.
 *
 * @throws PrecisError when an option is refused.
 */
export function compactTool(options: CompactToolOptions): CompactTool {
  input.checkMembers(COMPACT_TOOL, options);
  const { run, description, keep, minTokens } = options;
  if (!run) throw input.wrong("invalid-option", "run", "a run of `compaction`", run);
  return {
    description: description ?? DESCRIPTION,
    inputSchema: schemaOf(PARAMETERS),
    execute: async (given) => {
      const focus: unknown = (given as { focus?: unknown } | null | undefined)?.focus;
      const said = typeof focus === "string" && focus !== "" ? focus : undefined;
      return run.compactNext({ focus: said, focusBy: "assistant", keep, minTokens }).reason;
    },
  };
}

const DESCRIPTION =
  "Summarizes the conversation so far, to make room. Call it when a task is finished and its details are no longer needed, not in the middle of one.";

const PARAMETERS = {
  type: "object",
  properties: {
    focus: { type: "string", description: "What the summary must keep in detail, for what comes next." },
  },
  additionalProperties: false,
} as const;
