import type { Format, Reader } from "precis";
import { parsed } from "../formats/openai-responses.ts";
import { isEmpty, isPart, mediaKind, type Part, roles, typeOfUrl, withoutParts, withPart } from "../formats/parts.ts";
import { encodedLike, textOfFile } from "../formats/text-files.ts";

/** An item of the SDK's. */
export interface AgentItem {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
}

/**
 * Items of the OpenAI Agents SDK (`AgentInputItem`), whatever model is behind it. What hosted tools left is counted and left
 * alone.
 */
// biome-ignore lint/suspicious/noExplicitAny: every version declares items of its own.
export const openaiAgents: Format<AgentItem, any> = {
  name: "openai-agents",
  thinking: "free",
  continues: true,
  takesEmpty: true,

  read(item, to) {
    const { type } = item as Part;
    if (type === undefined || type === "message") readMessage(item as Part, to);
    else if (type === "reasoning") readReasoning(item as Part, to);
    else if (type === "compaction") {
      to.role("assistant");
      to.compaction(0, undefined, item);
    } else if (RESULT.test(String(type))) readResult(item as Part, to);
    else if (CALLS[String(type)] !== undefined) readCall(item as Part, to);
    else {
      to.role("assistant");
      to.opaque(item);
    }
  },

  summary: (text) => ({ type: "message", role: "user", content: text }),

  without: withoutParts,

  result(id, name, text, call) {
    switch ((call as Part | undefined)?.type) {
      case "function_call":
        return { type: "function_call_result", callId: id, name, status: "completed", output: text };
      case "shell_call": {
        const outcome = { type: "exit", exitCode: 1 };
        return { type: "shell_call_output", callId: id, output: [{ stdout: "", stderr: text, outcome }] };
      }
      case "apply_patch_call":
        return { type: "apply_patch_call_output", callId: id, status: "failed", output: text };
      default:
        // What another tool returns has a form of its own.
        return undefined;
    }
  },

  replace(item, part, text) {
    const { type, content, output } = item as Part;
    if (type === "function_call") return { ...item, arguments: text };
    if (RESULT.test(String(type))) return { ...item, output: shortened(output, text) };
    if (!Array.isArray(content)) return { ...item, content: text };
    return withPart(item, part, (one) => {
      if (one.type === "refusal") return { ...one, refusal: text };
      if (textOfPart(one) !== undefined) return { ...one, file: encodedLike(one.file, text) };
      return typeof one.text === "string" ? { ...one, text } : { type: "input_text", text };
    });
  },

  id: (item) => ((item as Part).id as string | undefined) ?? undefined,
};

/** Items that another one answers, and where they keep what they were called with. */
const CALLS: Readonly<Record<string, string | undefined>> = {
  __proto__: null as never,
  function_call: "arguments",
  computer_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  tool_search_call: "arguments",
  program: "code",
};
const RESULT = /^(function|computer)_call_result$|^(shell|apply_patch)_call_output$|^(tool_search|program)_output$/;

const roleOf = /* @__PURE__ */ roles({
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
});

function readMessage(item: Part, to: Reader): void {
  const { role, content, id } = item;
  const is = roleOf(role);
  if (!is || !(Array.isArray(content) || typeof content === "string" || isEmpty(item))) {
    to.opaque(item);
    return;
  }
  to.role(is);
  if (typeof content === "string") to.text(0, content);
  else if (Array.isArray(content)) for (const [at, part] of content.entries()) readPart(at, part, to);
  // What the API has stored under an id must come back as it was.
  if (is === "assistant" && typeof id === "string") to.reasoning("", true);
}

function textOfPart({ type, file }: Part): string | undefined {
  return type === "input_file" && typeof file === "string" ? textOfFile({ file }, file, undefined) : undefined;
}

/** `at`: the number of the part, or of the result that it stands in. */
function readPart(at: number, part: unknown, to: Reader): void {
  const { type, text, refusal, image, file, audio, format, filename } = isPart(part) ? part : ({} as Part);
  if (typeof text === "string") to.text(at, text);
  else if (type === "refusal" && typeof refusal === "string") to.text(at, refusal);
  else if (type === "input_image" || type === "image") to.media("image", dataOf(image), typeOf(image), at);
  else if (type === "audio")
    to.media("audio", dataOf(audio), typeof format === "string" ? `audio/${format}` : undefined, at);
  else if (type === "input_file" || type === "file") {
    const document = textOfPart(part as Part);
    const name = (filename ?? (isPart(file) ? file.filename : undefined)) as string | undefined;
    if (document !== undefined) to.document(at, document, name);
    else
      to.media(
        mediaKind(typeOf(file), name ?? (typeOf(file) ? undefined : "document.pdf")),
        dataOf(file),
        typeOf(file),
        at,
        name,
      );
  } else to.opaque(part);
}

const dataOf = (value: unknown): unknown =>
  isPart(value) ? (value.data ?? value.url ?? value.id ?? value.fileId ?? value) : value;
const typeOf = (value: unknown): string | undefined =>
  isPart(value) && typeof value.mediaType === "string" ? value.mediaType : typeOfUrl(dataOf(value));

function readReasoning({ content, rawContent, providerData }: Part, to: Reader): void {
  to.role("assistant");
  const texts = [content, rawContent].flatMap((list) => (Array.isArray(list) ? list : []));
  to.reasoning(texts.map((part) => (isPart(part) && typeof part.text === "string" ? part.text : "")).join("\n"), true);
  if (isPart(providerData)) to.opaque(providerData);
}

const idOf = ({ callId, call_id }: Part): string => (callId ?? call_id) as string;
/** The tool of an item, by its type. A function has its name in the item. */
const toolOf = ({ name, type }: Part): string =>
  typeof name === "string" ? name : String(type).replace(/(_call)?(_result|_output)?$/, "");

function readCall(item: Part, to: Reader): void {
  const type = String(item.type);
  const given = item[CALLS[type] as string];
  to.role("assistant");
  // An item known by its id stays as it is; of the others the arguments may be shortened.
  const free = item.id === undefined && type === "function_call";
  const executed = type === "program" || item.execution === "server" || undefined;
  to.call(
    idOf(item),
    toolOf(item),
    type === "function_call" ? parsed(item, given) : given,
    free ? 0 : undefined,
    executed,
  );
}

function readResult(item: Part, to: Reader): void {
  const { output, tools } = item;
  const parts = Array.isArray(output) ? output : isPart(output) ? [output] : [];
  const texts = parts.flatMap(textsOf);
  to.role("tool");
  to.result(0, idOf(item), typeof output === "string" ? output : texts.join("\n"), false, toolOf(item));
  if (tools !== undefined) to.opaque(tools);
  for (const part of parts) {
    if (isPart(part) && part.type === "computer_screenshot") to.media("image", part.data, undefined);
    else if (textsOf(part).length === 0) readPart(0, part, to);
  }
}

/** The texts of a part of an output: its own, or what a command of a shell printed. */
function textsOf(part: unknown): string[] {
  const { text, stdout, stderr } = isPart(part) ? part : ({} as Part);
  return [text, stdout, stderr].filter((one): one is string => typeof one === "string");
}

/** An output with a text in place of its own, in the form that its item has. */
function shortened(output: unknown, text: string): unknown {
  const last: unknown = Array.isArray(output) ? output.at(-1) : undefined;
  return isPart(last) && typeof last.stdout === "string" ? [{ ...last, stdout: text, stderr: "" }] : text;
}
