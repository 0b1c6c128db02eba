import { isWhole, leave } from "./boundary/engine.ts";
import type { Host, Outcome, TapeReading } from "./boundary/glue.ts";
import { into } from "./boundary/records.ts";
import { EngineTape } from "./boundary/tape.ts";
import { writeMessage } from "./boundary/write-message.ts";
import type { Made } from "./cache/chat.ts";
import type { Entry } from "./cache/entry.ts";
import type { History } from "./cache/history.ts";
import type { Memory } from "./cache/read.ts";
import { PrecisError } from "./errors.ts";
import type { Format } from "./format.ts";
import { quiet } from "./quiet.ts";
import type { CompactionEvent, NativeBlock } from "./types.ts";

/** Summaries of one chat that are kept to be found again. */
const MOST_MADE = 8;

/** In place of the id of a summary: a provider's own has none. */
const BLOCK = "block";

/** Where no index is kept. */
const NOWHERE = /* @__PURE__ */ new Uint8Array(0);

/** In the number of a part: it is to be left out. */
const LEFT_OUT = 2 ** 31;

/** What one call of the engine may ask, and the messages it has made. */
export class CallHost<Base, M extends Base> implements Host {
  /** Messages made in this call, in order. */
  readonly made: M[] = [];
  private readonly known = new Map<unknown, Made>();
  private tape: EngineTape | undefined;

  /** `history`: what is kept of this chat. */
  constructor(
    private readonly format: Format<Base>,
    private readonly memory: Memory<Base>,
    private readonly messages: readonly M[],
    private readonly entries: readonly Entry[],
    private readonly history: History,
  ) {}

  read(indices: Uint32Array, reading: TapeReading): void {
    leave(() => {
      this.tape ??= new EngineTape();
      this.tape.start(into(reading));
      try {
        for (const index of indices) writeMessage(this.tape, this.entries[index]?.leaves ?? [], null);
        this.tape.finish();
      } finally {
        // The memory of an instance that broke is gone with it.
        if (isWhole()) reading.free();
      }
    });
  }

  index(from: number, to: number): Uint8Array | undefined {
    const { indexes } = this.history;
    return indexes ? indexes.get(from, to) : NOWHERE;
  }

  keepIndex(from: number, to: number, index: Uint8Array): void {
    this.history.indexes?.keep(from, to, index);
  }

  summary(text: string, id: string, covers: number): Uint32Array {
    return leave(() => {
      const made = () => this.format.summary(text, { id, covers });
      return this.remembered({ text, id, covers }, made, "format.summary") as Uint32Array;
    });
  }

  block(block: NativeBlock): Uint32Array | undefined {
    return leave(() => {
      const made = () => this.format.block?.(block);
      return this.remembered({ text: JSON.stringify(block), id: BLOCK, covers: 0 }, made, "format.block");
    });
  }

  remade(index: number, key: string): Uint32Array | undefined {
    const known = this.memory.replaced(this.messages[index] as M & object);
    return known?.key === key ? leave(() => this.add(known.message)) : undefined;
  }

  replace(index: number, key: string, parts: Uint32Array, texts: string[]): Uint32Array {
    return leave(() => {
      const message = this.messages[index] as M & object;
      let copy: Base & object = message;
      const leftOut: number[] = [];
      texts.forEach((text, i) => {
        const part = parts[i] ?? 0;
        if (part >= LEFT_OUT) leftOut.push(part - LEFT_OUT);
        else copy = checked(this.format.replace(copy, part, text), "format.replace");
      });
      // Numbers are places: they hold until something is taken out.
      if (leftOut.length > 0) copy = checked(this.format.without?.(copy, leftOut), "format.without");
      this.memory.remember(message, { key, message: copy });
      return this.add(copy);
    });
  }

  result(index: number, id: string, name: string, text: string): Uint32Array | undefined {
    return leave(() => {
      const message = this.format.result?.(id, name, text, this.messages[index]);
      return message === undefined ? undefined : this.add(checked(message, "format.result"));
    });
  }

  merge([kind, at, otherKind, otherAt]: Uint32Array): Uint32Array {
    return leave(() => {
      const one = (kind: unknown, at = 0) => (kind === 1 ? this.made[at] : this.messages[at]) as M;
      const merged = this.format.merge?.(one(kind, at), one(otherKind, otherAt));
      return this.add(checked(merged, "format.merge"));
    });
  }

  /** What to send: the host's own messages, and those made in this call. */
  view({ view: triples }: Pick<Outcome, "view">): M[] {
    const view: M[] = [];
    for (let at = 0; at < triples.length; at += 3) {
      const [kind, from, to] = [triples[at], triples[at + 1] as number, triples[at + 2] as number];
      if (kind === 1) {
        const message = this.made[from] as M;
        view.push(message);
        // However many others this call has tried: what is sent is found again.
        const known = this.known.get(message);
        if (known) remember(this.history.made, known);
      } else for (let i = from; i < to; i++) view.push(this.messages[i] as M);
    }
    return view;
  }

  /** A message of ours: the one that was made of the same before, or a new one; undefined if the format has none. */
  private remembered(made: Omit<Made, "message">, make: () => Base | undefined, path: string): Uint32Array | undefined {
    const earlier = this.history.made;
    let known = earlier.find(({ text, id, covers }) => text === made.text && id === made.id && covers === made.covers);
    if (!known) {
      const message = make();
      if (message === undefined && made.id === BLOCK) return undefined;
      known = { ...made, message: checked(message, path) };
      remember(earlier, known);
    }
    this.known.set(known.message, known);
    return this.add(known.message);
  }

  private add(message: object): Uint32Array {
    const { record } = this.memory.entry(message, "view");
    this.made.push(message as M);
    return record;
  }
}

function checked<T>(message: T, path: string): T & object {
  if (typeof message === "object" && message !== null) return message;
  throw new PrecisError("format-answer", path, "The format must return a message.");
}

function remember(made: Made[], one: Made): void {
  const at = made.indexOf(one);
  if (at >= 0) made.splice(at, 1);
  made.unshift(one);
  if (made.length > MOST_MADE) made.pop();
}

/** Tells the host's listener, whose trouble is its own. */
export function telling(listener: ((event: CompactionEvent) => unknown) | undefined): (event: CompactionEvent) => void {
  return (event) => {
    try {
      quiet(listener?.(event));
    } catch {}
  };
}
