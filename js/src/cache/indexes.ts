/**
 * What searches keep of the messages of one chat: the engine's indexes of runs of them. They are made when something is
 * recalled, and cost time alone where they are missing.
 */

/** Bytes of the indexes of one chat: about as many as its texts have. */
const MOST = 16 * 1024 * 1024;

/** The same each time: nothing more is kept. */
const FULL = /* @__PURE__ */ new Uint8Array(0);

interface Index {
  readonly to: number;
  readonly bytes: Uint8Array;
}

/** The indexes of a chat, each by the first of its messages. */
export class Indexes {
  private readonly all = new Map<number, Index>();
  private size = 0;

  /** The index of the messages between two; undefined if there is none, of no bytes if there is no room for it. */
  get(from: number, to: number): Uint8Array | undefined {
    const known = this.all.get(from);
    if (known?.to === to) return known.bytes;
    return this.size > MOST ? FULL : undefined;
  }

  /** Keeps one, in place of what was kept of fewer messages from the same one on. */
  keep(from: number, to: number, bytes: Uint8Array): void {
    this.size += bytes.length - (this.all.get(from)?.bytes.length ?? 0);
    this.all.set(from, { to, bytes });
  }

  /** Those of messages before `end` alone. */
  upTo(end: number): Indexes {
    const kept = new Indexes();
    for (const [from, { to, bytes }] of this.all) if (to <= end) kept.keep(from, to, bytes);
    return kept;
  }
}
