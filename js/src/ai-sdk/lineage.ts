/**
 * Chats that nobody names, told apart by their history: a request continues what was kept for an earlier one if it begins
 * with all the messages of that one.
 */

type Message = { readonly role: string; readonly content: unknown };

/** What is kept for one request. */
export interface Line<T> {
  value: T;
  /** The request it continued. */
  readonly before: string | null;
  /** How many requests have continued it. */
  continued: number;
}

/** What is kept for the requests of the last chats. Each chat has two at most, so that its last request can be repeated. */
export class Lines<T> {
  private readonly lines = new Map<string, Line<T>>();

  constructor(private readonly most: number) {}

  get size(): number {
    return this.lines.size;
  }

  /** What was kept for the longest beginning of a request. `keys`: those of all its beginnings, the shortest first. */
  find(keys: readonly string[]): { readonly key: string; readonly value: T } | null {
    for (let at = keys.length - 1; at >= 0; at--) {
      const key = keys[at] as string;
      const line = this.lines.get(key);
      if (line) return { key, value: line.value };
    }
    return null;
  }

  /** Keeps something for a request that continues another one, or none. */
  keep(key: string, value: T, before: string | null): Line<T> {
    const own = this.lines.get(key);
    const line: Line<T> = {
      value,
      before: own?.before ?? (before === key ? null : before),
      continued: own?.continued ?? 0,
    };
    const parent = line.before === null ? undefined : this.lines.get(line.before);
    if (parent && !own) {
      parent.continued += 1;
      const grand = parent.before === null ? undefined : this.lines.get(parent.before);
      // Where chats have forked, others may come back to it.
      if (grand && grand.continued <= 1 && parent.before !== null) this.lines.delete(parent.before);
    }
    this.lines.delete(key);
    this.lines.set(key, line);
    for (const oldest of this.lines.keys()) {
      if (this.lines.size <= this.most) break;
      this.lines.delete(oldest);
    }
    return line;
  }
}

/**
 * A key for each beginning of a list of messages, the shortest first. What providers are told besides the content
 * (`providerOptions`: where to cache, say) is none of the history; the order of an object's members is nothing either.
 */
export function keysOf(messages: readonly Message[]): string[] {
  const hash = new Hash();
  return messages.map(({ role, content }) => {
    hash.text(role);
    hash.value(content, 0);
    return hash.key();
  });
}

/** Deep enough for any message; what is deeper counts as equal. */
const DEEPEST = 64;

/** 128 bits over all that was written: no accident makes two histories one. */
class Hash {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c = 0xb7e15162;
  private d = 0x13198a2e;

  private word(word: number): void {
    this.a = Math.imul(this.a ^ word, 0x85ebca6b);
    this.a = (this.a << 15) | (this.a >>> 17);
    this.b = Math.imul(this.b ^ word ^ this.a, 0xc2b2ae35);
    this.b = (this.b << 13) | (this.b >>> 19);
    this.c = Math.imul(this.c + word, 0x27d4eb2f) ^ this.b;
    this.c = (this.c << 11) | (this.c >>> 21);
    this.d = (Math.imul(this.d ^ this.c, 0x165667b1) + word) | 0;
    this.d = (this.d << 17) | (this.d >>> 15);
  }

  /** With its length, so that texts that follow one another are not those cut elsewhere. */
  text(text: string): void {
    this.word(text.length);
    for (let at = 0; at < text.length; at += 2) this.word(text.charCodeAt(at) | ((text.charCodeAt(at + 1) || 0) << 16));
  }

  private bytes(bytes: Uint8Array): void {
    this.word(bytes.length);
    for (let at = 0; at < bytes.length; at += 4)
      this.word(
        (bytes[at] as number) |
          ((bytes[at + 1] ?? 0) << 8) |
          ((bytes[at + 2] ?? 0) << 16) |
          ((bytes[at + 3] ?? 0) << 24),
      );
  }

  value(value: unknown, depth: number): void {
    if (typeof value === "string") {
      this.word(1);
      this.text(value);
    } else if (typeof value !== "object" || value === null) {
      this.word(2);
      this.text(String(value));
    } else if (depth > DEEPEST) this.word(3);
    else if (Array.isArray(value)) {
      this.word(4);
      this.word(value.length);
      for (const item of value) this.value(item, depth + 1);
    } else if (value instanceof URL || value instanceof Date) {
      this.word(5);
      this.text(String(value));
    } else if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      this.word(6);
      const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(value)
        ? value
        : { buffer: value, byteOffset: 0, byteLength: value.byteLength };
      this.bytes(new Uint8Array(buffer, byteOffset, byteLength));
    } else this.members(value as Record<string, unknown>, depth);
  }

  private members(value: Record<string, unknown>, depth: number): void {
    const names = Object.keys(value).filter((name) => name !== "providerOptions" && value[name] !== undefined);
    this.word(7);
    this.word(names.length);
    for (const name of names.sort()) {
      this.text(name);
      this.value(value[name], depth + 1);
    }
  }

  key(): string {
    return [this.a, this.b, this.c, this.d].map((word) => (word >>> 0).toString(36)).join(".");
  }
}
