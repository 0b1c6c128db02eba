import { load } from "../../lib/store.ts";
import { Chat } from "./chat.tsx";

/** What is stored of the chat, all of it: the model gets less, the person sees everything. */
export default async function Page({ params }: { params: Promise<{ chat: string }> }) {
  const { chat } = await params;
  const { messages } = await load(chat);
  return <Chat id={chat} initial={messages} />;
}

export const dynamic = "force-dynamic";
