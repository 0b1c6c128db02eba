// What the code blocks of docs/workers.md use and do not declare.
import type { Compactor, SessionState } from "precis";

type Message = { role: "system" | "user" | "assistant"; content: string };

declare global {
  const compactor: Compactor<Message>;
  const history: Message[];
  const state: SessionState | null;
}
