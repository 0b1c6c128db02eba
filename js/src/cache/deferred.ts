/**
 * Tools that are declared and not sent: the provider, or the SDK, shows a definition to the model once a search has found it.
 * Such a tool counts as much as its provider shows of it, until the history names it in a `tool_reference`, in what a search
 * returned, or in a call. One whose definition stands in the history counts there.
 */
import { Leaf, type Leaves } from "../boundary/message-stamp.ts";

/** How much of a definition the model sees from the start. */
export type Shown = "all" | "name" | "nothing";

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null;

/**
 * How much of a tool the model sees before it has looked for it. OpenAI shows name and description of a function that is in
 * no namespace; the others show nothing.
 */
export function shownOf(tool: Members): Shown {
  const { type, function: inner, providerOptions } = tool;
  if (
    !defers(tool) &&
    !(isObject(inner) && defers(inner)) &&
    !(isObject(providerOptions) && isDeferredBy(providerOptions))
  )
    return "all";
  const isOpenAI =
    (type === "function" && !isObject(inner)) || (isObject(providerOptions) && isObject(providerOptions.openai));
  return isOpenAI ? "name" : "nothing";
}

const defers = ({ defer_loading, deferLoading }: Members): boolean => defer_loading === true || deferLoading === true;

function isDeferredBy(providers: Members): boolean {
  return Object.values(providers).some((options) => isObject(options) && defers(options));
}

/** What a message says of tools: names in calls and in what searches returned, and those that it defines itself. */
interface Mentions {
  readonly named: readonly string[];
  readonly defined: readonly string[];
}

const NOTHING: Mentions = { named: [], defined: [] };

/** Found once for each message. */
const known = new WeakMap<Leaves, Mentions>();

/** Names of the tools that a history has loaded, or may have. */
export function loadedBy(messages: Iterable<Leaves>): ReadonlySet<string> {
  const loaded = new Set<string>();
  const defined = new Set<string>();
  for (const leaves of messages) {
    let mentions = known.get(leaves);
    if (!mentions) {
      mentions = mentionsOf(leaves);
      known.set(leaves, mentions);
    }
    for (const name of mentions.named) loaded.add(name);
    for (const name of mentions.defined) defined.add(name);
  }
  // What stands in the history itself is counted there.
  for (const name of defined) loaded.delete(name);
  return loaded;
}

function mentionsOf(leaves: Leaves): Mentions {
  const named: string[] = [];
  const defined: string[] = [];
  for (let at = 1; at < leaves.length; at++) {
    const leaf = leaves[at];
    if (typeof leaf === "number" && (leaf & 15) === Leaf.call && typeof leaves[at + 2] === "string") {
      named.push(leaves[at + 2] as string);
      at += 3;
    } else if (isObject(leaf)) collect(leaf, named, defined, 0);
  }
  return named.length + defined.length > 0 ? { named, defined } : NOTHING;
}

/** Levels of a value that are looked through. */
const DEEPEST = 8;
/** Members by which searches name what they found. */
const NAMES = ["tool_name", "toolName", "name"] as const;

function collect(value: Members, named: string[], defined: string[], depth: number): void {
  if (depth > DEEPEST || ArrayBuffer.isView(value)) return;
  const isDefinition = isObject(value.parameters) || isObject(value.input_schema) || isObject(value.inputSchema);
  for (const key of NAMES) {
    const name = value[key];
    if (typeof name === "string") (isDefinition ? defined : named).push(name);
  }
  for (const member of Object.values(value)) if (isObject(member)) collect(member, named, defined, depth + 1);
}
