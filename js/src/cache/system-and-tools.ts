/**
 * What every request carries besides its messages: the system prompt, the tools and other schemas. Of the declared tools
 * only their tokens and the hashes of their names cross the boundary, and the engine looks for one of them: `recall`.
 */

import { Collector, Comparer, type Leaves, type Listener } from "../boundary/message-stamp.ts";
import { makeRecords } from "../boundary/records.ts";
import { shownOf } from "./deferred.ts";

/** A record, and what could not be counted in it. */
export interface Fixed {
  readonly record: Uint32Array;
  /** Tools whose schema cannot be read. */
  readonly uncounted: number;
  readonly guessed: boolean;
}

/** Records as plain data. */
export interface Before {
  readonly system: readonly number[] | null;
  readonly tools: readonly number[] | null;
}

interface KeptFixed extends Fixed {
  readonly leaves: Leaves;
}

/** Says what a prompt or a set of tools holds; returns how much of it cannot be counted. */
type Read = (value: unknown, to: Listener) => number;

/** Texts kept; a program has few prompts. */
const MOST_TEXTS = 16;

/** Reads system prompts and tools, each once as long as it does not change. */
export class FixedMemory {
  private readonly objects = new WeakMap<object, KeptFixed>();
  private readonly texts = new Map<string, Fixed>();
  private others: FixedMemory | undefined;
  private last: { readonly system: Fixed | null; readonly tools: Fixed | null; readonly before: Before } | undefined;
  private readonly joints = new WeakMap<Fixed, { readonly one: Fixed; readonly both: Fixed }>();

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

  /**
   * Tools: a list as the providers' APIs take it, or the AI SDK's record by name. Null if there are none.
   *
   * @param loaded - returns the names of deferred tools that the model sees by now; asked only if there are any.
   */
  tools(value: unknown, loaded: () => ReadonlySet<string>): Fixed | null {
    if (typeof value !== "object" || value === null) return null;
    const names = hasDeferred(value) ? loaded() : NONE_LOADED;
    return this.object(value, (tools, to) => readTools(tools, to, names), "tools");
  }

  /** Other schemas of the request, such as that of its reply: an object, or a list of some. Null if there are none. */
  schemas(value: unknown): Fixed | null {
    return typeof value === "object" && value !== null ? this.object(value, readSchemas, "schemas") : null;
  }

  /**
   * What thinking may be bound to, where that is less than what is counted: the system prompt without other schemas, and the
   * tools without those that were loaded meanwhile. Undefined where it is the same; the same object as long as neither changes.
   */
  before(system: Fixed | null, tools: unknown, schemas: Fixed | null): Before | undefined {
    const isDeferring = typeof tools === "object" && tools !== null && hasDeferred(tools);
    if (!schemas && !isDeferring) return undefined;
    this.others ??= new FixedMemory(this.estimator, this.counter);
    const declared = this.others.tools(tools, () => NONE_LOADED);
    const { last } = this;
    if (last && last.system === system && last.tools === declared) return last.before;
    const list = (fixed: Fixed | null) => fixed && Array.from(fixed.record);
    const before = { system: list(system), tools: list(declared) };
    this.last = { system, tools: declared, before };
    return before;
  }

  /** Both as one: the same object each time, as long as neither changes. */
  joined(one: Fixed | null, other: Fixed | null): Fixed | null {
    if (!one || !other) return one ?? other;
    let known = this.joints.get(other);
    if (known?.one !== one) {
      const record = new Uint32Array([...one.record, ...other.record]);
      const guessed = one.guessed || other.guessed;
      known = { one, both: { record, uncounted: one.uncounted + other.uncounted, guessed } };
      this.joints.set(other, known);
    }
    return known.both;
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

  private read(value: unknown, read: Read, path: string): KeptFixed {
    const collector = new Collector();
    collector.start();
    const uncounted = read(value, collector);
    const leaves = collector.finish();
    // One message, so its record is all there is.
    const [found] = makeRecords([{ leaves, path }], this.estimator, this.counter);
    return { leaves, uncounted, record: found?.words ?? new Uint32Array(0), guessed: found?.guessed ?? false };
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

const NONE_LOADED: ReadonlySet<string> = new Set();

/** The tools in a list, or in a record by name. */
const each = (tools: object): readonly (readonly [name: string, tool: unknown])[] =>
  Array.isArray(tools) ? tools.map((tool) => ["", tool] as const) : Object.entries(tools);

/** What else a tool holds: Gemini has several in one, OpenAI has namespaces. */
function inside({ functionDeclarations, function_declarations, type, tools }: Definition): readonly unknown[] | null {
  const declared = functionDeclarations ?? function_declarations;
  if (Array.isArray(declared)) return declared;
  return type === "namespace" && Array.isArray(tools) ? tools : null;
}

/** Whether any tool is not sent from the start. */
function hasDeferred(tools: object): boolean {
  return each(tools).some(([, tool]) => {
    if (!isDefinition(tool)) return false;
    const inner = inside(tool);
    return inner ? hasDeferred(inner) : shownOf(tool) !== "all";
  });
}

function readTools(value: unknown, to: Listener, loaded: ReadonlySet<string>): number {
  to.role("system");
  let uncounted = 0;
  for (const [name, tool] of each(value as object)) uncounted += readTool(name, tool, to, loaded, false);
  return uncounted;
}

type Definition = Readonly<Record<string, unknown>>;

const isDefinition = (value: unknown): value is Definition => typeof value === "object" && value !== null;

/** Returns how many schemas cannot be read. `isInside`: the tool stands in another one. */
function readTool(key: string, outer: unknown, to: Listener, loaded: ReadonlySet<string>, isInside: boolean): number {
  if (!isDefinition(outer)) return 0;
  const several = inside(outer);
  if (several) {
    const { name, description } = outer;
    if (name !== undefined) to.tool(text(name), text(description), null);
    return several.reduce<number>((sum, one) => sum + readTool("", one, to, loaded, name !== undefined), 0);
  }
  const inner = outer.function ?? outer.custom;
  const tool = isDefinition(inner) ? inner : outer;
  const name = text(tool.name) || key;
  const description = text(tool.description);
  const shown = loaded.has(name) ? "all" : shownOf(outer);
  if (shown === "nothing" || (shown === "name" && isInside)) return 0;
  if (shown === "name") {
    to.tool(name, description, null);
    return 0;
  }
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

/** Schemas as they are sent, or as a validator shows them. One that shows none is counted as not readable. */
const readSchemas: Read = (value, to) => {
  to.role("system");
  let uncounted = 0;
  for (const schema of Array.isArray(value) ? value : [value]) {
    const readable = plainSchema(schema);
    if (readable === null) uncounted += 1;
    else to.opaque(readable);
  }
  return uncounted;
};

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
