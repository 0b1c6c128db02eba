import type { Format, Reader } from "precis";
import {
  isEmpty,
  isPart,
  mediaKind,
  type Part,
  readForeign,
  readSpeaker,
  typeOfUrl,
  withoutParts,
  withPart,
} from "./parts.ts";
import { encodedLike, textOfFile } from "./text-files.ts";

type Item = { type?: unknown; role?: unknown; content?: unknown };

/**
 * Input items of OpenAI's Responses API: messages, calls, their outputs and reasoning, each an item of its own.
 * Items that a tool of OpenAI's own left (searches, images, compactions) are counted and left alone.
 */
export const openaiResponses: Format<Item> = {
  name: "openai-responses",
  continues: true,
  takesEmpty: true,

  read(item, to) {
    const { type, role } = item as Part;
    if (type === undefined || type === "message") readMessage(item as Part, to);
    else if (type === "reasoning") readReasoning(item as Part, to);
    else if (typeof type !== "string") to.opaque(item);
    else if (type === "compaction") readCompaction(item as Part, to);
    else if (type === "mcp_approval_request" || type === "mcp_approval_response") readApproval(item as Part, to);
    else if (type.endsWith("_call_output")) readOutput(item as Part, to);
    else if (type === "tool_search_output" && typeof (item as Part).call_id === "string") readSearch(item as Part, to);
    else if (type in ARGUMENTS && (item as Part).call_id !== null) readCall(type, item as Part, to);
    else {
      to.role(typeof role === "string" && role !== "assistant" ? "system" : "assistant");
      to.opaque(item);
    }
  },

  summary: (text) => ({ role: "user", content: text }),

  without: withoutParts,

  result: (id, _name, text) => ({ type: "function_call_output", call_id: id, output: text }),

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
  readForeign(item, to);
  // What the API has stored under an id must come back as it was.
  if (role === "assistant" && typeof id === "string") to.reasoning("", true);
}

/** The text of a file that is one. */
function textOfPart(part: unknown): string | undefined {
  return isPart(part) && part.type === "input_file" ? textOfFile(part, part.file_data, undefined) : undefined;
}

function readPart(index: number, part: unknown, to: Reader): void {
  const { type, text, refusal, image_url, file_id, file_data, file_url, filename } = isPart(part) ? part : {};
  if ((type === "input_text" || type === "output_text") && typeof text === "string") to.text(index, text);
  else if (type === "refusal" && typeof refusal === "string") to.text(index, refusal);
  else if (type === "input_image") to.media("image", image_url ?? { file_id }, undefined, index);
  else if (type === "input_file") {
    const type = typeOfUrl(file_data);
    const kind = mediaKind(type, filename ?? (type ? undefined : "document.pdf"));
    to.media(kind, file_data ?? file_url ?? { file_id }, type, index, filename as string | undefined);
  } else to.opaque(part);
}

/** Tools that the host found: their form is the API's. */
function readSearch(item: Part, to: Reader): void {
  to.role("tool");
  to.result(0, item.call_id as string, "", false);
  to.opaque(item);
}

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
  const name = (item.name ?? type.replace(/_call$/, "")) as string;
  const input = item[ARGUMENTS[type] as string];
  to.role("assistant");
  // An item known by its id stays as it is; of the others the arguments may be shortened.
  const free = item.id === undefined && (type === "function_call" || type === "custom_tool_call");
  to.call(item.call_id as string, name, type === "function_call" ? parsed(item, input) : input, free ? 0 : undefined);
}

function readOutput({ type, call_id, output }: Part, to: Reader): void {
  to.role("tool");
  // The object of a tool of OpenAI's is in a form that the API checks, as a screenshot is: it is counted and left alone.
  if (isPart(output) && !Array.isArray(output) && !/^(function|custom_tool)_/.test(type as string)) {
    const { image_url, file_id } = output;
    to.result(0, call_id as string, "", false);
    if (image_url !== undefined || file_id !== undefined) to.media("image", image_url ?? { file_id }, undefined);
    else to.opaque(output);
    return;
  }
  const parts = Array.isArray(output) ? output : [];
  const texts = parts.flatMap(textsOf);
  to.result(0, call_id as string, Array.isArray(output) ? texts.join("\n") : (output ?? ""), false);
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

function parsed(item: Part, text: unknown): unknown {
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
