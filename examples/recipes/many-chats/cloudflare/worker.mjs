// Many stored chats, summarized ahead of time through Cloudflare Queues, with the chats in D1: `npx wrangler deploy`. The
// cron trigger of wrangler.json puts every chat that is not done into the queue, and puts it there again if it was lost.
import { ahead } from "../ahead.mjs";
import { summarizer } from "../ask.mjs";
import { aheadStore, open, progress } from "./d1.mjs";

/** A chat that nobody has touched for so long is not being worked on, and its message is lost or given up. */
const LOST_SECONDS = 3_600;

export default {
  /** Queues deliver at least once, and several Workers at a time: what comes twice finds nothing to do. */
  async queue(batch, env) {
    const store = aheadStore(env.DB);
    const ask = summarizer(env);
    await Promise.all(
      batch.messages.map(async (message) => {
        try {
          await ahead(store, message.body.chat, ask);
          message.ack();
        } catch (error) {
          console.error(message.body.chat, error.message);
          message.retry({ delaySeconds: Math.min(2 ** message.attempts, Number(env.MOST_DELAY ?? 600)) });
        }
      }),
    );
  },

  async scheduled(_event, env) {
    const chats = await open(env.DB, Number(env.LOST_SECONDS ?? LOST_SECONDS));
    for (let at = 0; at < chats.length; at += 100)
      await env.AHEAD.sendBatch(chats.slice(at, at + 100).map((chat) => ({ body: { chat } })));
  },

  /** For you, so keep it from others: Cloudflare Access, or no route at all. */
  async fetch(_request, env) {
    return Response.json(await progress(env.DB));
  },
};
