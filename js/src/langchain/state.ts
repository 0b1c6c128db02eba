/**
 * The state of a chat as a member of a LangGraph state, and what LangGraph recognizes by its structure.
 */
import type { SessionState } from "precis";

/** Private to the middleware: neither an input nor an output of the graph, and kept in its checkpoints. */
export const KEY = "_precis";

/** Of any values the one that is ours. */
function own(values: unknown): Readonly<Record<string, unknown>> {
  const kept = (values as Readonly<Record<string, unknown>> | null | undefined)?.[KEY];
  return kept === undefined ? {} : { [KEY]: kept };
}

/** A value of any kind: what LangGraph needs is in the standard for schemas, what LangChain asks for is named as in zod. */
const ANYTHING = {
  _def: { typeName: "ZodAny" },
  "~standard": { version: 1, vendor: "precis", validate: (value: unknown) => ({ value }) },
  optional(): unknown {
    return this;
  },
};

/** The schema of a state with one member, as far as LangChain uses it: an object in the form of zod 3, which no longer changes. */
export const STATE_SCHEMA: object = {
  _def: { typeName: "ZodObject" },
  shape: { [KEY]: ANYTHING },
  extend(): unknown {
    return this;
  },
  partial(): unknown {
    return this;
  },
  parse: own,
  parseAsync: async (values: unknown) => own(values),
  safeParse: (values: unknown) => ({ success: true, data: own(values) }),
  safeParseAsync: async (values: unknown) => ({ success: true, data: own(values) }),
};

/** A `Command` of LangGraph that changes the state and nothing else. */
export class StateUpdate {
  readonly lg_name = "Command";
  readonly lc_direct_tool_output = true;
  readonly goto: readonly string[] = [];
  readonly graph = undefined;
  readonly resume = undefined;
  readonly update: Readonly<Record<string, SessionState>>;

  constructor(state: SessionState) {
    this.update = { [KEY]: state };
  }

  /** What LangGraph asks a command for. */
  _updateAsTuples(): [string, SessionState][] {
    return Object.entries(this.update);
  }

  toJSON(): object {
    const { lg_name, update, goto } = this;
    return { lg_name, update, goto };
  }
}
