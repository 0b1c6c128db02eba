// What the code blocks of the README and of docs/ use and do not declare, where they do not speak of the AI SDK. It is the
// reader's own: what is of precis, a block imports.
import type Anthropic from "@anthropic-ai/sdk";
import type { convertToModelMessages as convert, UIMessage } from "ai";
import type OpenAIClient from "openai";
import type * as core from "precis";
import type { Compactor as Compacts, CompactorOptions, Summarize } from "precis";
import type { SqlClients } from "precis/stores";

type Message = OpenAIClient.ChatCompletionMessageParam;

declare global {
  const client: OpenAIClient;
  const claude: Anthropic;
  const pool: SqlClients["pg"];
  const kv: { get(key: string): Promise<string | null>; put(key: string, value: string): Promise<void> };
  const compactor: Compacts<Message>;
  const uiMessages: UIMessage[];
  const convertToModelMessages: typeof convert;
  const options: CompactorOptions<Message>;
  const messages: Message[];
  const history: Message[];
  const tools: OpenAIClient.ChatCompletionTool[];
  const state: core.SessionState | null;
  const chatId: string;
  const query: string;
  let stored: core.SessionState | null;
  const summarize: Summarize;
  const call: { readonly function: { readonly arguments: string } };
  const db: {
    messages(from: number, to?: number): Promise<Message[]>;
  };
}
