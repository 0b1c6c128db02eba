/**
 * Chats that nobody names, distinguished by their history: a request continues what was kept for an earlier one if it begins
 * with all the messages of that one, or with all that came before its newest user message.
 */

/** What is kept for one request. */
interface KnownRequest<T> {
  value: T;
  /** The key of the request that it continued. */
  readonly before: string | null;
  /** The key of what came before its newest user message. */
  readonly stem: string | null;
  /** How many requests have continued it. */
  continued: number;
  /** What losing it would cost, in bytes; 0 if it can be had again for nothing. */
  bytes: number;
}

/** What was kept for the longest beginning of a request. */
export interface Found<T> {
  readonly key: string;
  readonly value: T;
}

/** A request that was kept: its value may be replaced until the chat is forgotten. */
export interface KeptRequest<T> {
  readonly value: T;
  /** `bytes`: what losing it would cost. */
  replace(value: T, bytes: number): void;
}

/** How much is kept. */
export interface Bounds {
  /** Requests whose loss costs nothing. */
  readonly requests: number;
  /** The bytes of all others. */
  readonly bytes: number;
}

/**
 * What is kept for the requests of chats. Each chat has two at most, so that its last request can be repeated. Chats whose
 * loss would cost a summary are forgotten by their bytes, the longest unused first, and never for the sake of others whose
 * loss costs nothing.
 */
export class Lines<T> {
  /** The longest unused first. */
  private readonly lines = new Map<string, KnownRequest<T>>();
  /** The newest request that has this stem. */
  private readonly stems = new Map<string, string>();
  private free = 0;
  private bytes = 0;

  constructor(private readonly bounds: Bounds) {}

  get size(): number {
    return this.lines.size;
  }

  /** `keys`: those of all beginnings of a request, the shortest first. */
  find(keys: readonly string[]): Found<T> | null {
    for (let at = keys.length - 1; at >= 0; at--) {
      const own = keys[at] as string;
      const key = this.lines.has(own) ? own : this.stems.get(own);
      const line = key === undefined ? undefined : this.lines.get(key);
      if (line) return { key: key as string, value: line.value };
    }
    return null;
  }

  /** Keeps something for a request that continues another one, or none. */
  keep(key: string, value: T, bytes: number, place: { before: string | null; stem: string | null }): KeptRequest<T> {
    const own = this.lines.get(key);
    const line: KnownRequest<T> = {
      value,
      before: own?.before ?? (place.before === key ? null : place.before),
      stem: place.stem,
      continued: own?.continued ?? 0,
      bytes,
    };
    const parent = line.before === null ? undefined : this.lines.get(line.before);
    if (parent && !own) {
      parent.continued += 1;
      const grand = parent.before === null ? undefined : this.lines.get(parent.before);
      // Where chats have forked, others may come back to it.
      if (grand && grand.continued <= 1) this.forget(parent.before as string);
    }
    this.forget(key);
    this.lines.set(key, line);
    this.count(line, 1);
    if (line.stem !== null) this.stems.set(line.stem, key);
    this.shrink();
    return {
      value,
      replace: (value, bytes) => {
        if (this.lines.get(key) !== line) return;
        this.count(line, -1);
        line.value = value;
        line.bytes = bytes;
        this.count(line, 1);
        this.shrink();
      },
    };
  }

  private forget(key: string): void {
    const line = this.lines.get(key);
    if (!line) return;
    this.lines.delete(key);
    this.count(line, -1);
    if (line.stem !== null && this.stems.get(line.stem) === key) this.stems.delete(line.stem);
  }

  private count(line: KnownRequest<T>, by: 1 | -1): void {
    if (line.bytes === 0) this.free += by;
    this.bytes += by * line.bytes;
  }

  private shrink(): void {
    for (const [key, { bytes }] of this.lines) {
      const isOver = this.free > this.bounds.requests || this.bytes > this.bounds.bytes;
      if (!isOver || this.lines.size === 1) return;
      if (bytes === 0 ? this.free > this.bounds.requests : this.bytes > this.bounds.bytes) this.forget(key);
    }
  }
}
