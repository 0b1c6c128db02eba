// Anthropic's SDK as precis asks it for a summary, on top of a server of this folder.
import { ok } from "node:assert/strict";

/** A client whose requests the server judges. `reply(n)`: how the n-th request for a summary ends. */
export function sdk(server, reply) {
  const asked = [];
  const create = async ({ betas, ...body }) => {
    const n = asked.push(body);
    const given = reply(n);
    if (given instanceof Error) throw given;
    const answer = server.answer({ headers: { "anthropic-beta": betas.join() }, body, use: "answer" }, given);
    ok(answer.ok, answer.findings?.map(({ rule, text }) => `${rule}: ${text}`).join());
    return answer.body;
  };
  return { asked, beta: { messages: { create } } };
}

/** What a report says to set in the head of a request, for a client of this folder. */
export function settings(report) {
  const { headers = {} } = report.provider ?? {};
  return { betas: (headers["anthropic-beta"] ?? "").split(",").filter(Boolean) };
}
