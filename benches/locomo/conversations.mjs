// LoCoMo's conversations as chats: one speaker is the user, the other the assistant; each turn begins with its speaker.
import { readFileSync } from "node:fs";

/** Questions of this category have no answer in the conversation. */
const ADVERSARIAL = 5;

export function conversations(file) {
  return JSON.parse(readFileSync(file, "utf8")).map(({ sample_id: name, conversation, qa }) => {
    const turns = turnsOf(conversation);
    const places = new Map(turns.map(({ dia_id }, index) => [dia_id, index]));
    const messages = turns.map(({ speaker, text }) => ({
      role: speaker === conversation.speaker_a ? "user" : "assistant",
      content: `${speaker}: ${text.trim()}`,
    }));
    const questions = qa.filter(({ category }) => category !== ADVERSARIAL);
    const asked = questions.map(({ question, category, evidence }) => {
      const turns = new Set((evidence ?? []).map((id) => places.get(id)).filter((index) => index !== undefined));
      return { question, category, evidence: [...turns] };
    });
    return { name, messages, asked };
  });
}

function turnsOf(conversation) {
  const turns = [];
  for (let session = 1; conversation[`session_${session}`]; session++)
    turns.push(...conversation[`session_${session}`]);
  return turns;
}
