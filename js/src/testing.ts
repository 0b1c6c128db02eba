/**
 * For tests of programs that use precis: histories, a host that plays them, the checks of a view and of a format,
 * and a summarizer with prepared answers.
 *
 * @module precis/testing
 */
import { checkMessages, type Format, input, type ReadableFormat, type Summarize, type SummaryRequest } from "precis";

export {
  type CheckedFormat,
  type CheckFormatOptions,
  checkFormat,
  type FormatProblem,
  type FormatRule,
} from "./testing/check-format.ts";
export { type AnyMessage, type HistoryOptions, history } from "./testing/history.ts";
export { type Recorder, type RecorderOptions, recorder } from "./testing/recorder.ts";
export { type Problem, type Replayed, replay } from "./testing/replay.ts";

/**
 * A summarizer that gives these answers one after another; an `Error` is thrown. When they are used up, it throws.
 * `requests` holds what it was asked.
 */
export function scriptedSummarizer(
  answers: readonly (string | Error)[],
): Summarize & { readonly requests: readonly SummaryRequest<unknown>[] } {
  if (!Array.isArray(answers)) throw input.wrong("invalid-call", "answers", "an array of texts and errors", answers);
  const requests: SummaryRequest<unknown>[] = [];
  const summarize: Summarize = async (request) => {
    const answer = answers[requests.push(request) - 1];
    if (answer === undefined)
      throw new Error(`scriptedSummarizer: only ${answers.length} answers, asked ${requests.length} times`);
    if (typeof answer !== "string") throw answer;
    return answer;
  };
  return Object.assign(summarize, { requests });
}

/**
 * What a provider would refuse about `view`: results without their calls, an order of roles it does not take, empty
 * content, … Empty when all is well.
 */
export function check<M>(
  format: ReadableFormat<M> & Pick<Format<M>, "alternation">,
  view: readonly M[],
): readonly { readonly rule: string; readonly index: number; readonly message: string }[] {
  return checkMessages(format, view);
}
