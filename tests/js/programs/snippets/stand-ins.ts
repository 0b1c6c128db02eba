// What the code blocks of docs/ai-sdk.md use and do not declare. `npm test -- "programs compile"` writes the blocks beside it.
import { type LanguageModel, type ModelMessage, tool, type UIMessage, type UIMessageStreamWriter } from "ai";
import type { SessionState } from "precis";
import { type Compaction, type StateStore } from "precis/ai-sdk";
import type { SqlClients } from "precis/stores";
import { z } from "zod";

type Model = Exclude<LanguageModel, string> & { readonly specificationVersion: "v4" };
const read = tool({ inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => path });

declare global {
  const model: Model;
  const small: Model;
  const system: string;
  const instructions: string;
  const tools: { read: typeof read };
  const messages: ModelMessage[];
  const ui: UIMessage[];
  const chat: { id: string; state: SessionState | null };
  const c: Compaction;
  const store: StateStore;
  const bucket: { put(key: string, text: string): Promise<void>; get(key: string): Promise<string | null> };
  const pool: SqlClients["pg"];
  const writer: UIMessageStreamWriter;
  const streamText: typeof import("ai").streamText;
  const toUIMessageStream: typeof import("ai").toUIMessageStream;
  const db: {
    load(id: string): Promise<unknown>;
    append(id: string, message: unknown): Promise<void>;
    saveState(id: string, state: SessionState | null): Promise<void>;
    messages(id: string, from: number, to: number): Promise<ModelMessage[]>;
    get(key: string): Promise<SessionState | null>;
    compareAndSet(key: string, state: SessionState, previous: number | null): Promise<boolean>;
  };
}
