// What must be true of everything that is sent, found out without precis: serial numbers in the texts, a tokenizer of its
// own, the rules of the providers.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** Tokens that a provider adds to a message and to a request. */
const A_MESSAGE = 4;
const A_REQUEST = 3;

const counted = new WeakMap();

/** What a provider would report as the prompt. */
export function tokensOf(view) {
  let all = A_REQUEST;
  for (const message of view) {
    let tokens = counted.get(message);
    if (tokens === undefined) {
      tokens = A_MESSAGE + countTokens(said(message));
      counted.set(message, tokens);
    }
    all += tokens;
  }
  return all;
}

/** All that a model reads of a message. */
function said(message) {
  const texts = [];
  const walk = (value, key) => {
    if (typeof value === "string") {
      if (key !== "type" && key !== "role" && key !== "id") texts.push(value);
    } else if (value && typeof value === "object") {
      if (key === "input") texts.push(JSON.stringify(value));
      else for (const [name, member] of Object.entries(value)) walk(member, name);
    }
  };
  walk(message, "");
  return texts.join("\n");
}

/** The serial numbers of this message as a host wrote it: in its ids, else how its text begins. */
export function serialOf(shape, message) {
  const ids = [...shape.callIds(message), ...shape.resultIds(message)];
  const from = ids.length > 0 ? ids[0].replace(/^(call|result)_/, "") : /^#(\d+\.\d+)#/.exec(shape.text(message))?.[1];
  if (from === undefined) return null;
  const kind = shape.resultIds(message).length > 0 ? `result ${ids[0]}` : from;
  return shape.callIds(message).length > 0 ? `call ${ids[0]}` : kind;
}

/** Everything that is wrong with a view, as sentences. */
export function faultsOf({ shape, number, rule }, history, { view, report }, { window, reply }) {
  const faults = [];
  const refused = shape.refused(view);
  if (refused) faults.push(`illegal: ${refused}`);
  const tokens = tokensOf(view);
  if (tokens + reply > window) faults.push(`over: ${tokens} tokens and a reply of ${reply} in a window of ${window}`);
  if (report.outcome === "infeasible") faults.push(`infeasible: ${report.reason}`);

  const places = new Map(history.map((message, at) => [serialOf(shape, message), at]));
  const sent = view.map((message) => serialOf(shape, message)).filter((serial) => serial !== null);
  const at = sent.map((serial) => places.get(serial));
  if (at.includes(undefined)) faults.push(`foreign: ${sent[at.indexOf(undefined)]} is not in the history`);
  if (new Set(sent).size !== sent.length) faults.push("doubled: a message is in the view twice");
  if (at.some((place, i) => i > 0 && place < at[i - 1])) faults.push("order: messages have changed places");
  faults.push(...lost(shape, history, view, new Set(sent), { rule, number }));
  return faults;
}

function* lost(shape, history, view, sent, { rule, number }) {
  const newest = history.at(-1);
  if (serialOf(shape, view.at(-1) ?? {}) !== serialOf(shape, newest)) yield "lost: the newest message is not the last";
  const asked = history.findLast((message) => message.role === "user" && shape.resultIds(message).length === 0);
  if (!sent.has(serialOf(shape, asked))) yield "lost: the active request is not in the view";
  // Something that is sent must say what is not: a text that no host wrote.
  const missing = history.findLastIndex((message) => !sent.has(serialOf(shape, message)));
  const told = view.filter((message) => serialOf(shape, message) === null);
  if (missing >= 0 && told.length === 0) yield "lost: messages are missing, and nothing stands for them";
  const whole = JSON.stringify(view);
  if (!whole.includes(rule)) yield `lost: what was required (${rule}) is nowhere`;
  for (const [, chat] of whole.matchAll(/#(\d+)\.\d+#/g))
    if (Number(chat) !== number) {
      yield `foreign: a text of chat ${chat}`;
      break;
    }
}
