// What a session needs next: identifiers in the arguments of the calls that the model made with a request, which had
// appeared in the same recorded session before it, and which neither the instructions nor the newest group tell (what came
// after the model's last message, which a view should have anyway). By the definition of benches/bill/identifiers.mjs.
import { openaiChat } from "precis/formats";
import { sessionOf } from "../longterm/work.mjs";
import { reader } from "../recall/session.mjs";
import { holds, identifiers } from "./identifiers.mjs";

const read = reader(openaiChat);

/** By the place of each request in the history: the identifiers it needs. */
export function needs(history) {
  const found = new Map();
  let [number, seen, from] = [0, new Set(), 1];
  for (const [index, message] of history.entries()) {
    if (sessionOf(message) !== number) [number, seen] = [sessionOf(message), new Set()];
    if (message.role === "assistant") {
      const newest = [history[0], ...history.slice(from, index)];
      const needed = [...callsOf(message)].filter((one) => seen.has(one) && !told(newest, one));
      if (needed.length) found.set(index, needed);
      from = index + 1;
    }
    for (const one of all(message)) seen.add(one);
  }
  return found;
}

/** Whether a view tells an identifier, literally and not as a part of a longer word. */
export function told(view, identifier) {
  return view.findLastIndex((message) => holds(read(message).text, identifier)) >= 0;
}

const known = new Map();

/** All identifiers of a message. The same recorded text comes again and again. */
function all(message) {
  const { text } = read(message);
  const found = known.get(text) ?? identifiers(text);
  known.set(text, found);
  return found;
}

function callsOf(message) {
  const calls = read(message).parts.filter(({ type }) => type === "call");
  return new Set(calls.flatMap(({ text }) => [...identifiers(text)]));
}
