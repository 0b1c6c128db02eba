"use client";

import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { useState } from "react";
import type { ChatMessage } from "../../lib/store.ts";

export function Chat({ id, initial }: { id: string; initial: ChatMessage[] }) {
  const [input, setInput] = useState("");
  const { messages, sendMessage, status, error } = useChat<ChatMessage>({
    id,
    messages: initial,
    // The server has the history: only what is new travels.
    transport: new DefaultChatTransport({
      prepareSendMessagesRequest: ({ id, messages }) => ({ body: { id, message: messages.at(-1) } }),
    }),
  });
  const context = messages.findLast(({ metadata }) => metadata?.context)?.metadata?.context;

  return (
    <main data-status={status}>
      <h1>A chat with Next.js</h1>
      <meter min={0} max={1} value={context?.fraction ?? 0} style={{ width: "100%" }} />
      <p id="context">
        {context
          ? `${context.tokens} of ${context.window} tokens, ${context.parts.summary} of them a summary`
          : "Nothing was said yet."}
      </p>
      {messages.map(({ id, role, parts }) => (
        <article key={id} data-role={role}>
          <b>{role}</b>
          {parts.map((part, index) => {
            const key = `${id}-${index}`;
            if (part.type === "text") return <p key={key}>{part.text}</p>;
            if (part.type !== "data-compaction") return null;
            const { status, before, after } = part.data;
            return (
              <hr key={key} title={`${status}: ${before} tokens before, ${after ?? "…"} after`} data-compaction={status} />
            );
          })}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (input.trim() === "" || status !== "ready") return;
          sendMessage({ text: input });
          setInput("");
        }}
      >
        <input value={input} onChange={(event) => setInput(event.target.value)} placeholder="Ask the librarian" />
        <button type="submit" disabled={status !== "ready"}>
          Send
        </button>
      </form>
    </main>
  );
}
