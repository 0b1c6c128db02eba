// A chat that is held with a server, so that what it signed is known to it, and what changes a history.
import { clients } from "../clients.mjs";
import { createServer } from "../server.mjs";

export const says = (text) => [{ kind: "text", text }];

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
export const swap = (list, at, ...others) => list.toSpliced(at < 0 ? list.length + at : at, 1, ...others);
/** A copy of an entry with other members. */
export const but = (entry, more) => ({ ...entry, ...more });
export const without = (list, at) => swap(list, at);
export const place = (list, wanted) => list.findIndex(wanted);
