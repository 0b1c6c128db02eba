// What the code blocks of the README and of docs/ use and do not declare, where they do not speak of the AI SDK.
import type Anthropic from "@anthropic-ai/sdk";
import type { convertToModelMessages as convert, UIMessage } from "ai";
import type OpenAIClient from "openai";
import type * as core from "precis";
import type { Compactor as Compacts, CompactorOptions, Format as Shape, Summarize } from "precis";
import type * as shapes from "precis/formats";
import type { SqlClients } from "precis/stores";

type Message = OpenAIClient.ChatCompletionMessageParam;

declare global {
  const client: OpenAIClient;
  const claude: Anthropic;
  const pool: SqlClients["pg"];
  const kv: { get(key: string): Promise<string | null>; put(key: string, value: string): Promise<void> };
  const compactor: Compacts<Message>;
  const createCompactor: typeof core.createCompactor;
  const answerRecall: typeof core.answerRecall;
  const recallDefinition: typeof core.recallDefinition;
  const createMeter: typeof core.createMeter;
  type SessionState = core.SessionState;
  type Format<M> = Shape<M>;
  type Note = { author: "me" | "bot"; body: string };
  const format: Format<Note>;
  const uiMessages: UIMessage[];
  const convertToModelMessages: typeof convert;
  const aiSdkUI: typeof shapes.aiSdkUI;
  const openaiChat: typeof shapes.openaiChat;
  const aiSdk: typeof shapes.aiSdk;
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
