import { isJson, type Json, objects, type Provider, type Rule } from "./rule.ts";

const SIGNATURES = "ai.google.dev/gemini-api/docs/thought-signatures";
const CALLING = "ai.google.dev/gemini-api/docs/function-calling";
const ORDER = "github.com/google-gemini/gemini-cli/issues/26486";

declare module "./rule.ts" {
  interface Notes {
    thoughtSignature: { readonly backend: string };
  }
}

/** What stands for a signature that a history does not have. */
export const DUMMIES: readonly string[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

export const contentsOf = ({ contents }: Json): Json[] =>
  Array.isArray(contents) ? contents.map((content) => (isJson(content) ? content : {})) : [];

const member = (part: Json, camel: string, snake: string): Json | undefined => {
  const value = part[camel] ?? part[snake];
  return isJson(value) ? value : undefined;
};
const partsOf = ({ parts }: Json): Json[] => objects(parts);
const callIn = (part: Json) => member(part, "functionCall", "function_call");
const responseIn = (part: Json) => member(part, "functionResponse", "function_response");
const signatureIn = ({ thoughtSignature, thought_signature }: Json): unknown => thoughtSignature ?? thought_signature;
const isModel = ({ role }: Json): boolean => role === "model";
const has = (content: Json, what: typeof callIn): boolean => partsOf(content).some(what);

/** Where the current turn begins: at the newest content of the user that holds more than responses. */
function turnStart(contents: readonly Json[]): number {
  return contents.findLastIndex((content) => !isModel(content) && partsOf(content).some((part) => !responseIn(part)));
}

/** The first call of each step of the current turn. */
function* firstCalls(body: Json): Iterable<{ readonly at: number; readonly part: Json; readonly call: Json }> {
  const contents = contentsOf(body);
  for (let at = turnStart(contents) + 1; at < contents.length; at++) {
    const content = contents[at] as Json;
    const goesOn = contents[at - 1] && isModel(contents[at - 1] as Json) && has(contents[at - 1] as Json, callIn);
    const part = isModel(content) && !goesOn ? partsOf(content).find(callIn) : undefined;
    if (part) yield { at, part, call: callIn(part) as Json };
  }
}

/** Generations before 3 sign nothing that they check. */
const signs = ({ model }: Json): boolean => !/gemini-(1|2)[.-]/.test(String(model ?? ""));

const pairs: Rule[] = [
  {
    id: "unanswered-call",
    about: "All calls of a step are answered in the one content behind it, with as many responses.",
    source: SIGNATURES,
    *find({ body }) {
      const contents = contentsOf(body);
      for (const [at, content] of contents.entries()) {
        const calls = isModel(content) ? partsOf(content).filter(callIn).length : 0;
        const next = contents[at + 1];
        const responses = next ? partsOf(next).filter(responseIn).length : 0;
        if (calls > 0 && responses !== calls)
          yield {
            at,
            text: "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
          };
      }
    },
  },
  {
    id: "orphan-result",
    about: "Responses stand right behind the content that called.",
    source: ORDER,
    *find({ body }) {
      const contents = contentsOf(body);
      for (const [at, content] of contents.entries()) {
        const before = contents[at - 1];
        if (has(content, responseIn) && !(before && isModel(before) && has(before, callIn)))
          yield { at, text: "Please ensure that function response turn comes immediately after a function call turn." };
      }
    },
  },
  {
    id: "call-order",
    about: "A content that calls stands behind one of the user, or behind responses.",
    source: ORDER,
    *find({ body }) {
      const contents = contentsOf(body);
      for (const [at, content] of contents.entries()) {
        const before = contents[at - 1];
        if (isModel(content) && has(content, callIn) && (!before || isModel(before)))
          yield {
            at,
            text: "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
          };
      }
    },
  },
];

const signatures: Rule[] = [
  {
    id: "missing-signature",
    about: "In the current turn the first call of each step carries its signature, or one of the documented dummies.",
    source: SIGNATURES,
    *find({ body }) {
      if (!signs(body)) return;
      for (const { at, part, call } of firstCalls(body))
        if (!signatureIn(part))
          yield {
            at,
            text: `Function call \`${String(call.name)}\` in the \`${at + 1}.\` content block is missing a \`thought_signature\`.`,
          };
    },
  },
  {
    id: "forged-signature",
    about: "A signature of the current turn is the server's own, of the same backend.",
    source: SIGNATURES,
    remembers: true,
    *find({ body, memory }) {
      if (!signs(body)) return;
      for (const { at, part } of firstCalls(body)) {
        const signature = String(signatureIn(part) ?? "");
        if (signature === "" || DUMMIES.includes(signature)) continue;
        const made = memory?.recall("thoughtSignature", signature);
        if (!made) yield { at, text: "Corrupted thought signature." };
        else if (made.backend !== memory?.account.name) yield { at, text: "Invalid thought signature." };
      }
    },
  },
];

/** Google's Gemini API. */
export const gemini: Provider = {
  name: "gemini",
  title: "Gemini",
  list: "contents",
  wire: "gemini",
  rules: [
    {
      id: "roles",
      about: "A content is of the user or of the model.",
      source: CALLING,
      *find({ body }) {
        for (const [at, { role }] of contentsOf(body).entries())
          if (role !== undefined && role !== "user" && role !== "model" && role !== "function" && role !== "tool")
            yield { at, text: "Please use a valid role: user, model." };
      },
    },
    ...pairs,
    ...signatures,
  ],
};
