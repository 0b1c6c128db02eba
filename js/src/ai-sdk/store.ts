import type { SessionState, Warning } from "precis";
import type { StateStore } from "./types.ts";

/** Milliseconds an answer waits for the store, all in all. */
const PATIENCE = 1_000;

/** What came of a save: `waiting` is neither, the answer goes on without knowing. */
export type Saved = "saved" | "conflict" | "failed" | "waiting";

/**
 * One chat's place in a store, for the time of one call. Nothing here rejects: `warnings` describes what went wrong.
 * Writes follow one another, also those nobody waits for.
 */
export class StateSlot {
  /** What has gone wrong since this was last asked. */
  private readonly troubles: string[] = [];
  /** Of the state that is stored; null if none is. */
  private revision: number | null = null;
  /** The store has used up what an answer may wait for it. */
  private slow = false;
  /** What is stored is not known, so nothing may be written over it. */
  private lost = false;
  /** Somebody else has written since. */
  private conflicted = false;
  private writes: Promise<Saved> = Promise.resolve("saved");

  constructor(
    private readonly store: StateStore,
    private readonly key: string,
    /** Throws if it is not a state. */
    private readonly check: (state: SessionState) => void,
  ) {}

  /** Whether what is stored is not what this call goes on from. */
  get isOutdated(): boolean {
    return this.conflicted;
  }

  /** The stored state; null if there is none, or none that can be had or used. */
  async load(): Promise<SessionState | null> {
    if (this.slow || this.lost) return null;
    this.conflicted = false;
    const answer = await this.inTime(async () => ({ state: await this.store.load(this.key) }), "load");
    if (!answer) {
      this.lost = true;
      return null;
    }
    const state = answer.state ?? null;
    try {
      if (state !== null) this.check(state);
    } catch (error) {
      this.lost = true;
      this.troubles.push(`what it holds cannot be used and is left as it is (${messageOf(error)})`);
      return null;
    }
    this.revision = state?.revision ?? null;
    return state;
  }

  /** An earlier state; null if the store has none of this revision. */
  async loadRevision(revision: number): Promise<SessionState | null> {
    if (this.slow || this.lost) return null;
    const answer = await this.inTime(async () => ({ state: await this.store.load(this.key, revision) }), "load");
    const state = answer?.state;
    try {
      if (!state || state.revision !== revision) return null;
      this.check(state);
      return state;
    } catch {
      return null;
    }
  }

  /** Instead of loading: this is what the program says is stored. */
  assume(state: SessionState): void {
    this.revision = state.revision;
  }

  /** Whether this state sends something else than the one that is stored. */
  isNews(state: SessionState): boolean {
    return state.revision !== (this.revision ?? 0);
  }

  /** Stores a state in place of the one last known, after what is still being written. */
  save(state: SessionState): Promise<Saved> {
    if (this.lost) return Promise.resolve("failed");
    this.writes = this.writes.then(() => this.write(state));
    return this.slow
      ? Promise.resolve("waiting")
      : this.inTime(() => this.writes, "save").then((saved) => saved ?? "waiting");
  }

  /** When everything is written, or that has taken too long. */
  async settled(): Promise<void> {
    if (!this.slow) await this.inTime(() => this.writes, "save");
  }

  /** What went wrong, once. */
  warnings(): Warning[] {
    return this.troubles.splice(0).map((trouble) => ({
      code: "store-failed",
      path: null,
      advice: `The state store: ${trouble}. This call continues without it.`,
    }));
  }

  private async write(state: SessionState): Promise<Saved> {
    if (this.conflicted) return "conflict";
    try {
      if ((await this.store.save(this.key, state, this.revision)) === false) {
        this.conflicted = true;
        return "conflict";
      }
      this.revision = state.revision;
      return "saved";
    } catch (error) {
      this.troubles.push(`save failed: ${messageOf(error)}`);
      return "failed";
    }
  }

  /** What `work` returns, undefined if it fails or takes too long. */
  private inTime<T>(work: () => Promise<T>, name: string): Promise<T | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.slow = true;
        this.troubles.push(`${name} took more than ${PATIENCE} ms`);
        resolve(undefined);
      }, PATIENCE);
      const done = (value: T | undefined) => {
        clearTimeout(timer);
        resolve(value);
      };
      const failed = (error: unknown) => {
        this.troubles.push(`${name} failed: ${messageOf(error)}`);
        done(undefined);
      };
      try {
        work().then(done, failed);
      } catch (error) {
        failed(error);
      }
    });
  }
}

/** The name of a chat's place. No two pairs have one: a colon within a name is escaped, as is the sign that escapes. */
export function storeKey(agent: string, chat: string): string {
  return [agent, chat].map((name) => name.replace(/[%:]/g, encodeURIComponent)).join(":");
}

/** Of an error's message, as much as fits in a warning. */
function messageOf(error: unknown): string {
  try {
    return String((error as { message?: unknown } | null)?.message ?? error).slice(0, 200);
  } catch {
    return "unknown";
  }
}
