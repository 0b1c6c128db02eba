import { grouped, h } from "./dom.ts";
import type { Page } from "./protocol.ts";

const ROW = 52;
const SPARE = 6;
/** Browsers hold no taller element. */
const TALLEST = 8_000_000;

/** A list of any length, of which only what is seen is there. Arrow keys move, Enter opens. */
export interface VirtualList {
  show(load: (from: number, to: number) => Promise<Page>): Promise<void>;
  select(at: number): void;
}

const FATES = { kept: "", clipped: "clipped", cleared: "cleared", summarized: "summarized", made: "by precis" };

export function virtualList(box: HTMLElement, opened: (at: number) => void): VirtualList {
  const space = h("div", { class: "space", role: "presentation" });
  box.replaceChildren(space);
  let load: ((from: number, to: number) => Promise<Page>) | undefined;
  let total = 0;
  let active = -1;
  let turn = 0;

  async function draw(): Promise<void> {
    const mine = ++turn;
    if (!load) return;
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE);
    const to = from + Math.ceil(box.clientHeight / ROW) + 2 * SPARE;
    const page = await load(from, to);
    if (mine !== turn) return;
    total = page.total;
    space.style.height = `${Math.min(TALLEST, total * ROW)}px`;
    space.replaceChildren(
      ...page.rows.map((row) => {
        const who = row.index === null ? "precis" : String(row.index + 1);
        const what = [row.role, ...row.tools.slice(0, 2)].join(" ");
        const item = h(
          "div",
          {
            ...{ class: `row ${row.fate}`, role: "option", id: `row-${row.at}`, "data-at": row.at },
            ...{ "aria-selected": row.at === active, "aria-posinset": row.at + 1, "aria-setsize": total },
          },
          h("span", { class: "number" }, who),
          h(
            "span",
            { class: "what" },
            h("span", { class: "head" }, h("b", {}, what), FATES[row.fate] && h("i", {}, FATES[row.fate])),
            h("span", { class: "text" }, row.text),
          ),
          h("span", { class: "tokens" }, grouped(row.tokens)),
        );
        item.style.top = `${row.at * ROW}px`;
        return item;
      }),
    );
    if (document.getElementById(`row-${active}`)) box.setAttribute("aria-activedescendant", `row-${active}`);
    else box.removeAttribute("aria-activedescendant");
  }

  function move(to: number): void {
    active = Math.max(0, Math.min(total - 1, to));
    const top = active * ROW;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
    void draw();
  }

  let waiting = false;
  box.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      void draw();
    });
  });
  box.addEventListener("click", ({ target }) => {
    const row = (target as Element).closest<HTMLElement>("[data-at]");
    if (!row) return;
    move(Number(row.dataset.at));
    opened(active);
  });
  box.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(box.clientHeight / ROW) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const step = steps[event.key] ?? (event.key === "Home" ? -total : event.key === "End" ? total : undefined);
    if (step !== undefined) move(active + step);
    else if (event.key === "Enter" || event.key === " ") opened(Math.max(0, active));
    else return;
    event.preventDefault();
  });
  return {
    async show(from) {
      load = from;
      await draw();
      // A shorter list may end above what was in sight.
      if (box.scrollTop > total * ROW) await draw();
    },
    select: move,
  };
}
