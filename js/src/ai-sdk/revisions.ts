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

/** What a state says of what was sent. Thinking since then is bound to it, whatever state is returned to. */
const SENT = ["sent", "stale", "pending"] as const;

/** A state that follows another one and is as if nothing had been compacted, or as an earlier one was. */
export function following(current: SessionState, earlier: SessionState | null): SessionState {
  const state: Record<string, unknown> = { ...(earlier ?? { version: current.version }) };
  for (const name of SENT) {
    const now = (current as unknown as Record<string, unknown>)[name];
    if (now === undefined) delete state[name];
    else state[name] = now;
  }
  return { ...(state as unknown as SessionState), revision: current.revision + 1 };
}
