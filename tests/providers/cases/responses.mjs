import { but, swap } from "./held.mjs";

export const openaiResponses = [
  {
    rule: "roles",
    words: /Invalid value: 'narrator'/,
    illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "narrator" }))),
  },
  {
    rule: "unanswered-call",
    words: /^No tool output found for function call c2\.$/,
    illegal: ({ history, send }) =>
      send(history.filter(({ type, call_id }) => !(type === "function_call_output" && call_id === "c2"))),
  },
  {
    rule: "orphan-result",
    words: /^No tool call found for function call output with call_id c2\.$/,
    illegal: ({ history, send }) =>
      send(history.filter(({ type, call_id }) => !(type === "function_call" && call_id === "c2"))),
  },
  {
    rule: "reasoning-without-item",
    words: /^Item 'rs_\w+' of type 'reasoning' was provided without its required following item\.$/,
    illegal: ({ history, send }) => send(history.filter(({ id, type }) => !(type === "message" && id))),
    // Without ids nothing is checked, and whole groups may go.
    legal: ({ history, send }) =>
      send(history.filter(({ id, type }) => !(type === "message" && id)).map((item) => but(item, { id: undefined }))),
  },
  {
    rule: "item-without-reasoning",
    words: /^Item 'msg_\w+' of type 'message' was provided without its required 'reasoning' item: 'rs_\w+'\.$/,
    illegal: ({ history, send }) => send(history.filter(({ type }) => type !== "reasoning")),
    legal: ({ history, send }) =>
      send(history.filter(({ type }) => type !== "reasoning").map((item) => but(item, { id: undefined }))),
  },
  {
    rule: "encrypted-content",
    words: /could not be verified/,
    illegal: ({ history, send }) =>
      send(history.map((item) => (item.type === "reasoning" ? but(item, { encrypted_content: "gAAAforged" }) : item))),
  },
  {
    rule: "item-reference",
    words: /^Item with id 'msg_gone' not found\.$/,
    options: { store: true },
    illegal: ({ history, send }) => send([...history, { type: "item_reference", id: "msg_gone" }]),
    legal: ({ history, send }) =>
      send(history.map((item) => (item.id ? { type: "item_reference", id: item.id } : item))),
  },
  {
    rule: "compaction-trigger",
    words: /must be the last input item/,
    illegal: ({ history, send }) => send([{ type: "compaction_trigger" }, ...history]),
    legal: ({ history, send }) => send([...history, { type: "compaction_trigger" }]),
  },
];
