import { but, swap } from "./held.mjs";

export const gemini = [
  {
    rule: "roles",
    words: /Please use a valid role: user, model/,
    illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "assistant" }))),
  },
  {
    rule: "unanswered-call",
    words: /number of function response parts is equal to the number of function call parts of the function call turn/,
    illegal: ({ history, send }) => send(swap(history, 2, but(history[2], { parts: history[2].parts.slice(1) }))),
  },
  {
    rule: "orphan-result",
    words: /function response turn comes immediately after a function call turn/,
    illegal: ({ history, send }) => send(history.slice(2)),
  },
  {
    rule: "call-order",
    words: /function call turn comes immediately after a user turn or after a function response turn/,
    illegal: ({ history, send }) => send(history.slice(1)),
  },
  {
    rule: "missing-signature",
    words: /^Function call `find` in the `6\.` content block is missing a `thought_signature`\.$/,
    illegal: ({ history, send }) => send(swap(history, 5, unsigned(history[5]))),
    // Of earlier turns they may go, and the dummy does for one that is not there.
    legal: ({ history, send }) =>
      send(swap(swap(history, 1, unsigned(history[1])), 5, unsigned(history[5], "skip_thought_signature_validator"))),
  },
  {
    rule: "missing-signature",
    why: "an old step of the same turn",
    words: /Function call `find` in the `2\.` content block/,
    prepare: ({ history }) => void history.splice(3, Number.POSITIVE_INFINITY),
    illegal: ({ history, send }) => send(swap(history, 1, unsigned(history[1]))),
  },
  {
    rule: "forged-signature",
    words: /^Corrupted thought signature\.$/,
    illegal: ({ history, send }) => send(swap(history, 5, unsigned(history[5], "c2ln"))),
  },
  {
    rule: "forged-signature",
    why: "of another backend",
    words: /^Invalid thought signature\.$/,
    prepare: ({ server }) => {
      server.memory.account = { name: "vertex", isNew: true };
    },
    accepted: false,
    illegal: ({ send }) => send(),
  },
];

/** A content whose calls carry no signature, or another one. */
function unsigned(content, signature) {
  return but(content, {
    parts: content.parts.map((part) => (part.functionCall ? but(part, { thoughtSignature: signature }) : part)),
  });
}
