// The page: the messages, the meter, and a divider where the summary stands for what came before.
import { summaryOf } from "precis";
import { compactor, meter, turn, watch } from "./chat.ts";
import type { Message } from "./store.ts";

const find = <E extends HTMLElement>(selector: string) => document.querySelector(selector) as E;
const chat = location.hash.slice(1) || "first";
const others = new BroadcastChannel(`precis-${chat}`);
const status = find("#status");

watch.onEvent = (event) => {
  if (event.type === "start") status.textContent = "tidying up …";
};
others.onmessage = () => show();

find<HTMLFormElement>("form").onsubmit = async (event) => {
  event.preventDefault();
  const input = find<HTMLInputElement>("input");
  const text = input.value.trim();
  if (text === "") return;
  input.value = "";
  document.body.dataset.busy = "yes";
  add({ role: "user", content: text });
  const answer = add({ role: "assistant", content: "" });
  try {
    await turn(chat, text, (piece) => {
      answer.textContent += piece;
      answer.scrollIntoView({ block: "nearest" });
    });
  } catch (error) {
    answer.textContent = String(error);
  }
  others.postMessage("new");
  await show();
  delete document.body.dataset.busy;
};

await show();
await forOffline();
document.body.dataset.ready = "yes";

/** Draws what is stored: everything, although the model gets less. */
async function show(): Promise<void> {
  const { messages, state, usage } = await meter(chat);
  const { index: covered } = compactor.keepFrom(state);
  find("main").replaceChildren();
  for (const [at, message] of messages.entries()) {
    if (at === covered && covered > 0) divide(covered, summaryOf(state) ?? "");
    add(message).classList.toggle("covered", at < covered);
  }
  find("main").lastElementChild?.scrollIntoView();
  const { tokens, window, trigger, parts, source } = usage;
  const bar = (name: string, style: string) => {
    const part = document.createElement("div");
    part.className = name;
    part.style.cssText = style;
    return part;
  };
  const percent = (count: number) => `${((100 * count) / window).toFixed(1)}%`;
  find(".meter").replaceChildren(
    bar("summary", `width:${percent(parts.summary)}`),
    bar("talk", `width:${percent(tokens - parts.summary)}`),
    bar("mark", `left:${percent(trigger)}`),
  );
  const digits = (count: number) => count.toLocaleString("en");
  status.textContent = `${digits(tokens)} of ${digits(window)} tokens (${source}), ${digits(parts.summary)} of them a summary · ${messages.length} messages stored`;
}

function divide(covered: number, summary: string): void {
  const details = document.createElement("details");
  const title = document.createElement("summary");
  title.textContent = `The model reads a summary of the ${covered} messages above`;
  const text = document.createElement("pre");
  text.textContent = summary;
  details.append(title, text);
  find("main").append(details);
}

function add({ role, content }: Message): HTMLElement {
  const paragraph = document.createElement("p");
  paragraph.className = role;
  paragraph.textContent = content;
  find("main").append(paragraph);
  return paragraph;
}

/** Keeps the page itself in a cache, for the service worker to answer with when there is no network. */
async function forOffline(): Promise<void> {
  if (!("serviceWorker" in navigator) || location.hostname === "" || !navigator.onLine) return;
  await navigator.serviceWorker.register("./sw.js");
  await navigator.serviceWorker.ready;
  const own = performance.getEntriesByType("resource").filter(({ name }) => name.startsWith(location.origin));
  const cache = await caches.open("page");
  await cache.addAll([...new Set([location.pathname, ...own.map(({ name }) => name)])]);
}
