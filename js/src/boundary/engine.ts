/**
 * The one engine of this module: instantiated on first use, replaced when it breaks. Internal.
 */
import { isErrorLike, isOutOfStack, PrecisError } from "../errors.ts";
import { failure, mismatch } from "../load/failure.ts";
import type { Ways } from "../load/ways.ts";
import { dispose, type Glue, glue, type Instance, instantiate, lastPanic } from "./glue.ts";

/** What the build wrote into the wasm that belongs to this JavaScript. */
declare const BUILD: string;

let ways: Ways | undefined;
let program: WebAssembly.Module | undefined;
/** The compilation in the background, while it lasts. */
let compiling: Promise<unknown> | undefined;
let instance: Instance | undefined;
/** Calls of the engine that are on the stack; a broken instance is not replaced under them. */
let depth = 0;
let broken = false;
/** Inside a call, or one ended and there was no stack left to find out how. */
let unsure = false;
/** What the host's own code threw while the engine waited for it. */
const foreign = new WeakSet<object>();

/** A call that waits inside the instance for its summarizer. */
export interface Waiting {
  /** Nothing runs until the summarizer has answered. */
  readonly isAsking: boolean;
  /** The instance is gone, and what waited in it with it. */
  replaced(): void;
}

const waiting = new Set<Waiting>();

/** Says how the engine is loaded once it is needed. */
export function loadBy(known: Ways): void {
  ways ??= known;
}

/**
 * Compiles the engine in the background, `first` in a way that the host knows. Resolves once it can be called at once, with
 * what kept a better way from being taken, if anything did. A call that comes before is not kept waiting: it loads the
 * engine as it would have.
 *
 * @throws PrecisError `engine-load`, `boundary-mismatch` where no way leads anywhere.
 */
export function loadAhead(first?: () => Promise<WebAssembly.Module>): Promise<unknown> {
  compiling ??= compileAhead(first).finally(() => {
    compiling = undefined;
  });
  return compiling;
}

async function compileAhead(first?: () => Promise<WebAssembly.Module>): Promise<unknown> {
  const { ahead = [] } = ways as Ways;
  let problem: unknown = null;
  for (const way of first ? [first, ...ahead] : ahead) {
    if (program) break;
    try {
      const module = checked(await way());
      program ??= module;
    } catch (error) {
      problem ??= error;
    }
  }
  start();
  return problem;
}

/**
 * Calls the engine.
 *
 * @throws PrecisError what the engine refuses; `engine-trap` if it broke; `engine-load` if it cannot be loaded.
 */
export function enter<T>(work: (glue: Glue) => T): T {
  start();
  return step(() => work(glue));
}

/** Runs code of the instance, and finds out how it ended. */
function step<T>(work: () => T): T {
  const outer = unsure;
  depth += 1;
  unsure = true;
  try {
    const result = work();
    unsure = outer;
    return result;
  } catch (error) {
    // Where the stack has run out, this throws too and leaves the doubt standing.
    const known = understood(error);
    unsure = outer;
    throw known;
  } finally {
    depth -= 1;
    if (depth === 0 && isTooLarge()) forget();
  }
}

/** Has a call wait inside the instance until it says otherwise. */
export function wait(call: Waiting): void {
  waiting.add(call);
}

/** The call no longer waits. */
export function waitNoMore(call: Waiting): void {
  waiting.delete(call);
}

/** Runs a step of a call that waits, between frames of its instance: if it traps, they go on as if it had returned. */
export function resume(work: () => void): void {
  const { stack } = instance as Instance;
  const { value } = stack;
  try {
    step(work);
  } catch (error) {
    stack.value = value;
    throw error;
  }
}

/** Runs what an instance does in a task of its own, where nobody is there to catch what it throws. */
export function inTask(of: Instance | undefined, work: () => void): void {
  if (of !== instance || broken) return;
  try {
    step(work);
  } catch {
    // A trap outside of all steps: the calls that waited know of it.
  }
}

/** The instance as it is now: what waits in it is only entered as long as it is this one. */
export function currentInstance(): Instance | undefined {
  return instance;
}

/**
 * What an instance may keep for the next call. Wasm never gives memory back, so one that a large text has made larger
 * is left to the garbage collector: nothing in it outlives a call.
 */
const MOST_KEPT = 32 * 2 ** 20;

function isTooLarge(): boolean {
  if (instance === undefined || instance.memory.buffer.byteLength <= MOST_KEPT) return false;
  for (const call of waiting) if (!call.isAsking) return false;
  return true;
}

/** The next call gets a new instance, and what waits goes on in that. */
function forget(): void {
  instance = undefined;
  dispose();
  leaveInstance();
}

function leaveInstance(): void {
  const calls = [...waiting];
  waiting.clear();
  for (const call of calls) call.replaced();
}

/** Runs code of the host that the engine called: nothing replaces the engine under it, and what it throws is no trap. */
export function leave<T>(work: () => T): T {
  depth += 1;
  try {
    return work();
  } catch (error) {
    if (typeof error === "object" && error !== null) foreign.add(error);
    throw error;
  } finally {
    depth -= 1;
  }
}

/** The engine's memory as it is now. */
export function memoryBuffer(): ArrayBuffer {
  return (instance as Instance).memory.buffer;
}

/** Whether the engine is still the one that was entered. */
export function isWhole(): boolean {
  return !broken;
}

function start(): void {
  if (unsure && depth === 0) giveUp();
  if (instance && !broken) return;
  if (broken && depth > 0) throw trapped(undefined);
  try {
    program ??= compiled();
    instance = instantiate(program, inTask);
    broken = false;
  } catch (error) {
    if (isOutOfStack(error)) throw error;
    throw failure(error);
  }
}

function compiled(): WebAssembly.Module {
  const errors: unknown[] = [];
  for (const way of (ways as Ways).now) {
    try {
      return checked(way());
    } catch (error) {
      if (isOutOfStack(error)) throw error;
      errors.push(error);
    }
  }
  // Another build says more than a file that is not there; else the last way is the one that needs the least.
  throw errors.find((error) => error instanceof PrecisError) ?? errors.at(-1);
}

/** A module of the build that this JavaScript belongs to. */
function checked(module: WebAssembly.Module): WebAssembly.Module {
  const [stamp] = WebAssembly.Module.customSections(module, "precis");
  const found = stamp ? String.fromCharCode(...new Uint8Array(stamp)) : "an unknown build";
  if (found !== BUILD) throw mismatch(BUILD, found);
  return module;
}

/** What was thrown in the engine, as users see it. A trap is the end of the instance. */
export function understood(error: unknown): unknown {
  if (isErrorLike(error)) return new PrecisError(error.code, error.path ?? null, error.advice);
  if (!isTrap(error)) return error;
  giveUp();
  return trapped(error);
}

/** The next call gets a new instance, and what waits goes on in that. */
function giveUp(): void {
  broken = true;
  unsure = false;
  leaveInstance();
}

/** The message for a call that broke the engine. */
export function trapped(trap: unknown): PrecisError {
  const panic = lastPanic();
  const cause = panic === undefined ? trap : new Error(panic, { cause: trap });
  return new PrecisError(
    "engine-trap",
    null,
    "The engine failed and was replaced. Nothing was changed. Please report this with the input that caused it.",
    { cause },
  );
}

/** A panic or another illegal instruction; a stack or memory that ran out. */
function isTrap(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof PrecisError || foreign.has(error)) return false;
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError || TRAPS.includes(error.name);
}

const TRAPS: readonly string[] = ["InternalError"];
