import { costs, money } from "../../../js/src/cli/bill.ts";
import { byId, grouped, h } from "./dom.ts";
import type { VirtualList } from "./list.ts";
import type { Mode, Overview, Prices, Source } from "./protocol.ts";

/** What the tabs show of the chosen request of the chosen variant. */
export interface Panels {
  refresh(): Promise<void>;
  bill(): void;
}

interface Given {
  source(): Source | undefined;
  variant(): number;
  request(): number;
  overview(): Overview | undefined;
  prices(): Prices | null;
  model(): string | null;
  go(request: number): void;
  makeList(box: HTMLElement, opened: (at: number) => void): VirtualList;
}

const TABS = ["Messages", "Summary", "Memory", "State", "Compactions", "Bill"] as const;
type Tab = (typeof TABS)[number];

/** Longer texts are shown in parts. */
const MOST_TEXT = 20_000;
const FATES = {
  kept: "Sent as it is.",
  clipped: "Clipped: both ends are sent.",
  cleared: "Cleared: one line is sent in its place.",
  summarized: "Not sent: the summary stands for it.",
  made: "Written by precis.",
};

export function panels(given: Given): Panels {
  const panel = byId("panel");
  let tab: Tab = "Messages";
  let mode: Mode = "sent";
  let list: VirtualList | undefined;
  let detail: HTMLElement | undefined;
  let turn = 0;
  let reading = 0;

  const buttons = TABS.map((name) => {
    const button = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel" }, name);
    button.addEventListener("click", () => show(name));
    return button;
  });
  byId("tabs").replaceChildren(...buttons);
  byId("tabs").addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = (TABS.indexOf(tab) + step + TABS.length) % TABS.length;
    show(TABS[next] as Tab);
    buttons[next]?.focus();
  });

  function show(name: Tab): void {
    tab = name;
    for (const [at, button] of buttons.entries()) {
      button.setAttribute("aria-selected", String(TABS[at] === tab));
      button.tabIndex = TABS[at] === tab ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `tab-${tab}`);
    list = undefined;
    void refresh();
  }

  async function refresh(): Promise<void> {
    const source = given.source();
    const mine = ++turn;
    if (!source) return;
    try {
      if (tab === "Messages") return await messages(source);
      if (tab === "Compactions") compactions();
      if (tab === "Bill") bill();
      if (tab === "Compactions" || tab === "Bill") return;
      const found = await source.remembered(given.variant(), given.request());
      if (mine !== turn) return;
      if (tab === "Summary")
        panel.replaceChildren(
          found.summary === null ? h("p", {}, "Nothing is summarized at this request.") : text(found.summary),
        );
      if (tab === "State")
        panel.replaceChildren(
          found.isEarlier ? earlier() : "",
          found.state === null
            ? h("p", {}, "There is no state: nothing was compacted yet.")
            : text(JSON.stringify(found.state, null, 2)),
        );
      if (tab === "Memory") {
        memory(found.memory);
        if (found.isEarlier) panel.prepend(earlier());
      }
    } catch (error) {
      panel.replaceChildren(h("p", { class: "bad" }, String(error)));
    }
  }

  function earlier(): HTMLElement {
    return h("p", { class: "soft" }, "This report left it out; here is what it was after an earlier compaction.");
  }

  async function messages(source: Source): Promise<void> {
    if (!list || !detail) {
      const box = h("div", {
        class: "list",
        role: "listbox",
        tabindex: 0,
        "aria-label": "Messages of the request",
        id: "messages",
      });
      detail = h("div", {
        class: "detail",
        id: "detail",
        role: "region",
        "aria-label": "The chosen message",
        tabindex: 0,
      });
      list = given.makeList(box, (at) => void detailed(at));
      const select = h(
        "select",
        { id: "mode" },
        h("option", { value: "sent" }, "what is sent"),
        h("option", { value: "history" }, "the whole history, by what became of it"),
      );
      select.value = mode;
      select.addEventListener("change", () => {
        mode = select.value as Mode;
        void refresh();
      });
      const keys = (["clipped", "cleared", "summarized", "made"] as const).map((fate) =>
        h("span", { class: "key" }, h("span", { class: `swatch ${fate}` }), fate === "made" ? "by precis" : fate),
      );
      panel.replaceChildren(
        h("div", { class: "bar" }, h("label", {}, "Show ", select), ...keys),
        h("div", { class: "reader" }, box, detail),
      );
    }
    // What was read belongs to another request, plan or chat.
    reading++;
    detail.replaceChildren(
      h("p", { class: "soft" }, "Choose a message to read it, and what replaced one that was cleared or clipped."),
    );
    const [variant, request, shown] = [given.variant(), given.request(), mode];
    await list.show((from, to) => source.page(variant, request, shown, from, to));
  }

  async function detailed(at: number): Promise<void> {
    const source = given.source();
    const box = detail;
    const mine = ++reading;
    const found = await source?.detail(given.variant(), given.request(), mode, at);
    if (!found || !box || mine !== reading) return;
    const { index, role, tools, tokens, fate, sent, original } = found;
    const who = index === null ? "precis" : `message ${grouped(index + 1)}`;
    box.scrollTop = 0;
    box.replaceChildren(
      h(
        "div",
        {},
        h("h3", {}, `${who} · ${[role, ...tools].join(" ")} · ${grouped(tokens)} tokens`),
        h("p", { class: `fate-${fate}` }, FATES[fate]),
        sent !== null && h("h3", {}, original === null ? "Text" : "What is sent"),
        sent !== null && text(sent),
        original !== null && h("h3", {}, "What stood there"),
        original !== null && text(original),
      ),
    );
  }

  function memory(entries: Awaited<ReturnType<Source["remembered"]>>["memory"]): void {
    if (entries.length === 0)
      return void panel.replaceChildren(h("p", {}, "Nothing is remembered at this request: nothing was covered yet."));
    const rows = entries.map(({ kind, text, at, note }) => {
      const from = at === null ? "" : h("button", { type: "button" }, `message ${grouped(at + 1)}`);
      if (from && at !== null) from.addEventListener("click", () => void jump(at));
      return h(
        "tr",
        {},
        h("td", { class: "long" }, kind),
        h("td", { class: "long" }, text),
        h("td", { class: "long" }, note),
        h("td", {}, from || "—"),
      );
    });
    panel.replaceChildren(table("Memory", ["kind", "what is remembered", "", "from"], rows));
  }

  /** Shows the message that an entry of the memory comes from. */
  async function jump(index: number): Promise<void> {
    const source = given.source();
    mode = "history";
    show("Messages");
    if (!source || !list) return;
    const at = await source.place(given.variant(), given.request(), mode, index);
    if (at < 0) return;
    list.select(at);
    await detailed(at);
    byId("messages").focus();
  }

  function compactions(): void {
    const all = given.overview()?.compactions ?? [];
    if (all.length === 0) return void panel.replaceChildren(h("p", {}, "Nothing was compacted."));
    const rows = all.map(({ request, before, after, rung, outcome, changes, reason, warnings }) => {
      const go = h("button", { type: "button" }, grouped(request + 1));
      go.addEventListener("click", () => given.go(request));
      const what = changes.map(({ action, count }) => `${action} ${grouped(count)}`).join(", ");
      const said = [reason, ...warnings].join(" ");
      return h(
        "tr",
        {},
        h("td", {}, go),
        h("td", {}, grouped(before)),
        h("td", {}, grouped(after)),
        h("td", { class: "long" }, `${rung ?? outcome}: ${what}`),
        h("td", { class: "long" }, said),
      );
    });
    panel.replaceChildren(table("Compactions", ["request", "before", "after", "what", "why"], rows));
  }

  function bill(): void {
    if (tab !== "Bill") return;
    const sums = given.overview()?.sums;
    const prices = given.prices();
    if (!sums) {
      panel.replaceChildren();
      return;
    }
    const paid = prices && costs(sums, prices);
    const row = (name: string, tokens: number, price: number | undefined) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, name),
        h("td", {}, grouped(tokens)),
        h("td", {}, price === undefined ? "—" : money((tokens * price) / 1e6)),
      );
    panel.replaceChildren(
      table(
        "Bill",
        ["", "tokens", "cost"],
        [
          row("read from the cache", sums.cached, prices?.cached),
          row("read again, and written to the cache", sums.written, prices?.write),
          row("replies, as recorded", sums.output, prices?.output),
        ],
      ),
      h(
        "p",
        {},
        paid
          ? `Together ${money(paid.bill)}; without a cache ${money(paid.uncached)}.`
          : "Set prices among the settings to see what it costs.",
      ),
      h(
        "p",
        { class: "soft" },
        "It is assumed that a provider keeps the longest beginning that a request has in common with the one before, and that its cache has not run out.",
      ),
    );
  }

  show(tab);
  return { refresh, bill };
}

function table(name: string, head: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const titles = head.map((title) => (title ? h("th", { scope: "col", class: "long" }, title) : h("td", {})));
  return h(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": name },
    h("table", {}, h("thead", {}, h("tr", {}, ...titles)), h("tbody", {}, ...rows)),
  );
}

/** A text as it is, however long: the beginning, and the rest when it is asked for. */
function text(whole: string): HTMLElement {
  const pre = h("pre", {}, whole.slice(0, MOST_TEXT));
  if (whole.length <= MOST_TEXT) return pre;
  let end = MOST_TEXT;
  const more = h("button", { type: "button" }, `Show more of ${grouped(whole.length)} characters`);
  more.addEventListener("click", () => {
    pre.append(whole.slice(end, end + MOST_TEXT));
    end += MOST_TEXT;
    if (end >= whole.length) more.remove();
  });
  return h("div", {}, pre, more);
}
