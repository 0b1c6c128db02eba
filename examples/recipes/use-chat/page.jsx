// A chat page with a meter, which says how full the context is, and a divider where the summary ends: above it stands what
// the model knows from the summary alone, below it what it is sent as it was.
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";
import { compactionOf } from "precis/ai-sdk";
import { Fragment, useState } from "react";
import { createRoot } from "react-dom/client";

function Meter({ messages }) {
  const context = messages.findLast(({ metadata }) => metadata?.context)?.metadata.context;
  if (!context) return <p id="context">Nothing was said yet.</p>;
  const { tokens, window, fraction } = context;
  return (
    <p id="context">
      <meter min={0} max={1} value={fraction} /> {tokens} of {window} tokens
    </p>
  );
}

function Divider({ before, after, summary }) {
  return (
    <details id="divider">
      <summary>
        Summarized above: {before} tokens became {after}
      </summary>
      <p>{summary}</p>
    </details>
  );
}

function Chat({ initial }) {
  const [input, setInput] = useState("");
  const { messages, sendMessage, status, error } = useChat({
    id: "chat",
    messages: initial,
    // The server has the history: only what is new travels.
    transport: new DefaultChatTransport({
      prepareSendMessagesRequest: ({ messages }) => ({ body: { message: messages.at(-1) } }),
    }),
  });
  const running = messages.map(compactionOf).at(-1)?.status === "running";
  // The newest compaction that has a summary: later ones may only have cleared results.
  const newest = messages.map(compactionOf).findLast((data) => data?.status === "done" && data.summary);

  return (
    <main data-status={status}>
      <Meter messages={messages} />
      {messages.map(({ id, role, parts }) => (
        <Fragment key={id}>
          {newest?.messageId === id && <Divider {...newest} />}
          <article data-id={id} data-role={role}>
            {parts.map((part, index) => part.type === "text" && <p key={`${id}-${index}`}>{part.text}</p>)}
          </article>
        </Fragment>
      ))}
      {running && <p>Summarizing …</p>}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (input.trim() === "" || status !== "ready") return;
          sendMessage({ text: input });
          setInput("");
        }}
      >
        <input value={input} onChange={(event) => setInput(event.target.value)} />
      </form>
    </main>
  );
}

const initial = await (await fetch("/api/chat")).json();
createRoot(document.getElementById("root")).render(<Chat initial={initial} />);
