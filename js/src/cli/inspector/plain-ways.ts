import type { Conversation } from "../transcripts/conversation.ts";
import { cleared, everything, newest, type Way } from "../ways.ts";
import type { Settings } from "./document.ts";

export function plainWay(conversation: Conversation, way: Settings["way"]): Way {
  if (way === "newest") return newest(conversation);
  return way === "cleared" ? cleared(conversation) : everything(conversation);
}
