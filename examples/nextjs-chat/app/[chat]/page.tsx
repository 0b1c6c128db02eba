import { notFound } from "next/navigation";
import { Id } from "../../lib/request.ts";
import { messagesOf } from "../../lib/store.ts";
import { Chat } from "./chat.tsx";

/** What is stored of the chat, all of it: the model gets less, the person sees everything. */
export default async function Page({ params }: { params: Promise<{ chat: string }> }) {
  const { chat } = await params;
  if (!Id.safeParse(chat).success) notFound();
  return <Chat id={chat} initial={messagesOf(chat)} />;
}

export const dynamic = "force-dynamic";
