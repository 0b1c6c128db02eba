import type { SessionState } from "precis";

/** States of one run that can be gone back to. */
const MOST = 8;

/** The states a run has had, one for each revision: the newest of it. */
export class Revisions {
  private readonly states = new Map<number, SessionState>();

  get all(): number[] {
    return [...this.states.keys()];
  }

  get(revision: number): SessionState | undefined {
    return this.states.get(revision);
  }

  add(state: SessionState): void {
    this.states.delete(state.revision);
    this.states.set(state.revision, state);
    for (const oldest of this.states.keys()) {
      if (this.states.size <= MOST) break;
      this.states.delete(oldest);
    }
  }
}

/** A state that follows another one and is as if nothing had been compacted, or as an earlier one was. */
export function following(current: SessionState, earlier: SessionState | null): SessionState {
  return { ...(earlier ?? { version: current.version }), revision: current.revision + 1 };
}
