import { openaiChat } from "precis/formats";
import type { Conversation, Message } from "./conversation.ts";
import { type ProseCall, withSteps } from "./prose.ts";

const CHAT = /^# aider chat started at (.*)$/m;

/** Aider's chat history, which is Markdown: each chat that it holds, edits that were applied as calls. */
export function aider(file: string, text: string): Conversation[] | null {
  if (!CHAT.test(text)) return null;
  // What stands before the first heading belongs to a chat that began elsewhere.
  const [, ...parts] = text.split(CHAT);
  const chats: Conversation[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const messages = messagesOf(parts[at + 1] ?? "");
    const name = parts[at] ?? "";
    const chat = {
      file,
      name,
      shape: "aider",
      format: openaiChat,
      messages,
      usageAfter: new Map(),
    } as const;
    if (messages.some(({ role }) => role === "assistant")) chats.push(withSteps(chat, edits) ?? chat);
  }
  return chats;
}

/**
 * `####` is what was typed, `> ` what the program printed (also typed by no model): until two blanks end a line, if they do not
 * end the first. The rest is the model's, the `>>>>>>>` that ends its edits included.
 */
function messagesOf(text: string): Message[] {
  const messages: { role: string; content: string; printed: boolean }[] = [];
  let printing = false;
  for (const line of text.split("\n")) {
    const marked = /^(?:#### ?|> |>$)/.test(line);
    const printed = line.startsWith("> ") || line === ">" || printing;
    const role = marked || printing ? "user" : "assistant";
    printing = (printing || line.startsWith("> ")) && !line.startsWith("####") && !/\S {2}$/.test(line);
    const content = role === "user" ? line.replace(/^(?:#### ?|> ?)/, "").trimEnd() : line;
    const last = messages.at(-1);
    if (!content && !last) continue;
    // What the program printed behind a reply is not what somebody typed after it.
    const goesOn = last && (last.role !== "user" || last.printed === printed || !content);
    if (last && ((last.role === role && goesOn) || !line)) last.content += `\n${content}`;
    else messages.push({ role, content, printed: role === "user" && printed });
  }
  return messages
    .map(({ role, content }) => ({ role, content: content.trim() }))
    .filter(({ content }) => content !== "");
}

const APPLIED = /^Applied edit to (.+)$/;
/** The line above a fence, the fence (backticks or an element), the edits of one file. */
const BLOCK =
  /^(?<path>[^\n]+)\n+(?:`{3,}|<(?<tag>[a-z]+)>)[^\n]*\n(?<edits>(?:<{5,9} SEARCH\n[\s\S]*?^>{5,9} REPLACE\n*)+)(?:`{3,}|<\/\k<tag>>)$/gm;
const EDIT = /^<{5,9} SEARCH\n(?<search>[\s\S]*?)^={5,9}\n(?<replace>[\s\S]*?)^>{5,9} REPLACE$/gm;

interface Edit {
  readonly search: string;
  readonly replace: string;
}

/** The blocks of a reply that the program says it applied, a call for each file. */
function edits(said: string, [printed = ""]: readonly string[]) {
  const outputs = outputsOf(printed);
  const found = new Map<string, Edit[]>();
  const text = said.replaceAll(BLOCK, (...match) => {
    const { path, edits } = match.at(-1) as { path: string; edits: string };
    const named = pathIn(path);
    if (!outputs.has(named)) return String(match[0]);
    const own = [...edits.matchAll(EDIT)].map(({ groups: { search = "", replace = "" } = {} }) => ({
      search,
      replace,
    }));
    found.set(named, [...(found.get(named) ?? []), ...own]);
    return "";
  });
  // What was printed about a file that no block was found for has no call to answer.
  if (found.size === 0 || found.size !== outputs.size) return null;
  const calls: ProseCall[] = [...found].map(([path, edits]) => ({
    name: "edit",
    input: { path, edits },
    output: outputs.get(path) ?? "",
  }));
  return { said: text.replace(/\n{3,}/g, "\n\n").trim(), calls, rest: [] };
}

/** The path that a line above a block names, with or without decoration. */
const pathIn = (line: string) => line.replace(/^[#*`\s]+|[*`:\s]+$/g, "");

/** What was printed, by the file that an edit was applied to: what stands before the first belongs to it. */
function outputsOf(printed: string): Map<string, string> {
  const outputs = new Map<string, string>();
  let before: string[] = [];
  let open: string | undefined;
  for (const line of printed.split("\n")) {
    const path = APPLIED.exec(line)?.[1]?.trim();
    if (path !== undefined && !outputs.has(path)) {
      open = path;
      outputs.set(path, [...before, line].join("\n"));
      before = [];
    } else if (open === undefined) before.push(line);
    else outputs.set(open, `${outputs.get(open)}\n${line}`);
  }
  return outputs;
}
