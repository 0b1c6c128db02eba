import type { Format, Reader } from "precis";
import { isEmpty, isPart, mediaKind, type Part, readSpeaker, typeOfUrl, withoutParts, withPart } from "./parts.ts";
import { encodedLike, textOfFile } from "./text-files.ts";

/** What precis reads of a `ResponseInputItem`. */
export type OpenAIResponsesItem = { type?: unknown; role?: unknown; content?: unknown };

/**
 * Input items of OpenAI's Responses API: messages, calls, their outputs and reasoning, each an item of its own.
 * Items that a tool of OpenAI's own left (searches, images, compactions) are counted and left alone.
 */
// biome-ignore lint/suspicious/noExplicitAny: every client declares messages of its own.
export const openaiResponses: Format<OpenAIResponsesItem, any> = {
  name: "openai-responses",
  thinking: "free",
  continues: true,
  takesEmpty: true,

  read(item, to) {
    const { type, role } = item as Part;
    if (type === undefined || type === "message") readMessage(item as Part, to);
    else if (type === "reasoning") readReasoning(item as Part, to);
    else if (typeof type !== "string") to.opaque(item);
    else if (type === "compaction") readCompaction(item as Part, to);
    else if (type === "mcp_approval_request" || type === "mcp_approval_response") readApproval(item as Part, to);
    else if (type.endsWith("_call_output")) readOutput(type, item as Part, to);
    else if (isOtherOutput(type, item as Part)) readOtherOutput(type, item as Part, to);
    else if (isCall(type, item as Part)) readCall(type, item as Part, to);
    else {
      to.role(typeof role === "string" && role !== "assistant" ? "system" : "assistant");
      to.opaque(item);
    }
  },

  summary: (text) => ({ role: "user", content: text }),

  block: (block) => (block.type === "compaction" && typeof block.encrypted_content === "string" ? block : undefined),

  without: withoutParts,

  result(id, _name, text, call) {
    const type = `${(call as Part | undefined)?.type ?? "function_call"}_output`;
    switch (type) {
      case "function_call_output":
      case "custom_tool_call_output":
        return { type, call_id: id, output: text };
      case "local_shell_call_output":
        return { type, id, output: text };
      case "shell_call_output":
        return { type, call_id: id, output: [{ stdout: "", stderr: text, outcome: { type: "exit", exit_code: 1 } }] };
      case "apply_patch_call_output":
        return { type, call_id: id, status: "failed", output: text };
      default:
        // What another tool returns has a form of its own.
        return undefined;
    }
  },

  replace(item, part, text) {
    const { type, content } = item as Part;
    if (type === "function_call") return { ...item, arguments: text };
    if (type === "custom_tool_call") return { ...item, input: JSON.parse(text) };
    if (typeof type === "string" && type.endsWith("_call_output"))
      return { ...item, output: shortenedOutput(item, text) };
    if (!Array.isArray(content)) return { ...item, content: text };
    return withPart(item, part, (one) => {
      if (one.type === "refusal") return { ...one, refusal: text };
      if (textOfPart(one) !== undefined) return { ...one, file_data: encodedLike(one.file_data, text) };
      return one.type === "input_text" || one.type === "output_text" ? { ...one, text } : { type: "input_text", text };
    });
  },

  id: (item) => ((item as Part).id as string | undefined) ?? undefined,
};

/** Where the calls that the host answers keep what they were called with. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  function_call: "arguments",
  custom_tool_call: "input",
  computer_call: "action",
  local_shell_call: "action",
  shell_call: "action",
  apply_patch_call: "operation",
  tool_search_call: "arguments",
};

function readMessage(item: Part, to: Reader): void {
  const { role, content, id } = item;
  const is = role === "developer" ? "system" : role;
  const known = is === "system" || is === "user" || is === "assistant";
  if (!known || !(Array.isArray(content) || typeof content === "string" || isEmpty(item))) {
    to.opaque(item);
    return;
  }
  to.role(is);
  readSpeaker(item, to);
  if (typeof content === "string") to.text(0, content);
  else if (Array.isArray(content))
    for (let i = 0; i < content.length; i++) {
      const text = textOfPart(content[i]);
      if (text === undefined) readPart(i, content[i], to);
      else to.document(i, text, content[i].filename);
    }
  // What the API has stored under an id must come back as it was.
  if (role === "assistant" && typeof id === "string") to.reasoning("", true);
}

/** The text of a file that is one. */
function textOfPart(part: unknown): string | undefined {
  return isPart(part) && part.type === "input_file" ? textOfFile(part, part.file_data, undefined) : undefined;
}

function readPart(index: number, part: unknown, to: Reader): void {
  const { type, text, refusal, image_url, file_data, file_url, filename } = isPart(part) ? part : {};
  if ((type === "input_text" || type === "output_text") && typeof text === "string") to.text(index, text);
  else if (type === "refusal" && typeof refusal === "string") to.text(index, refusal);
  else if (type === "input_image") to.media("image", image_url ?? part, undefined, index);
  else if (type === "input_file") {
    const type = typeOfUrl(file_data);
    const kind = mediaKind(type, filename ?? (type ? undefined : "document.pdf"));
    to.media(kind, file_data ?? file_url ?? part, type, index, filename as string | undefined);
  } else to.opaque(part);
}

/**
 * Whether an item is a call that another item answers. Those of tools that OpenAI runs hold their results, and have no
 * `call_id`, or null; a function's call may lack it where a server knows none.
 */
const isCall = (type: string, { call_id }: Part): boolean =>
  typeof call_id === "string" || (type in ARGUMENTS && type !== "tool_search_call");

/** Outputs in a form of the API's own: of programs, of searches for tools. They are counted and left alone. */
const isOtherOutput = (type: string, { call_id }: Part): boolean =>
  type.endsWith("_output") && typeof call_id === "string";

function readOtherOutput(type: string, item: Part, to: Reader): void {
  to.role("tool");
  to.result(0, item.call_id as string, "", false, toolOf(type));
  to.opaque(item);
}

/** The tool of an item, by its type. Functions and tools of the host's own have a name in the call alone. */
const toolOf = (type: string): string | undefined =>
  /^(function|custom_tool)_/.test(type) ? undefined : type.replace(/(_call)?(_output)?$/, "");

function readCompaction(item: Part, to: Reader): void {
  to.role("assistant");
  to.compaction(0, undefined, item);
}

function readApproval(item: Part, to: Reader): void {
  to.role("assistant");
  if (item.type === "mcp_approval_request") to.approvalRequest(0, item.id as string, item);
  else to.approvalResponse(0, item.approval_request_id as string, item);
}

function readReasoning({ summary, content, encrypted_content }: Part, to: Reader): void {
  to.role("assistant");
  const texts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : []));
  const said = texts.map((part) => (isPart(part) && typeof part.text === "string" ? part.text : "")).join("\n");
  to.reasoning(said, true);
  if (typeof encrypted_content === "string") to.opaque(encrypted_content);
}

function readCall(type: string, item: Part, to: Reader): void {
  const name = (item.name ?? toolOf(type)) as string;
  const input = type in ARGUMENTS ? item[ARGUMENTS[type] as string] : item;
  to.role("assistant");
  // An item known by its id stays as it is; of the others the arguments may be shortened.
  const free = item.id === undefined && (type === "function_call" || type === "custom_tool_call");
  const value = type === "function_call" ? parsed(item, input) : input;
  to.call(item.call_id as string, name, value, free ? 0 : undefined, isHosted(type, item) || undefined);
}

/** Whether OpenAI executes a call: a program that calls tools itself, or a shell in a container of theirs. */
const isHosted = (type: string, { environment }: Part): boolean =>
  !(type in ARGUMENTS) || (isPart(environment) && environment.type === "container_reference");

/** The output of a local shell has the call's id as its own, or another: it is paired by its tool, and the order. */
function readOutput(type: string, { call_id, output }: Part, to: Reader): void {
  to.role("tool");
  // The object of a tool of OpenAI's is in a form that the API checks, as a screenshot is: it is counted and left alone.
  if (isPart(output) && !Array.isArray(output) && !/^(function|custom_tool)_/.test(type)) {
    const { image_url, file_id } = output;
    to.result(0, call_id as string, "", false, toolOf(type));
    if (image_url !== undefined || file_id !== undefined) to.media("image", image_url ?? output, undefined);
    else to.opaque(output);
    return;
  }
  const parts = Array.isArray(output) ? output : [];
  const text = Array.isArray(output) ? parts.flatMap(textsOf).join("\n") : (output ?? "");
  to.result(0, call_id as string, text, false, toolOf(type));
  for (const part of parts) {
    if (!isPart(part) || textsOf(part).length > 0) continue;
    if (part.type === "input_image" || part.type === "input_file") readPart(0, part, to);
    else to.opaque(part);
  }
}

/** The texts of a part of an output: its own, or what a command of a shell printed. */
function textsOf(part: unknown): string[] {
  const { text, stdout, stderr } = isPart(part) ? part : {};
  return [text, stdout, stderr].filter((one): one is string => typeof one === "string" && one !== "");
}

/** An output with a text in place of its own, in the form that its item has. */
function shortenedOutput({ output }: Part, text: string): unknown {
  const last: unknown = Array.isArray(output) ? output.at(-1) : undefined;
  return isPart(last) && typeof last.stdout === "string" ? [{ ...last, stdout: text, stderr: "" }] : text;
}

/** Arguments as values, parsed once as long as their text stays the same. */
const known = /* @__PURE__ */ new WeakMap<object, { readonly text: unknown; readonly value: unknown }>();

/** Arguments that an item has as text, as a value: the same one as long as the text stays the same. */
export function parsed(item: Part, text: unknown): unknown {
  if (typeof text !== "string") return text;
  const earlier = known.get(item);
  if (earlier?.text === text) return earlier.value;
  let value: unknown = text;
  try {
    value = JSON.parse(text);
  } catch {}
  known.set(item, { text, value });
  return value;
}
