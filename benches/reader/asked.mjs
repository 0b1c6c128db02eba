// What a model is asked about the chats, and whether it is right: by the facts' own expressions.
import { readFileSync } from "node:fs";
import { chats, textOf } from "../facts/chats.mjs";

const QUESTIONS = JSON.parse(readFileSync(new URL("questions.json", import.meta.url), "utf8"));

/** The chats that are named (without names: all that have questions), each with its facts and their questions. */
export function asked(names = Object.keys(QUESTIONS), most = Number.POSITIVE_INFINITY) {
  const known = new Map(chats().map((chat) => [chat.name, chat]));
  return names.map((name) => {
    const chat = known.get(name);
    if (!chat || !QUESTIONS[name]) throw new Error(`There are no questions about a chat called ${name}.`);
    const facts = new Map(chat.facts.map((fact) => [fact.id, fact]));
    const questions = Object.entries(QUESTIONS[chat.name]).map(([id, question]) => {
      if (!facts.has(id)) throw new Error(`${chat.name} has no fact ${id}`);
      return { fact: facts.get(id), question };
    });
    return { chat, questions: questions.slice(0, most) };
  });
}

/** An answer that says the old value beside the new one is none. */
export function isRight({ match, stale }, answer) {
  const says = (pattern) => new RegExp(pattern, "iu").test(answer);
  return match.some(says) && !(stale && says(stale));
}

const SPEAKERS = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" };

/** What a model is given: a view as a text, and a question behind it. */
export function pages({ language }, messages) {
  const lines = messages.map((message) => `${message.name ?? SPEAKERS[message.role]}: ${textOf(message).trim()}`);
  const rule =
    language === "fr"
      ? "Voici une conversation, ou ce qui en reste. Réponds à la question qui suit en quelques mots, d'après elle seulement. Ce qui est dit plus tard l'emporte."
      : "Here is a conversation, or what is left of it. Answer the question behind it in a few words, from the conversation alone. What is said later overrules what was said before.";
  const before = [rule, "", ...lines, ""].join("\n");
  return (question) => `${before}\nQuestion: ${question}`;
}
