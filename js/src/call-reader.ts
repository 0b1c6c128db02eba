/**
 * A call as it is read: what the engine is given of its messages, prompt and tools. Internal.
 */
import { enter } from "./boundary/engine.ts";
import type { CallInput, Given } from "./boundary/glue.ts";
import type { Rest } from "./cache/chat.ts";
import { loadedBy } from "./cache/deferred.ts";
import type { Entry } from "./cache/entry.ts";
import { type History, NOWHERE } from "./cache/history.ts";
import { Memory } from "./cache/read.ts";
import { FixedMemory } from "./cache/system-and-tools.ts";
import { CallHost } from "./call-host.ts";
import { hashOfChat } from "./chat-name.ts";
import { type COMPACT, PASSED } from "./contract.ts";
import { isSameCall } from "./fast-path.ts";
import { refusalOf } from "./options.ts";
import { wrongFormat } from "./shapes.ts";
import { inSlices } from "./slices.ts";
import { ToolPolicyReader } from "./tool-policies.ts";
import type { CompactorOptions, ModelCall } from "./types.ts";

/** What a call may ask for beside what its messages need. */
export type More = Pick<CallInput, "compact" | keyof typeof COMPACT>;

/** Not left alone yet. */
type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** A call that was read: what the engine is given of it. */
export interface ReadCall<Base, M extends Base> {
  readonly input: CallInput;
  readonly messages: readonly M[];
  readonly memory: Memory<Base>;
  readonly history: History;
  readonly given: Partial<ModelCall<M>>;
}

/** All of it, where there is no fast path: a private snapshot. */
export interface HeldCall<Base, M extends Base> extends ReadCall<Base, M> {
  readonly entries: readonly Entry[];
  readonly records: Uint32Array;
  readonly flags: Uint8Array;
}

/** What reads messages, and what reads prompts and tools, for one estimator. */
interface Reader<Base> {
  readonly memory: Memory<Base>;
  readonly fixed: FixedMemory;
}

/** New messages that are worth a pause. */
const LONG = 100;

/** Ids of models whose reader is remembered. */
const MOST_MODELS = 64;

/** Reads the calls of one compactor. */
export class CallReader<Base> {
  private readonly readers = new Map<string, Reader<Base>>();
  private readonly models = new Map<string | undefined, Reader<Base>>();
  private readonly first: Reader<Base>;
  private readonly policies: ToolPolicyReader;

  /** `plain`: the options as plain data. `estimator`: the one of calls that name no model. */
  constructor(
    private readonly options: CompactorOptions<Base>,
    readonly plain: unknown,
    estimator: string,
  ) {
    this.first = this.reader(estimator);
    this.policies = new ToolPolicyReader(options.toolPolicy);
  }

  /** `more`: what is asked for besides; null if nothing is, and the fast path may be taken. */
  open<M extends Base>(call: ModelCall<M>, more: More | null = {}): ReadCall<Base, M> {
    const { format } = this.options;
    const given: Partial<ModelCall<M>> = call ?? {};
    const { memory, fixed } = this.readerFor(given.model);
    // Whether a deferred tool is sent depends on what was said.
    const leaves = () =>
      memory
        .history(given.messages)
        .entries.slice(0, given.messages?.length)
        .map((one) => one.leaves);
    const input = this.input(given, fixed, more, () => loadedBy(leaves()));
    const isShort = (rest: Rest) => isSameCall(rest, input);
    const history = memory.history(given.messages, more || format.id ? undefined : isShort);
    const messages = given.messages as readonly M[];
    const refused = history.misread > 0 ? wrongFormat(messages, history.misread, format) : null;
    if (refused) throw refused;
    input.unreadable = history.unreadable;
    if (history.guessed) input.counterFailed = true;
    if (format.id) input.ids = messages.map((message) => format.id?.(message) ?? null);
    return { input, messages, memory, history, given };
  }

  /**
   * Reads what is new of a long history in slices. Resolves to the call as it is: the host may change it meanwhile. Null where
   * there is little to read: then nothing is waited for. What is wrong with its messages is for {@link open} to say.
   */
  ahead<M extends Base>(call: ModelCall<M>, slice: number): Promise<ModelCall<M>> | null {
    const { messages, model, signal } = call ?? {};
    if (!Array.isArray(messages) || messages.length < LONG) return null;
    const { memory } = this.readerFor(model);
    const own = messages.slice() as readonly M[];
    let at = 0;
    try {
      const { from, count } = memory.unread(own);
      if (count < LONG) return null;
      at = from;
    } catch {
      return null;
    }
    const given = { ...call, messages: own };
    const step = () => {
      try {
        at = memory.readAhead(own, at);
        return at < own.length;
      } catch {
        return false;
      }
    };
    return inSlices(slice, signal, step).then(() => given);
  }

  /** The same, out of reach of others: while the call waits, the host may add messages, and another call read more. */
  keep<M extends Base>(opened: ReadCall<Base, M>): HeldCall<Base, M> {
    const { history, given } = opened;
    const { length } = opened.messages;
    const toolPolicy = this.policies.of(given.toolPolicy, history.entries.slice(0, length));
    return {
      ...opened,
      input: { ...opened.input, toolPolicy },
      messages: opened.messages.slice(),
      entries: history.entries.slice(0, length),
      records: history.records().slice(),
      flags: flagsOf(opened),
    };
  }

  /** What the engine may ask during one step of a call. */
  host<M extends Base>({ messages, memory, history, entries }: HeldCall<Base, M>): CallHost<Base, M> {
    return new CallHost(this.options.format, memory, messages, entries, history);
  }

  private input<M extends Base>(
    given: Partial<ModelCall<M>>,
    fixed: FixedMemory,
    more: More | null,
    loaded: () => ReadonlySet<string>,
  ): Writable<CallInput> {
    const { format, contextWindow, trigger } = this.options;
    const { chat, model } = given;
    const passed: Writable<Given> = {};
    for (const name of PASSED) passed[name] = given[name];
    const schemas = fixed.schemas(given.schemas);
    const prompt = fixed.system(given.system);
    const system = fixed.joined(prompt, schemas);
    const tools = fixed.tools(given.tools, loaded);
    return {
      ...passed,
      ...more,
      options: this.plain,
      window: typeof contextWindow === "function" ? contextWindow(model) : contextWindow,
      chat: typeof chat === "string" ? hashOfChat(chat) : undefined,
      toolPolicy: this.policies.known(given.toolPolicy),
      asksPolicies: this.policies.asks(given.toolPolicy) ? true : undefined,
      policies: given.toolPolicy,
      trigger: given.trigger ?? (typeof trigger === "function" ? trigger(model) : undefined),
      overflow: refusalOf(given.overflow),
      system: system?.record ?? null,
      tools: tools?.record ?? null,
      uncountedTools: (tools?.uncounted ?? 0) + (schemas?.uncounted ?? 0),
      unreadable: NOWHERE,
      counterFailed: system?.guessed || tools?.guessed ? true : undefined,
      ids: undefined,
      strict: format.alternation === "strict" && format.merge ? true : undefined,
      opensWithUser: format.opening === "user" ? true : undefined,
      continues: format.continues ? true : undefined,
      takesEmpty: format.takesEmpty ? true : undefined,
      leavesOut: format.without ? true : undefined,
      before: fixed.before(prompt, given.tools, schemas),
      signsFreely: format.thinking === "free" ? true : undefined,
      asking: undefined,
    };
  }

  /** What reads and remembers for one estimator. */
  private reader(estimator: string): Reader<Base> {
    let found = this.readers.get(estimator);
    if (!found) {
      const { format, tune } = this.options;
      const own = tune?.tokens?.estimator;
      const counter = typeof own === "function" ? own : null;
      found = { memory: new Memory(format, estimator, counter), fixed: new FixedMemory(estimator, counter) };
      this.readers.set(estimator, found);
    }
    return found;
  }

  /** Models of one tokenizer family share a reader. */
  private readerFor(model: string | undefined): Reader<Base> {
    if (typeof model !== "string") return this.first;
    let found = this.models.get(model);
    if (!found) {
      found = this.reader(enter((glue) => glue.validate(this.plain, model)));
      if (this.models.size >= MOST_MODELS) this.models.clear();
      this.models.set(model, found);
    }
    return found;
  }
}

const PINNED = 1;
const TYPED_IS_KNOWN = 2;
const TYPED = 4;

function flagsOf<Base, M extends Base>({ messages, given: { pin, isTyped } }: ReadCall<Base, M>): Uint8Array {
  const flags = new Uint8Array(messages.length);
  if (!pin && !isTyped) return flags;
  messages.forEach((message, index) => {
    const pinned = pin?.(message, index) ? PINNED : 0;
    const typed = isTyped ? TYPED_IS_KNOWN | (isTyped(message, index) ? TYPED : 0) : 0;
    flags[index] = pinned | typed;
  });
  return flags;
}
