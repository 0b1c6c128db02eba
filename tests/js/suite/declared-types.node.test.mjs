// The declarations that are published say what the engine returns and takes: each value is held against its type, member
// by member, and each option that is declared is one that the engine knows.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCompactor } from "precis";
import { openaiChat } from "precis/formats";
import ts from "typescript";
import { deepEqual, equal, ok, test } from "./harness.mjs";

const file = fileURLToPath(new URL("../../../pkg/index.d.ts", import.meta.url));
const program = ts.createProgram([file], { strict: true, exactOptionalPropertyTypes: true, lib: ["lib.es2022.d.ts"] });
const checker = program.getTypeChecker();
const exported = new Map(
  checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file))).map((one) => [one.name, one]),
);
const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name));
const typeOfMember = (member) => checker.getTypeOfSymbol(member);
const isOptional = (member) => (member.flags & ts.SymbolFlags.Optional) !== 0;

/** What of a value its type does not say, and what of the type the value lacks. `open`: more members may be there. */
function misfits(value, type, path, open = []) {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
  if (type.isUnion()) {
    const all = type.types.map((one) => misfits(value, one, path, open));
    return all.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (flags & ts.TypeFlags.Null) return value === null ? [] : [`${path}: not null`];
  if (flags & ts.TypeFlags.Undefined) return value === undefined ? [] : [`${path}: not undefined`];
  if (flags & ts.TypeFlags.BooleanLiteral) return typeof value === "boolean" ? [] : [`${path}: no boolean`];
  if (type.isLiteral()) return value === type.value ? [] : [`${path}: ${JSON.stringify(value)} is not declared`];
  if (flags & ts.TypeFlags.Number) return typeof value === "number" ? [] : [`${path}: no number`];
  if (flags & ts.TypeFlags.String) return typeof value === "string" ? [] : [`${path}: no string`];
  if (typeof value !== "object" || value === null) return [`${path}: no object`];
  if (checker.isArrayType(type)) {
    if (!Array.isArray(value)) return [`${path}: no array`];
    const [element] = checker.getTypeArguments(type);
    return value.flatMap((one, at) => misfits(one, element, `${path}[${at}]`, open));
  }
  const members = new Map(checker.getPropertiesOfType(type).map((member) => [member.name, member]));
  const found = [];
  for (const [name, member] of members) {
    if (value[name] !== undefined) found.push(...misfits(value[name], typeOfMember(member), `${path}.${name}`, open));
    else if (!isOptional(member)) found.push(`${path}.${name}: missing`);
  }
  const more = Object.keys(value).filter((name) => value[name] !== undefined && !members.has(name));
  if (!open.includes(type.symbol.name)) found.push(...more.map((name) => `${path}.${name}: not declared`));
  return found;
}

/** What is opaque to a host: members of these are the engine's own. */
const OPEN = ["SessionState", "Plan"];
const holds = (value, name) => deepEqual(misfits(value, typeOf(name), name, OPEN), []);

const long = (text) => `${text} `.repeat(120);
const user = (content) => ({ role: "user", content });
const system = (content) => ({ role: "system", content });
const said = (content) => ({ role: "assistant", content });
const call = (id) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "read", arguments: '{"path":"a"}' } }],
});
const result = (id, content) => ({ role: "tool", tool_call_id: id, content });

/** Chats that fit, are clipped, cleared, summarized, digested, trimmed, cannot be made to fit; and what is odd about them. */
const chats = {
  small: [user("Hello")],
  talk: Array.from({ length: 24 }, (_, n) => (n % 2 ? said(long(`answer ${n}`)) : user(long(`request ${n}`)))),
  tools: [
    user("Do it."),
    ...Array.from({ length: 12 }, (_, n) => [call(`c${n}`), result(`c${n}`, long(`output ${n}`))]).flat(),
  ],
  faulty: [said("First"), user("x"), result("none", "orphan"), call("open"), user(""), user("y")],
  huge: [user("x".repeat(200_000))],
  crowded: [system("word ".repeat(2_400)), user("a"), said(long("b")), user(long("c")), said(long("d")), user("e")],
};
const summarizers = {
  none: undefined,
  fine: () => "The user asked for many things, and the assistant did them one after the other.",
  failing: () => Promise.reject(new Error("no model")),
  odd: () => ({ text: "", finishReason: "length" }),
};

test("what the engine returns is what the declarations say", async () => {
  const seen = { outcome: new Set(), rung: new Set(), kind: new Set(), type: new Set() };
  for (const summarize of Object.values(summarizers))
    for (const messages of Object.values(chats))
      for (const contextWindow of [1_200, 3_000, 100_000]) {
        const onEvent = (event) => {
          seen.type.add(event.type);
          holds(event, "CompactionEvent");
        };
        const compactor = createCompactor({
          format: openaiChat,
          contextWindow,
          maxOutputTokens: 200,
          summarize,
          onEvent,
        });
        let state = null;
        for (const end of [messages.length - 2, messages.length, messages.length].filter((end) => end > 0)) {
          const given = { messages: messages.slice(0, end), state };
          const plan = compactor.plan(given);
          holds(plan, "Plan");
          for (const request of compactor.requests(given, plan)) {
            seen.kind.add(request.kind);
            holds(request, "SummaryRequest");
          }
          holds(compactor.usage(given), "ContextUsage");
          holds(compactor.recall({ ...given, query: "request output", maxTokens: 200 }), "Recalled");
          const { report, ...prepared } = await compactor.beforeModel(given);
          seen.outcome.add(report.outcome).add(report.outcome);
          seen.rung.add(report.rung);
          holds(report, "Report");
          holds(prepared.state, "SessionState");
          state = compactor.afterModel(prepared.state, { prompt_tokens: report.after.tokens, completion_tokens: 9 });
          holds(state, "SessionState");
        }
      }
  // What was never seen was never held against its type.
  deepEqual([...seen.outcome].sort(), ["compacted", "infeasible", "reused", "tight", "unchanged"]);
  ok(seen.rung.size >= 5 && seen.kind.size >= 2 && seen.type.size >= 3, JSON.stringify([...seen.rung, ...seen.kind]));
});

test("a value that differs from its declaration is found", () => {
  const compactor = createCompactor({ format: openaiChat, contextWindow: 8_000 });
  const usage = compactor.usage({ messages: chats.small });
  const { tokens: _, ...less } = usage;
  deepEqual(misfits(less, typeOf("ContextUsage"), "u"), ["u.tokens: missing"]);
  deepEqual(misfits({ ...usage, more: 1 }, typeOf("ContextUsage"), "u"), ["u.more: not declared"]);
  equal(misfits({ ...usage, source: "guessed" }, typeOf("ContextUsage"), "u").length, 1);
});

/** Names that an object of this type may have, without those whose values never reach the engine. */
const names = (type) => checker.getPropertiesOfType(checker.getNonNullableType(type)).map(({ name }) => name);

/** What the engine says it knows at a place, asked by a name that nobody has. */
function known(options) {
  try {
    createCompactor({ format: openaiChat, contextWindow: 8_000, ...options });
  } catch ({ advice }) {
    return advice.match(/Known: (.*)\.$/)?.[1].split(", ");
  }
}

test("the options that are declared are those that the engine knows", () => {
  const member = (type, name) => typeOfMember(checker.getPropertyOfType(checker.getNonNullableType(type), name));
  const options = typeOf("CompactorOptions");
  const odd = { zzzzzzzzzz: 1 };
  const tune = member(options, "tune");
  const places = [
    [tune, { tune: odd }],
    [member(tune, "tokens"), { tune: { tokens: odd } }],
    [member(options, "summarizer"), { summarizer: odd }],
    [member(options, "summary"), { summary: odd }],
  ];
  for (const [type, given] of places) deepEqual(known(given)?.sort(), names(type).sort(), JSON.stringify(given));
});

test("no declaration has a name that its bundler made up: errors of TypeScript show it", () => {
  const folder = fileURLToPath(new URL("../../../pkg/", import.meta.url));
  const declarations = readdirSync(folder).filter((name) => name.endsWith(".d.cts"));
  ok(declarations.length > 10);
  for (const name of declarations) {
    const made = readFileSync(`${folder}${name}`, "utf8").match(/\b[A-Z]\w*\$\d+\b/g);
    deepEqual([...new Set(made)], [], name);
  }
});
