import { isJson, type Json, type Memory, type Provider, type Rule } from "./rule.ts";

const CREATE = "platform.openai.com/docs/api-reference/responses/create";
const PAIRS = "github.com/openai/openai-node: src/resources/responses/responses.ts";
const REASONING = "developers.openai.com/api/docs/guides/preserved-reasoning";

/** What a server notes under the id of an item that it made. */
export interface Item {
  /** The id of the reasoning that it was made with. */
  readonly reasoning: string | null;
  /** Of reasoning: the id of the item that was made right after it. */
  readonly next: string | null;
  readonly item: Json;
  /** Whether the server keeps it, so that its id alone stands for it. */
  readonly stored: boolean;
}

declare module "./rule.ts" {
  interface Notes {
    item: Item;
    ciphertext: { readonly id: string };
  }
}

/** The items of a request; those that are named by reference are what the server has stored under that id. */
export function itemsOf({ input }: Json, memory?: Memory): Json[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  const items = Array.isArray(input) ? input.map((item) => (isJson(item) ? item : {})) : [];
  return items.map((item) => (item.type === "item_reference" && memory?.recall("item", String(item.id))?.item) || item);
}

/** Whether the request goes on from what only the server holds. */
const goesOn = (body: Json, memory?: Memory): boolean =>
  Boolean(body.previous_response_id || body.conversation) ||
  itemsOf(body, memory).some(({ type }) => type === "item_reference");

/** The items that call something which the host runs. Others of these names are run by the provider. */
const CALLS = [
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
];
const isCall = ({ type, call_id }: Json): boolean => CALLS.includes(String(type)) && typeof call_id === "string";
const isOutput = ({ type }: Json): boolean => typeof type === "string" && type.endsWith("_call_output");
/** An output is tied to its call by `call_id`; of a local shell, whose outputs have none, by `id`. */
const tieOf = ({ call_id, id }: Json): unknown => call_id ?? id;
const called = (type: unknown): string =>
  String(type)
    .replace(/_output$/, "")
    .replace(/_call$/, "")
    .replaceAll("_", " ");
const isReply = ({ type, role }: Json): boolean =>
  type !== undefined && type !== "message" ? !isOutput({ type }) : role === "assistant";
const idOf = ({ id }: Json): string | undefined => (typeof id === "string" ? id : undefined);

/** Calls that no output behind them answers, and outputs without an open call before them; one output answers one call. */
function unpaired(items: readonly Json[]): { readonly open: readonly number[]; readonly orphans: readonly number[] } {
  const open: number[] = [];
  const orphans: number[] = [];
  items.forEach((item, at) => {
    if (isCall(item)) open.push(at);
    if (!isOutput(item)) return;
    const answers = (call: Json | undefined) =>
      `${String(call?.type)}_output` === item.type && call?.call_id === tieOf(item);
    const found = open.findIndex((called) => answers(items[called]));
    if (found < 0) orphans.push(at);
    else open.splice(found, 1);
  });
  return { open, orphans };
}

const pairs: Rule[] = [
  {
    id: "unanswered-call",
    about: "Each call has its output somewhere behind it.",
    source: PAIRS,
    *find({ body, memory }) {
      const items = itemsOf(body, memory);
      for (const at of unpaired(items).open) {
        const { type, call_id } = items[at] ?? {};
        yield { at, text: `No tool output found for ${called(type)} call ${String(call_id)}.` };
      }
    },
  },
  {
    id: "orphan-result",
    about: "Each output has its call before it, here or in what the server holds.",
    source: PAIRS,
    *find({ body, memory }) {
      if (goesOn(body, memory)) return;
      const items = itemsOf(body, memory);
      for (const at of unpaired(items).orphans) {
        const item = items[at] ?? {};
        const tool = called(item.type);
        yield { at, text: `No tool call found for ${tool} call output with call_id ${String(tieOf(item))}.` };
      }
    },
  },
];

const reasoning: Rule[] = [
  {
    id: "reasoning-without-item",
    about: "Reasoning that has an id is followed by the item that it was made with.",
    source: REASONING,
    *find({ body, memory }) {
      const items = itemsOf(body, memory);
      for (const [at, item] of items.entries()) {
        const id = idOf(item);
        if (item.type !== "reasoning" || id === undefined) continue;
        const next = items[at + 1];
        const wanted = memory?.recall("item", id)?.next;
        const follows = next && isReply(next) && (!wanted || idOf(next) === undefined || idOf(next) === wanted);
        if (!follows)
          yield { at, text: `Item '${id}' of type 'reasoning' was provided without its required following item.` };
      }
    },
  },
  {
    id: "item-without-reasoning",
    about: "An item that is sent with its id is preceded by the reasoning that it was made with.",
    source: REASONING,
    remembers: true,
    *find({ body, memory }) {
      const items = itemsOf(body, memory);
      const sent = new Set<unknown>();
      for (const [at, item] of items.entries()) {
        const id = idOf(item);
        const made = id === undefined || isOutput(item) ? undefined : memory?.recall("item", id);
        const type = made ? String(made.item.type) : "";
        if (made?.reasoning && !sent.has(made.reasoning))
          yield {
            at,
            text: `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${made.reasoning}'.`,
          };
        if (id !== undefined) sent.add(id);
      }
    },
  },
  {
    id: "item-reference",
    about: "A reference names an item that the server has stored.",
    source: CREATE,
    remembers: true,
    *find({ body, memory }) {
      for (const [at, item] of itemsOf(body).entries())
        if (item.type === "item_reference" && !memory?.recall("item", String(item.id))?.stored)
          yield { at, status: 404, text: `Item with id '${String(item.id)}' not found.` };
    },
  },
  {
    id: "encrypted-content",
    about: "Encrypted reasoning and compactions are the server's own.",
    source: "developers.openai.com/api/docs/guides/reasoning",
    remembers: true,
    *find({ body, memory }) {
      for (const [at, { type, encrypted_content: text }] of itemsOf(body).entries())
        if (
          (type === "reasoning" || type === "compaction") &&
          typeof text === "string" &&
          !memory?.recall("ciphertext", text)
        )
          yield {
            at,
            code: "invalid_encrypted_content",
            text: `The encrypted content ${text.slice(0, 4)}...${text.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
          };
    },
  },
  {
    id: "compaction-trigger",
    about: "A compaction trigger is the last item.",
    source: PAIRS,
    *find({ body }) {
      const items = itemsOf(body);
      for (const [at, { type }] of items.entries())
        if (type === "compaction_trigger" && at < items.length - 1)
          yield { at, text: "Item of type 'compaction_trigger' must be the last input item." };
    },
  },
];

/** OpenAI's Responses API. */
export const openaiResponses: Provider = {
  name: "openai-responses",
  title: "OpenAI Responses",
  list: "input",
  wire: "responses",
  rules: [
    {
      id: "roles",
      about: "A message is of the user, the assistant, the system or a developer.",
      source: CREATE,
      *find({ body }) {
        for (const [at, { type, role }] of itemsOf(body).entries())
          if (
            (type === undefined || type === "message") &&
            !["user", "assistant", "system", "developer"].includes(String(role))
          )
            yield {
              at,
              text: `Invalid value: '${String(role)}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
            };
      },
    },
    ...pairs,
    ...reasoning,
  ],
};
