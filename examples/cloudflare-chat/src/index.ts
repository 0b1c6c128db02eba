// The Worker: one Durable Object for each chat, found by the chat's name.
import type { Env } from "./chat.ts";
import { page } from "./page.ts";
import { Id } from "./request.ts";

export { Chat } from "./chat.ts";

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const [, root, name] = pathname.split("/");
    // Who may write in which chat is for your app to say, here: see the README.
    if (root === "chats" && Id.safeParse(name).success)
      return env.CHATS.get(env.CHATS.idFromName(name as string)).fetch(request);
    if (pathname !== "/") return new Response("not found", { status: 404 });
    return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
  },
};
