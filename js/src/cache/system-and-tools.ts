/**
 * What every request carries besides its messages: the system prompt and the tools.
 */
import { digest } from "../boundary/digest.ts";
import { Collector, Comparer, type Leaves, type Listener } from "../boundary/message-stamp.ts";

/** A record, and what could not be counted in it. */
export interface Fixed {
  readonly record: Uint32Array;
  /** Tools whose schema cannot be read. */
  readonly uncounted: number;
  readonly guessed: boolean;
}

interface Kept extends Fixed {
  readonly leaves: Leaves;
}

/** Says what a prompt or a set of tools holds; returns how much of it cannot be counted. */
type Read = (value: unknown, to: Listener) => number;

/** Texts kept; a program has few prompts. */
const MOST_TEXTS = 16;

/** Reads system prompts and tools, each once as long as it does not change. */
export class FixedMemory {
  private readonly objects = new WeakMap<object, Kept>();
  private readonly texts = new Map<string, Fixed>();

  constructor(
    private readonly estimator: string,
    private readonly counter: ((text: string) => number) | null,
  ) {}

  /** A prompt: text, blocks with text, messages with content, or a list of these. Null if there is none. */
  system(value: unknown): Fixed | null {
    if (value === undefined || value === null) return null;
    if (typeof value !== "string") return typeof value === "object" ? this.object(value, readSystem, "system") : null;
    let known = this.texts.get(value);
    if (!known) {
      known = this.read(value, readSystem, "system");
      if (this.texts.size >= MOST_TEXTS) this.texts.clear();
      this.texts.set(value, known);
    }
    return known;
  }

  /** Tools: a list as the providers' APIs take it, or the AI SDK's record by name. Null if there are none. */
  tools(value: unknown): Fixed | null {
    return typeof value === "object" && value !== null ? this.object(value, readTools, "tools") : null;
  }

  private object(value: object, read: Read, path: string): Fixed {
    const known = this.objects.get(value);
    if (known) {
      const comparer = new Comparer();
      comparer.start(known.leaves);
      read(value, comparer);
      if (comparer.finish()) return known;
    }
    const kept = this.read(value, read, path);
    this.objects.set(value, kept);
    return kept;
  }

  private read(value: unknown, read: Read, path: string): Kept {
    const collector = new Collector();
    collector.start();
    const uncounted = read(value, collector);
    const leaves = collector.finish();
    const [digested] = digest([{ leaves, path }], this.estimator, this.counter);
    return { leaves, uncounted, record: new Uint32Array(0), guessed: false, ...digested };
  }
}

const readSystem: Read = (value, to) => {
  to.role("system");
  let part = 0;
  const blocks = (value: unknown, depth: number): void => {
    if (typeof value === "string") to.text(part++, value);
    else if (Array.isArray(value) && depth < 4) for (const block of value) blocks(block, depth + 1);
    else if (typeof value === "object" && value !== null) {
      const { text, content } = value as { text?: unknown; content?: unknown };
      if (typeof text === "string") to.text(part++, text);
      else if (content !== undefined && depth < 4) blocks(content, depth + 1);
      else to.opaque(value);
    }
  };
  blocks(value, 0);
  return 0;
};

const readTools: Read = (value, to) => {
  to.role("system");
  let uncounted = 0;
  if (Array.isArray(value)) {
    for (const tool of value) uncounted += readTool("", tool, to);
  } else {
    const tools = value as Record<string, unknown>;
    for (const name of Object.keys(tools)) uncounted += readTool(name, tools[name], to);
  }
  return uncounted;
};

/** Answers how many schemas cannot be read: Gemini has several tools in one. */
function readTool(key: string, value: unknown, to: Listener): number {
  if (typeof value !== "object" || value === null) return 0;
  const outer = value as Record<string, unknown>;
  const declared = outer.functionDeclarations ?? outer.function_declarations;
  if (Array.isArray(declared)) return declared.reduce<number>((sum, one) => sum + readTool("", one, to), 0);
  const inner = outer.function ?? outer.custom;
  const tool = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : outer;
  const name = text(tool.name) || key;
  const description = text(tool.description);
  const schema = tool.parameters ?? tool.parametersJsonSchema ?? tool.input_schema ?? tool.inputSchema ?? tool.format;
  if (schema === undefined) {
    // A provider's own tool: what it is set to is all there is to see. A custom tool of OpenAI's takes plain text.
    to.tool(name, description, outer.args ?? null);
    return 0;
  }
  const readable = plainSchema(schema);
  to.tool(name, description, readable);
  return readable === null ? 1 : 0;
}

/** A JSON schema out of what tools are declared with, null for a validator that does not show one. */
function plainSchema(schema: unknown): unknown {
  if (typeof schema === "function" ? !("~standard" in schema) : typeof schema !== "object" || schema === null)
    return null;
  const { jsonSchema, "~standard": standard } = schema as { jsonSchema?: unknown; "~standard"?: unknown };
  if (typeof jsonSchema === "object" && jsonSchema !== null) return "then" in jsonSchema ? null : jsonSchema;
  if (standard) return shown(schema as object, standard);
  return jsonSchema !== undefined || "_def" in (schema as object) ? null : schema;
}

/** What validators have shown: asking takes long, and each answer is another object. */
const known = new WeakMap<object, unknown>();

/** The JSON schema of a validator that follows the standard for showing one, as zod does from 4.2 on; else null. */
function shown(schema: object, standard: unknown): unknown {
  let found = known.get(schema);
  if (found === undefined) {
    try {
      const { jsonSchema } = standard as { jsonSchema: { input(options: { target: string }): unknown } };
      found = jsonSchema.input({ target: "draft-07" });
    } catch {}
    found ??= null;
    known.set(schema, found);
  }
  return found;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
