// A chat. Its messages and its state live in the object's own SQLite, and are written in one transaction: after a crash
// at any moment both are there or neither. A turn never waits for a summarizer: if the context is full it gets the digest
// made by code. From the soft mark on, an alarm asks for a summary while the person reads.
import { DurableObject } from "cloudflare:workers";
import {
  createCompactor,
  type ModelCall,
  type Plan,
  type Prepared,
  type SessionState,
  type SummaryRequest,
} from "precis";
import { openaiChat } from "precis/formats";
import { ask, type Message, type ModelEnv, type Piece, stream, type Usage } from "./model.ts";
import { parse, refused, type Turn } from "./request.ts";

export interface Env extends ModelEnv {
  readonly CHATS: DurableObjectNamespace;
  readonly CONTEXT_WINDOW: string;
  readonly MAX_OUTPUT_TOKENS: string;
}

const SYSTEM = "You are a patient librarian. Answer in a few sentences.";

const make = (env: Env) =>
  createCompactor({
    format: openaiChat,
    contextWindow: Number(env.CONTEXT_WINDOW),
    maxOutputTokens: Number(env.MAX_OUTPUT_TOKENS),
  });
/** One compactor serves all the chats of an isolate. */
let compactor: ReturnType<typeof make> | undefined;

export class Chat extends DurableObject<Env> {
  readonly #compactor: ReturnType<typeof make>;
  /** The messages from `offset` on; those before it are covered by the state's summary and stay in the database. */
  #offset = 0;
  #messages: Message[] = [];
  /** Turns wait for each other: a question that comes while an answer streams is asked after it. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    compactor ??= make(env);
    this.#compactor = compactor;
    const { sql } = ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS message (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, role TEXT, json TEXT)");
    sql.exec("CREATE TABLE IF NOT EXISTS state (one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT)");
    this.#load();
  }

  override async fetch(request: Request): Promise<Response> {
    if (request.method === "GET") return Response.json(this.#show());
    if (request.method !== "POST") return refused(405, "Expected GET or POST.");
    const asked = await parse(request);
    if (asked instanceof Response) return asked;
    const kept = this.#textOf(asked.id);
    if (kept !== undefined && kept !== asked.text) return refused(409, "Another turn of this chat has this id.");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const turn = this.#last.then(() => this.#turn(asked, sender(writable)));
    this.#last = turn.catch(() => {});
    // The answer is stored even if nobody listens any more.
    this.ctx.waitUntil(this.#last);
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  }

  /** Ahead of time: the next request need not wait for what is summarized now. */
  override async alarm(): Promise<void> {
    let plan: Plan | undefined = this.#compactor.plan(this.#call("soft"));
    while (plan && plan.requests.length > 0) {
      const requests: SummaryRequest<unknown>[] = this.#compactor.requests(this.#call("soft"), plan);
      const results = await Promise.all(requests.map((one) => ask(this.env, one).catch((error) => ({ error }))));
      // Turns may have come in the meantime: a plan is checked against the history and the state as they are now.
      const prepared: Prepared<Message> = this.#compactor.commit(this.#call("soft"), plan, results);
      // The digest is for a turn that cannot wait. Here it can, and the next one tries again.
      if (prepared.report.summarizer.failed !== null) return;
      this.#saveState(prepared.state);
      plan = prepared.next;
    }
  }

  /** One turn, which a client may ask for as often as it likes by the same id. */
  async #turn({ id, text }: Turn, send: (event: unknown) => Promise<void>): Promise<void> {
    try {
      // Two turns with one id may have come at the same time: the second one finds here what the first one stored.
      const kept = this.#textOf(id);
      if (kept !== undefined && kept !== text) throw new Error("Another turn of this chat has this id.");
      const answer = this.#answerTo(id) ?? (await this.#answer(id, text, send));
      await send({ done: answer });
    } catch (error) {
      await send({ error: String(error) });
    } finally {
      await send(null);
    }
  }

  async #answer(id: string, text: string, send: (event: unknown) => Promise<void>): Promise<string> {
    let overflow: unknown = null;
    for (let attempt = 1; ; attempt++) {
      const { view, state, request, replyRoom } = this.#prepare(id, text, overflow);
      let answer = "";
      let usage: Usage | null = null;
      try {
        for await (const piece of this.#pieces(view, replyRoom)) {
          if (typeof piece === "object") usage = piece;
          else {
            answer += piece;
            await send({ text: piece });
          }
        }
      } catch (error) {
        // A provider that says "too long" is believed: once more, with less.
        if (attempt === 3 || answer !== "") throw error;
        overflow = error;
        continue;
      }
      // No client can give this id to a question: theirs have no colon.
      this.#finish(`answer:${id}`, answer, state, usage, request);
      return answer;
    }
  }

  /** The question and the state that goes with it, in one transaction. */
  #prepare(id: string, text: string, overflow: unknown) {
    return this.#together(() => {
      this.#append(id, { role: "user", content: text });
      const call = { ...this.#call(), overflow };
      const { view, state, report } = this.#compactor.commit(call, this.#compactor.plan(call));
      if (report.outcome === "infeasible") throw new Error(report.reason);
      this.#saveState(state);
      return { view, state, request: report.request, replyRoom: report.replyRoom };
    });
  }

  /** The answer and what was learned from its usage, in one transaction. */
  #finish(id: string, text: string, state: SessionState, usage: Usage | null, request: string): void {
    this.#together(() => {
      this.#append(id, { role: "assistant", content: text });
      // An alarm may have compacted while the answer streamed; then that state is the newer one.
      this.#saveState(this.#compactor.afterModel(this.#state() ?? state, usage, request));
    });
    const due = this.#compactor.plan(this.#call("soft")).requests.length > 0;
    if (due) this.ctx.waitUntil(this.ctx.storage.setAlarm(Date.now()));
  }

  #pieces(view: Message[], replyRoom: number): AsyncIterable<Piece> {
    const maxOutputTokens = Math.min(Number(this.env.MAX_OUTPUT_TOKENS), replyRoom);
    return stream(this.env, [{ role: "system", content: SYSTEM }, ...view], maxOutputTokens);
  }

  #call(threshold?: "soft"): ModelCall<Message> {
    return { messages: this.#messages, offset: this.#offset, state: this.#state(), system: SYSTEM, threshold };
  }

  #state(): SessionState | null {
    const [row] = this.ctx.storage.sql.exec<{ json: string }>("SELECT json FROM state");
    return row ? (JSON.parse(row.json) as SessionState) : null;
  }

  #saveState(state: SessionState): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO state VALUES (1, ?)", JSON.stringify(state));
  }

  #append(id: string, message: Message): void {
    const { sql } = this.ctx.storage;
    if (sql.exec("SELECT 1 FROM message WHERE id = ?", id).toArray().length > 0) return;
    const seq = this.#offset + this.#messages.length;
    sql.exec("INSERT INTO message VALUES (?, ?, ?, ?)", seq, id, message.role, JSON.stringify(message));
    this.#messages.push(message);
  }

  /** A transaction. If it fails, what is held in memory is read again as well. */
  #together<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work);
    } catch (error) {
      this.#load();
      throw error;
    }
  }

  /** What the state still needs; the rest of a long chat is never read. */
  #load(): void {
    this.#offset = this.#compactor.keepFrom(this.#state()).index;
    const rows = this.ctx.storage.sql.exec<{ json: string }>(
      "SELECT json FROM message WHERE seq >= ? ORDER BY seq",
      this.#offset,
    );
    this.#messages = rows.toArray().map(({ json }) => JSON.parse(json) as Message);
  }

  /** The first answer that came after a question, if one did. */
  #answerTo(id: string): string | undefined {
    const [row] = this.ctx.storage.sql.exec<{ json: string }>(
      `SELECT answer.json FROM message AS question JOIN message AS answer ON answer.seq > question.seq
       WHERE question.id = ? AND answer.role = 'assistant' ORDER BY answer.seq LIMIT 1`,
      id,
    );
    return row && (JSON.parse(row.json) as Message).content;
  }

  /** The text of a question that is stored. */
  #textOf(id: string): string | undefined {
    const [row] = this.ctx.storage.sql.exec<{ json: string }>("SELECT json FROM message WHERE id = ?", id);
    return row && (JSON.parse(row.json) as Message).content;
  }

  #show() {
    const rows = this.ctx.storage.sql.exec<{ id: string; json: string }>("SELECT id, json FROM message ORDER BY seq");
    const messages = rows.toArray().map(({ id, json }) => ({ id, ...(JSON.parse(json) as Message) }));
    return { messages, state: this.#state(), usage: this.#compactor.usage(this.#call()), offset: this.#offset };
  }
}

/** Sends server-sent events; null ends. A client that has gone is no error. */
function sender(writable: WritableStream<Uint8Array>) {
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  let gone = false;
  return async (event: unknown): Promise<void> => {
    if (gone) return;
    try {
      if (event === null) await writer.close();
      else await writer.write(encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
    } catch {
      gone = true;
    }
  };
}
