// For each rule of each provider a request that is accepted and one, made of it, that is refused. A chat is held with the
// server first, so that what it signed is known to it.
import { clients } from "./clients.mjs";
import { createServer } from "./server.mjs";

const says = (text) => [{ kind: "text", text }];

/**
 * A chat with a server: a question, two calls with their results, an answer, another question, a call with its result.
 * What it returns is the history, of which each entry may be changed, and how it is sent.
 */
export function held(name, { account, open = true, ...options } = {}) {
  const server = createServer(name, { account });
  const client = clients[name];
  const given = { system: "You are a patient librarian.", tools: ["find", "read"], ...options };
  const history = [];
  const say = (...entries) => history.push(...entries.flat());
  const reply = (reply) => {
    const answer = server.answer(client.request(history.slice(), given), reply);
    if (!answer.ok) throw new Error(`the chat itself is refused: ${JSON.stringify(answer.findings)}`);
    say(client.kept ? client.kept(answer.entries) : answer.entries);
  };
  const result = (id, name) => ({ id, name, output: `what ${id} found, at length` });
  say(client.user(says("Where is the book?")));
  reply({ thought: "Two shelves.", text: "I look.", calls: [call("c1", "find"), call("c2", "read")] });
  say(client.results([result("c1", "find"), result("c2", "read")]));
  reply({ thought: "It is here.", text: "On the second shelf." });
  say(client.user(says("And the other one?")));
  reply({ thought: "Once more.", calls: [call("c3", "find")] });
  if (open) say(client.results([result("c3", "find")]));
  return {
    server,
    client,
    history,
    reply,
    say,
    send: (view = history, more = {}) => client.request(view, { ...given, ...more }),
  };
}

const call = (id, name) => ({ id, name, input: { title: id } });

/** A copy of a list with the entry at an index exchanged for others. */
const swap = (list, at, ...others) => list.toSpliced(at < 0 ? list.length + at : at, 1, ...others);
/** A copy of an entry with other members. */
const but = (entry, more) => ({ ...entry, ...more });
const without = (list, at) => swap(list, at);
const place = (list, wanted) => list.findIndex(wanted);

// Messages of Anthropic's.

const blocks = (history, at, change) => swap(history, at, but(history[at], { content: change(history[at].content) }));
const isThinking = ({ type }) => type === "thinking";
const dropThinking = (message) =>
  Array.isArray(message.content)
    ? but(message, { content: message.content.filter((block) => !isThinking(block)) })
    : message;
/** The first result, cut: all thinking behind it is bound to what stood there. */
const clipped = (history) => blocks(history, 2, ([first, ...rest]) => [but(first, { content: "what …" }), ...rest]);
const BLOCK_TEXT =
  /messages\.3\.content\.0: Invalid `signature` in `thinking` block\. The block is bound to a different conversation/;

const anthropicPairs = [
  {
    rule: "unanswered-call",
    words: /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: c2\. Each/,
    illegal: ({ history, send }) => send(blocks(history.slice(0, 3), 2, (content) => without(content, 1))),
  },
  {
    rule: "unanswered-call",
    why: "a text comes before the results",
    words: /`tool_use` ids were found without `tool_result` blocks immediately after: c1, c2/,
    illegal: ({ history, send }) =>
      send(blocks(history, 2, (content) => [{ type: "text", text: "Here:" }, ...content])),
  },
  {
    rule: "orphan-result",
    words: /messages\.2\.content\.0: unexpected `tool_use_id` found in `tool_result` blocks: c1\. Each/,
    illegal: ({ history, send }) =>
      send(
        blocks(
          blocks(history, 1, (content) => content.filter(({ id }) => id !== "c1")),
          5,
          (content) => content,
        ),
        {},
      ),
  },
  {
    rule: "orphan-result",
    why: "the call is two messages before",
    words: /unexpected `tool_use_id`/,
    illegal: ({ history, send }) => send([...history, history[3], history.at(-1)]),
  },
];

const bindingCases = [
  {
    rule: "thinking-forged",
    words: /messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { thinking: "No shelf." }), ...rest])),
  },
  {
    rule: "thinking-forged",
    why: "another server's",
    words: /Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { signature: "c2ln" }), ...rest])),
  },
  {
    rule: "thinking-signature",
    words: /messages\.1\.content\.0: Invalid `signature` in `thinking` block$/,
    illegal: ({ history, send }) =>
      send(blocks(history, 1, ([first, ...rest]) => [but(first, { signature: "" }), ...rest])),
  },
  {
    rule: "thinking-binding",
    why: "a result was cut",
    words: BLOCK_TEXT,
    illegal: ({ history, send }) => send(clipped(history)),
  },
  {
    rule: "thinking-binding",
    why: "a result was cut, and the tokens are counted",
    words: BLOCK_TEXT,
    illegal: ({ history, send }) => ({ ...send(clipped(history)), use: "count" }),
    // A batch leaves it out instead of failing.
    legal: ({ history, send }) => ({ ...send(clipped(history)), use: "batch" }),
  },
  {
    rule: "thinking-binding",
    why: "only the named block was removed",
    words: /messages\.5\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send }) => {
      const cut = clipped(history);
      return send(swap(cut, 3, dropThinking(cut[3])));
    },
    legal: ({ history, send }) =>
      send(clipped(history).map((message, at) => (at < 2 ? message : dropThinking(message)))),
  },
  {
    rule: "thinking-binding",
    why: "the system prompt changed",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ send }) => send(undefined, { system: "You are an impatient librarian." }),
  },
  {
    rule: "thinking-binding",
    why: "a tool came",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ send }) => send(undefined, { tools: ["find", "read", "write"] }),
    // Their order says nothing.
    legal: ({ send }) => send(undefined, { tools: ["read", "find"] }),
  },
  {
    rule: "thinking-binding",
    why: "a summary stands for the first turn",
    words: /messages\.1\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send, client }) =>
      send([...client.user(says("Summary: the book is on the second shelf.")), ...history.slice(5)]),
    legal: ({ history, send, client }) =>
      send([...client.user(says("Summary: the book is on the second shelf.")), ...history.slice(5).map(dropThinking)]),
  },
  {
    rule: "thinking-binding",
    why: "thinking left from the middle",
    words: /messages\.5\.content\.0: .*bound to a different conversation/,
    illegal: ({ history, send }) => send(swap(history, 3, dropThinking(history[3]))),
    // From the start it may.
    legal: ({ history, send }) => send(swap(history, 1, dropThinking(history[1]))),
  },
  {
    rule: "thinking-binding",
    why: "thinking that was left out is put back",
    words: /messages\.7\.content\.0: .*bound to a different conversation/,
    prepare: (chat) => {
      const whole = chat.history.slice();
      chat.history.splice(0, whole.length, ...whole.map(dropThinking));
      chat.reply({ thought: "Made without the others.", text: "The third shelf." });
      chat.say(chat.client.user(says("Thanks.")));
      chat.whole = whole;
    },
    illegal: ({ whole, history, send }) => send([...whole, ...history.slice(whole.length)]),
    legal: ({ history, send }) => send(history),
  },
  {
    rule: "thinking-of-the-newest-message",
    words: /`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    prepare: ({ reply, say, client }) => {
      reply({ thought: "One.", text: "Half.", interleaved: "Two." });
      say(client.user(says("Go on.")));
    },
    illegal: ({ history, send }) =>
      send(blocks(history, 7, (content) => content.filter(({ thinking }) => thinking !== "One."))),
    legal: ({ history, send }) => send(swap(history, 7, dropThinking(history[7]))),
  },
];

const cases = {
  anthropic: [
    ...anthropicPairs,
    {
      rule: "roles",
      words: /messages\.0\.role: Input should be/,
      illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "narrator" }))),
    },
    {
      rule: "empty-content",
      words: /text content blocks must be non-empty/,
      illegal: ({ history, send }) => send([...history, { role: "user", content: [{ type: "text", text: " " }] }]),
    },
    {
      rule: "empty-content",
      why: "a message without content",
      words: /messages\.7: all messages must have non-empty content/,
      illegal: ({ history, send }) => send([...history, { role: "user", content: "" }]),
    },
    ...bindingCases,
    {
      rule: "binding-controls",
      why: "without the header",
      words: /^thinking\.adaptive\.block_binding: Extra inputs are not permitted$/,
      illegal: ({ send }) => ({ ...send(undefined, { dropBlock: true }), headers: {} }),
      legal: ({ history, send }) => send(clipped(history), { dropBlock: true }),
    },
    {
      rule: "binding-controls",
      why: "thinking is between tools",
      words: /^thinking\.between_tools\.block_binding: Extra inputs are not permitted$/,
      illegal: ({ send }) => send(undefined, { dropBlock: true, thinking: { type: "between_tools" } }),
    },
    {
      rule: "thinking-of-the-open-round",
      options: { model: "claude-opus-4-5", thinking: { type: "enabled", budget_tokens: 2_000 } },
      words:
        /messages\.5\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`\. When `thinking` is enabled/,
      illegal: ({ history, send }) => send(swap(history, 5, dropThinking(history[5]))),
      // Nothing is bound there: what stands before it may be cut, and thinking of other turns may go.
      legal: ({ history, send }) =>
        send(clipped(history).map((message, at) => (at < 5 ? dropThinking(message) : message))),
    },
    {
      rule: "thinking-binding",
      why: "an account of before, on Opus 5.5, is let through",
      options: { model: "claude-opus-5-5", account: { name: "old", isNew: false } },
      words: BLOCK_TEXT,
      illegal: ({ history, send }) => {
        const { headers, body } = send(clipped(history), { dropBlock: true });
        body.thinking.block_binding.prefix_mismatch_behavior = "error";
        return { headers, body };
      },
      legal: ({ history, send }) => send(clipped(history)),
    },
    {
      rule: "compaction-beta",
      options: { model: "claude-opus-5-5" },
      words: /^compaction: Extra inputs are not permitted$/,
      illegal: ({ send }) => send(undefined, { compaction: { type: "summarize" } }),
      legal: ({ send }) => send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }),
    },
    ...["stop_sequences", "context_management", "tool_choice", "output_config"].map((name) => ({
      rule: "compaction-request",
      why: name,
      words: new RegExp(`cannot be used together with \`${name}`),
      illegal: ({ send }) =>
        send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT], [name]: FORBIDDEN[name] }),
    })),
    {
      rule: "compaction-request",
      why: "long instructions",
      words: /at most 16384 characters/,
      illegal: ({ send }) =>
        send(undefined, { compaction: { type: "summarize", instructions: "x".repeat(16_385) }, betas: [COMPACT] }),
    },
    {
      rule: "compaction-open-call",
      open: false,
      accepted: false,
      words: /open tool call/,
      illegal: ({ send }) => send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }),
      legal: ({ history, send }) => send(history.slice(0, 5), { compaction: { type: "summarize" }, betas: [COMPACT] }),
    },
    {
      rule: "compaction-block-place",
      prepare: summarize,
      words: /must be the first block of the first message/,
      illegal: ({ history, send, summary }) => send([...history, summary], { betas: [COMPACT] }),
      legal: ({ send, summary, client }) => send([summary, ...client.user(says("Go on."))], { betas: [COMPACT] }),
    },
    {
      rule: "compaction-block-place",
      why: "two of them",
      prepare: summarize,
      words: /exactly one compaction block/,
      illegal: ({ history, send, summary }) => send([summary, ...history, summary], { betas: [COMPACT] }),
    },
    {
      rule: "compaction-block-signature",
      prepare: summarize,
      words: /the content of the compaction block was changed/,
      illegal: ({ send, summary, client }) =>
        send(
          [but(summary, { content: [but(summary.content[0], { content: "Else." })] }), ...client.user(says("Go on."))],
          { betas: [COMPACT] },
        ),
    },
    {
      rule: "compaction-block-signature",
      why: "forged",
      prepare: summarize,
      words: /Invalid `signature` in `compaction` block/,
      illegal: ({ send, summary, client }) =>
        send(
          [but(summary, { content: [but(summary.content[0], { signature: "c2ln" })] }), ...client.user(says("Go on."))],
          { betas: [COMPACT] },
        ),
    },
    {
      rule: "thinking-binding",
      why: "behind a summary on demand the kept tail stays valid while it is unchanged",
      prepare: summarizeHead,
      words: /bound to a different conversation/,
      illegal: ({ tail, send, summary }) =>
        send([summary, ...swap(tail, 0, but(tail[0], { content: "And?" }))], { betas: [COMPACT] }),
    },
  ],

  bedrock: [
    {
      rule: "unanswered-call",
      words: /Expected toolResult blocks at messages\.2\.content for the following Ids: c2/,
      illegal: ({ history, send }) => send(blocks(history, 2, (content) => without(content, 1))),
    },
    {
      rule: "orphan-result",
      words:
        /The number of toolResult blocks at messages\.2\.content exceeds the number of toolUse blocks of previous turn/,
      illegal: ({ history, send }) => send(blocks(history, 1, (content) => content.filter(({ id }) => id !== "c1"))),
    },
    {
      rule: "alternation",
      words: /A conversation must alternate between user and assistant roles/,
      illegal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
    },
    {
      rule: "opening",
      words: /A conversation must start with a user message/,
      illegal: ({ history, send }) => send(history.slice(3)),
    },
    {
      rule: "empty-content",
      words: /The text field in the ContentBlock object at messages\.0\.content\.0 is blank/,
      illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { content: " " }))),
    },
    ...bindingCases.filter(({ why }) => !why?.includes("tokens are counted")),
    {
      rule: "binding-controls",
      why: "without the beta",
      words: /block_binding: Extra inputs are not permitted/,
      illegal: ({ send }) => {
        const { headers, body } = send(undefined, { dropBlock: true });
        delete body.additionalModelRequestFields.anthropic_beta;
        return { headers, body };
      },
      legal: ({ history, send }) => send(clipped(history), { dropBlock: true }),
    },
    {
      rule: "binding-name",
      words: /prefix_mismatch_behavior: Extra inputs are not permitted/,
      illegal: ({ send }) => {
        const { headers, body } = send(undefined, { dropBlock: true });
        body.additionalModelRequestFields.thinking.block_binding = { prefix_mismatch_behavior: "drop_block" };
        return { headers, body };
      },
    },
    {
      rule: "thinking-of-the-open-round",
      options: {
        model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        thinking: { type: "enabled", budget_tokens: 2_000 },
      },
      words: /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
      illegal: ({ history, send }) => send(swap(history, 5, dropThinking(history[5]))),
    },
  ],

  gemini: [
    {
      rule: "roles",
      words: /Please use a valid role: user, model/,
      illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "assistant" }))),
    },
    {
      rule: "unanswered-call",
      words:
        /number of function response parts is equal to the number of function call parts of the function call turn/,
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
  ],

  openai: chatCases(),
  deepseek: [
    ...chatCases(),
    {
      rule: "reasoning-passed-back",
      words: /^The `reasoning_content` in the thinking mode must be passed back to the API\.$/,
      illegal: ({ history, send }) =>
        send(swap(history, place(history, isSpeech), but(history.find(isSpeech), { reasoning_content: undefined }))),
      legal: ({ history, send }) =>
        send(
          history.map((message) => (message.role === "assistant" ? but(message, { reasoning_content: "" }) : message)),
        ),
    },
    {
      rule: "reasoning-passed-back",
      why: "but not while thinking is off",
      words: /must be passed back/,
      illegal: ({ history, send }) => send(history.map((message) => but(message, { reasoning_content: undefined }))),
      legal: ({ history, send }) =>
        send(
          history.map((message) => but(message, { reasoning_content: undefined })),
          { thinking: { type: "disabled" } },
        ),
    },
  ],
  kimi: [
    ...chatCases(),
    {
      rule: "reasoning-passed-back",
      words: /^thinking is enabled but reasoning_content is missing in assistant tool call message at index 2$/,
      illegal: ({ history, send }) => send(swap(history, 1, but(history[1], { reasoning_content: "" }))),
      legal: ({ history, send }) =>
        send(swap(history, place(history, isSpeech), but(history.find(isSpeech), { reasoning_content: undefined }))),
    },
  ],
  openrouter: [
    ...chatCases(),
    {
      rule: "reasoning-details",
      words: /^Gemini models require OpenRouter reasoning details to be preserved in each request\./,
      illegal: ({ history, send }) => send(swap(history, -2, but(history.at(-2), { reasoning_details: undefined }))),
      // Of earlier turns they may go.
      legal: ({ history, send }) => send(swap(history, 1, but(history[1], { reasoning_details: undefined }))),
    },
    {
      rule: "reasoning-details-unchanged",
      words: /^Corrupted thought signature\.$/,
      illegal: ({ history, send }) =>
        send(
          swap(
            history,
            1,
            but(history[1], {
              reasoning_details: history[1].reasoning_details.map((detail) =>
                detail.data ? but(detail, { data: "c2ln" }) : detail,
              ),
            }),
          ),
        ),
      legal: ({ history, send }) =>
        send(
          swap(
            history,
            1,
            but(history[1], { reasoning_details: history[1].reasoning_details.filter(({ data }) => data) }),
          ),
        ),
    },
  ],
  mistral: [
    {
      rule: "role-order",
      words: /^Unexpected role 'user' after role 'tool'$/,
      illegal: ({ history, send, client }) => send([...history, ...client.user(says("And?"))]),
    },
    {
      rule: "role-order",
      why: "instructions in between",
      words: /^Unexpected role 'system' after role 'assistant'$/,
      illegal: ({ history, send }) => send(history.toSpliced(5, 0, { role: "system", content: "Be brief." })),
      // Two of the user's may follow each other.
      legal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
    },
    {
      rule: "equal-pairs",
      words: /^Not the same number of function calls and responses$/,
      illegal: ({ history, send }) => send(without(history, 2)),
    },
    {
      rule: "orphan-result",
      words: /^Unexpected tool call id other in tool results$/,
      illegal: ({ history, send }) => send(swap(history, 2, but(history[2], { tool_call_id: "other" }))),
    },
    {
      rule: "empty-content",
      words: /must have either content or tool_calls/,
      illegal: ({ history, send }) => send(swap(history, 4, { role: "assistant", content: "" })),
    },
  ],

  local: [
    ...chatCases().filter(({ rule }) => rule === "unanswered-call" || rule === "orphan-result"),
    {
      rule: "opening",
      words: /roles must alternate/,
      illegal: ({ history, send }) => send(history.slice(4)),
    },
    {
      rule: "alternation",
      words: /roles must alternate/,
      illegal: ({ history, send, client }) => send([...client.user(says("Hello?")), ...history]),
    },
  ],

  "openai-responses": [
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
        send(
          history.map((item) => (item.type === "reasoning" ? but(item, { encrypted_content: "gAAAforged" }) : item)),
        ),
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
  ],
};

/** What all say who take messages of Chat Completions; a system message comes first in what is sent. */
function chatCases() {
  return [
    {
      rule: "roles",
      words: /^Invalid value: 'narrator'\. Supported values are: /,
      illegal: ({ history, send }) => send(swap(history, 0, but(history[0], { role: "narrator" }))),
    },
    {
      rule: "empty-content",
      words: /Invalid value for 'content': expected a string, got null/,
      illegal: ({ history, send }) => send([...history, { role: "user", content: null }]),
    },
    {
      rule: "unanswered-call",
      words:
        /^An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'\. .*: c2$/,
      illegal: ({ history, send }) => send(without(history, 3)),
    },
    {
      rule: "unanswered-call",
      why: "something stands between",
      words: /must be followed by tool messages responding to each 'tool_call_id'\. .*: c1, c2$/,
      illegal: ({ history, send, client }) => send(history.toSpliced(2, 0, ...client.user(says("Wait.")))),
    },
    {
      rule: "orphan-result",
      words: /messages with role 'tool' must be a response to a preceeding message with 'tool_calls'/,
      illegal: ({ history, send }) => send(history.slice(2)),
    },
  ];
}

const COMPACT = "compact-2026-09-04";
const FORBIDDEN = {
  stop_sequences: ["END"],
  context_management: { edits: [] },
  tool_choice: { type: "any" },
  output_config: { format: { type: "json_schema" } },
};
const isSpeech = ({ role, tool_calls }) => role === "assistant" && !tool_calls;

/** A content whose calls carry no signature, or another one. */
function unsigned(content, signature) {
  return but(content, {
    parts: content.parts.map((part) => (part.functionCall ? but(part, { thoughtSignature: signature }) : part)),
  });
}

/** Lets the server summarize all there is. */
function summarize(chat) {
  const { server, send } = chat;
  const answer = server.answer(send(undefined, { compaction: { type: "summarize" }, betas: [COMPACT] }), {
    text: "The book is there.",
  });
  [chat.summary] = answer.entries;
}

/** Lets it summarize the first turn, while the second goes on. */
function summarizeHead(chat) {
  const { server, send, history } = chat;
  const request = send(history.slice(0, 4), { compaction: { type: "summarize" }, betas: [COMPACT] });
  [chat.summary] = server.answer(request, { text: "The book is there." }).entries;
  chat.tail = history.slice(4);
}

export { cases };
