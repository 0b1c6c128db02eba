// Plays a chat request by request, as an app does: a request before each answer and one at the end, the state through JSON.
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";

/**
 * The view at the end, and how many compactions it took. `enough` is asked after each request, with its index and the
 * compactions so far, whether the play may stop there.
 */
export async function replay({ messages, tools }, window, { summarize, enough = () => false } = {}) {
  const compactor = createCompactor({ format: openaiChat, contextWindow: window, ...(summarize && { summarize }) });
  let [state, view, compactions, index] = [null, [], 0, 1];
  for (; index <= messages.length; index++) {
    if (index < messages.length && !isRequest(messages, index)) continue;
    const prepared = await compactor.beforeModel({
      messages: messages.slice(0, index),
      state,
      ...(tools && { tools }),
    });
    if (view.some((message, at) => message !== prepared.view[at])) compactions += 1;
    state = JSON.parse(JSON.stringify(prepared.state));
    view = prepared.view;
    if (enough(index, compactions)) break;
  }
  return { view, state, compactions, messages: messages.slice(0, index) };
}

/** Whether the message with this index is what the model answered to all before it. */
function isRequest(messages, index) {
  return messages[index].role === "assistant" && messages[index - 1].role !== "assistant";
}
