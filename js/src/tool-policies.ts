/**
 * The policies of tools as the engine takes them: by name, also where the host gave a function. Internal.
 */
import { Leaf, type Leaves } from "./boundary/message-stamp.ts";
import type { ToolPolicies, ToolPolicy } from "./types.ts";

type ByName = Record<string, ToolPolicy | undefined>;

/** What a function returned, by the names it was asked for. */
interface Answers {
  readonly of: (tool: { readonly name: string }) => ToolPolicy | undefined;
  readonly known: Map<string, ToolPolicy>;
  /** What the last call was given: for the same names the next one is given the same object. */
  last: { readonly names: ReadonlySet<string>; readonly data: ByName };
}

/** Names whose policy is remembered, of each function. */
const MOST_NAMES = 1_000;

/** Reads the policies of one compactor's calls: of a function those of the tools that a call's messages name, and no others. */
export class ToolPolicyReader {
  private readonly answers = new WeakMap<object, Answers>();
  private readonly merged = new WeakMap<object, { own: unknown; data: ByName }>();

  /** `own`: those of the compactor's options. */
  constructor(private readonly own: ToolPolicies | undefined) {}

  /** Whether a function is asked, for these calls or for all. */
  asks(call: ToolPolicies | undefined): boolean {
    return typeof call === "function" || typeof this.own === "function";
  }

  /**
   * What is known without a look at the messages: enough where nothing is cut, cleared or covered. Of a function that is
   * nothing; see `takeFastPath` for what an earlier call was given.
   */
  known(call: ToolPolicies | undefined): unknown {
    return this.read(call, null);
  }

  /** Those of all tools that these messages call. */
  of(call: ToolPolicies | undefined, entries: readonly { readonly leaves: Leaves }[]): unknown {
    return this.read(call, this.asks(call) ? namesIn(entries) : null);
  }

  private read(call: ToolPolicies | undefined, names: ReadonlySet<string> | null): unknown {
    const own = typeof this.own === "function" ? this.ask(this.own, names) : undefined;
    const given = typeof call === "function" ? this.ask(call, names) : call;
    if (!own || !given || typeof given !== "object") return given ?? own;
    const before = this.merged.get(given);
    if (before?.own === own) return before.data;
    const data = { ...own, ...given };
    this.merged.set(given, { own, data });
    return data;
  }

  private ask(of: Answers["of"], names: ReadonlySet<string> | null): ByName {
    if (!names) return NOTHING_KNOWN;
    let answers = this.answers.get(of);
    if (!answers) {
      answers = { of, known: new Map(), last: { names: new Set(), data: NOTHING_KNOWN } };
      this.answers.set(of, answers);
    }
    const { known, last } = answers;
    if (names.size === last.names.size && [...names].every((name) => last.names.has(name))) return last.data;
    if (known.size + names.size > MOST_NAMES) known.clear();
    const data = Object.fromEntries(Array.from(names, (name) => [name, policyOf(answers, name)]));
    answers.last = { names, data };
    return data;
  }
}

/** What is known of a function that was not asked. */
const NOTHING_KNOWN: ByName = {};

/** Asks once for each name, as long as it is remembered. */
function policyOf({ of, known }: Answers, name: string): ToolPolicy {
  let policy = known.get(name);
  if (!policy) {
    policy = of({ name }) ?? {};
    known.set(name, policy);
  }
  return policy;
}

/** How many operands follow each word. */
const OPERANDS: Readonly<Record<(typeof Leaf)[keyof typeof Leaf], number>> = {
  [Leaf.speaker]: 1,
  [Leaf.document]: 2,
  [Leaf.text]: 1,
  [Leaf.reasoning]: 1,
  [Leaf.call]: 3,
  [Leaf.result]: 3,
  [Leaf.media]: 3,
  [Leaf.opaque]: 1,
  [Leaf.tool]: 3,
  [Leaf.asked]: 2,
  [Leaf.approved]: 2,
  [Leaf.compaction]: 2,
};

/** The names of the tools that messages call. */
function namesIn(entries: readonly { readonly leaves: Leaves }[]): Set<string> {
  const names = new Set<string>();
  for (const { leaves } of entries) {
    for (let at = 1; at < leaves.length; ) {
      const kind = ((leaves[at] as number) & 15) as keyof typeof OPERANDS;
      if (kind === Leaf.call) names.add(leaves[at + 2] as string);
      at += 1 + OPERANDS[kind];
    }
  }
  return names;
}
