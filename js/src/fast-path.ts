/**
 * A call that has nothing to do, after one of the same chat that had nothing to do: no more than what was added is looked
 * at. A call and a state are compared by `===`, with the members that the state had: a member changed deep inside them is
 * not noticed. Internal.
 */
import { enter } from "./boundary/engine.ts";
import { type Again, type CallInput, members, type Outcome, STATE } from "./boundary/glue.ts";
import type { Rest } from "./cache/chat.ts";
import type { History } from "./cache/history.ts";
import type { ContextUsage, Prepared, SessionState } from "./types.ts";

/** The fast path: what the last call of this chat left, and the messages that were added since. */
export function takeFastPath<M>(input: CallInput, messages: readonly M[], history: History): Prepared<M> | undefined {
  const { rest, again } = history;
  if (!rest) return undefined;
  // A function that was not asked yet may have something else done to what stands.
  const { asksPolicies, policies } = input;
  if (asksPolicies && rest.given.at(-1) !== policies) return undefined;
  const call = asksPolicies ? { ...input, toolPolicy: rest.toolPolicy } : input;
  const outcome = again
    ? againAs(rest, again)
    : enter((glue) => glue.resume(call, history.records(rest.count), rest.standing));
  if (!outcome) return undefined;
  const { state, changed, standing } = outcome;
  // Also what the provider must be sent for a summary of its own, which the engine does not know.
  const { provider } = rest;
  const report = { ...outcome.report, provider };
  const template = outcome.template && { ...outcome.template, provider };
  const view = rest.view as M[];
  for (let i = rest.count; i < messages.length; i++) view.push(messages[i] as M);
  history.leave(
    standing
      ? leaveStanding(standing, messages.length, { ...rest, view }, call, { ...outcome, report, template })
      : null,
  );
  return { view: view.slice(), state, changed, report };
}

/** Of fewer messages than this, all are measured each time. */
const FEW = 64;

/**
 * How full the window is, where the last measurement of this chat saw all but what was added since: someone is typing.
 * `policies` that a function says may have something else done, and flags that the host gives differ from call to call.
 */
export function measured(input: CallInput, history: History): ContextUsage | undefined {
  const { measured } = history;
  if (!measured || !isSame(measured, input)) return undefined;
  return enter((glue) => glue.resume(input, history.records(measured.count), measured.standing))?.report.before;
}

/** Whether to measure what the next measurement goes on from: not for a few messages, nor again where that was no help. */
export function isWorth(input: CallInput, { measured }: History, count: number): boolean {
  if (count < FEW || input.asksPolicies || input.ids !== undefined) return false;
  return !measured || !isSame(measured, input);
}

function isSame({ given }: Pick<Rest, "given">, input: CallInput): boolean {
  const now = members(input);
  for (let i = 0; i < now.length; i++) if (now[i] !== given[i]) return false;
  return true;
}

/** What a call leaves. The host may change what it was given: only the state's own members are looked at again. */
export function leaveStanding(
  standing: Uint8Array,
  count: number,
  { view, places, placed }: Pick<Rest, "view" | "places" | "placed">,
  input: CallInput,
  outcome: Outcome,
): Rest {
  const { state, changed, report, template } = outcome;
  const given = members(input);
  given[STATE] = state;
  const { provider } = report;
  const { toolPolicy } = input;
  const stamp = Object.values(state);
  return {
    standing,
    count,
    view,
    places,
    placed,
    toolPolicy,
    given,
    state,
    changed,
    provider,
    template,
    stamp,
  };
}

/** Where the view is the one before, with the new messages. */
const NO_VIEW = /* @__PURE__ */ new Uint32Array(0);

/** Whether a call is given what the last one was given, and the state that this one answered. */
export function isSameCall(rest: Rest, input: CallInput): boolean {
  if (!isSame(rest, input)) return false;
  const { state, stamp } = rest;
  let at = 0;
  for (const name in state) if (state[name as keyof SessionState] !== stamp[at++]) return false;
  return at === stamp.length && "pending" in state;
}

/** The outcome before, with what adding messages makes different. */
function againAs({ state, changed, template }: Rest, { report, at, sent, standing }: Again): Outcome | undefined {
  if (!template) return undefined;
  const { pending } = state as { pending?: object };
  const { request, before } = report;
  const next = { ...state, pending: { ...pending, request, raw: before.raw, at, ...(sent !== null && { sent }) } };
  return { state: next, report: { ...template, ...report }, changed, open: false, view: NO_VIEW, standing, template };
}
