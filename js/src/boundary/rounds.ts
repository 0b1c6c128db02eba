/**
 * Calls that wait inside the engine for their summarizer. Internal.
 */
import type { Plan } from "../types.ts";
import {
  currentInstance,
  enter,
  inTask,
  leave,
  resume,
  trapped,
  understood,
  type Waiting,
  wait,
  waitNoMore,
} from "./engine.ts";
import type { Answer, CallInput, Host, Outcome, Requested, Rounds } from "./glue.ts";
import { plain } from "./plain.ts";

/** A call and the plan that waits for the summarizer. */
export interface Unfinished {
  readonly input: CallInput;
  readonly records: Uint32Array;
  readonly flags: Uint8Array;
  readonly plan: Plan;
}

/** Who takes part in completing a call. */
export interface Parties {
  /** A host for the next step. */
  host(): Host;
  /** Asks the summarizer, never twice the same. */
  ask(requests: readonly Requested[]): Promise<Answer[]>;
  /** Called when a round is over and another follows. */
  next(outcome: Outcome): void;
}

/** How often a call begins a round again because its instance broke, though not by a step of its own. */
const MOST_RESTARTS = 3;

/** Ends what is left of a call in an instance that was replaced. */
const MOVED = new Error("This call goes on in another instance.");

/**
 * Asks and commits until nothing more is to be asked. If the instance is replaced meanwhile, the call goes on in the next
 * one, from the round that it was in.
 *
 * @throws PrecisError as a promise that rejects: what the engine refuses, `engine-trap` if a step of this call broke it.
 */
export function complete(call: Unfinished, parties: Parties): Promise<Outcome> {
  // The host may change its state while it waits.
  const input = { ...call.input, state: plain(call.input.state) };
  return new Promise((resolve, reject) => new Completing({ ...call, input }, parties, resolve, reject).start());
}

class Completing implements Rounds, Waiting {
  isAsking = false;
  private isMoved = false;
  private isSettled = false;
  /** The summarizer has answered in this round, which was begun again. */
  private hasAnswers = false;
  private restarts = 0;

  constructor(
    private call: Unfinished,
    private readonly parties: Parties,
    private readonly resolve: (outcome: Outcome) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  start(): void {
    const { input, records, flags, plan } = this.call;
    this.isMoved = false;
    this.isAsking = false;
    try {
      const outcome = enter((glue) => {
        wait(this);
        return glue.complete(input, records, flags, plan, this);
      });
      outcome.then(
        (done) => this.settle(() => this.resolve(done)),
        (error) => error === MOVED || this.settle(() => this.reject(understood(error))),
      );
    } catch (error) {
      this.settle(() => this.reject(error));
    }
  }

  replaced(): void {
    this.isMoved = true;
    // One that waits for answers goes on when they are there. A promise that is settled already comes first.
    if (!this.isAsking) void Promise.resolve().then(() => this.isMoved && this.restart());
  }

  host(): Host {
    return this.parties.host();
  }

  ask(requests: Requested[]): PromiseLike<Answer[]> {
    const answers = leave(() => this.parties.ask(requests));
    // No promise: what the engine does with the answers has to have a frame under it.
    const then = (resolve: (answers: unknown) => void, reject: (reason: unknown) => void) => {
      const of = currentInstance();
      // Answers that are there come at once: no time to give the instance away.
      this.isAsking = !this.hasAnswers;
      const back = (work: () => void) => {
        this.hasAnswers = true;
        if (this.isMoved) return this.isSettled || this.start();
        if (of === currentInstance()) this.isAsking = false;
        inTask(of, work);
      };
      answers.then(
        (all) => back(() => resolve(plain(all))),
        (reason) => {
          // The host's own, whatever it looks like. The engine ends what it holds of this call.
          this.settle(() => this.reject(reason));
          back(() => reject(reason));
        },
      );
    };
    return { then } as unknown as PromiseLike<Answer[]>;
  }

  next(outcome: Outcome): void {
    const { input } = this.call;
    // What a refusal teaches is in the state now.
    const goesOn = { ...input, state: outcome.state, overflow: null };
    this.call = { ...this.call, input: goesOn, plan: outcome.next as Plan };
    this.hasAnswers = false;
    this.restarts = 0;
    // Not inside of the engine: listeners may call the compactor.
    void Promise.resolve().then(() => this.parties.next(outcome));
  }

  poll(step: () => void): void {
    if (this.isMoved) throw MOVED;
    try {
      resume(step);
    } catch (error) {
      this.settle(() => this.reject(error));
      throw error;
    }
  }

  private restart(): void {
    if (this.isSettled) return;
    this.restarts += 1;
    if (this.restarts > MOST_RESTARTS) this.settle(() => this.reject(trapped(undefined)));
    else this.start();
  }

  private settle(how: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    waitNoMore(this);
    how();
  }
}
