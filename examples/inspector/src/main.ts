import { costs, money } from "../../../js/src/cli/bill.ts";
import { PARTS, type Settings } from "../../../js/src/cli/inspector/document.ts";
import { leftOut } from "../../../js/src/cli/inspector/fitted.ts";
import { type ContextChart, contextChart, PART_NAMES } from "./chart.ts";
import { documentIn } from "./data.ts";
import { byId, download, grouped, h } from "./dom.ts";
import { reportOf } from "./export.ts";
import { virtualList } from "./list.ts";
import { panels } from "./panels.ts";
import type { Opened, Overview, Prices, Source } from "./protocol.ts";
import { firstSettings, nameOf, settingsForm } from "./settings.ts";
import { reportSource, type WorkerSource, workerSource } from "./sources.ts";

const FIRST_WINDOW = 32_000;
const MOST_VARIANTS = 8;

interface Card {
  readonly box: HTMLElement;
  readonly title: HTMLButtonElement;
  readonly note: HTMLElement;
  readonly chart: ContextChart;
}

let source: Source | undefined;
let opened: Opened | undefined;
let variants: Settings[] = [];
let overviews: (Overview | undefined)[] = [];
let cards: Card[] = [];
let prices: Prices | null = null;
let chosen = 0;
let request = 0;
/** The request that is shown while nobody has chosen one. */
let preset = 0;

const status = (text: string) => {
  byId("status").textContent = text;
};
const alert = (text: string) => {
  byId("alert").textContent = text;
};

const report = document.getElementById("document");
const worker: WorkerSource | undefined = report ? undefined : workerSource(byId("worker").textContent ?? "");
const form = settingsForm(
  byId<HTMLFormElement>("form"),
  (settings) => {
    variants[chosen] = settings;
    replan();
  },
  (given) => {
    prices = given;
    if (variants.some(({ pays }) => pays)) replan();
    else compare();
  },
);
const shown = panels({
  source: () => source,
  variant: () => chosen,
  request: () => request,
  overview: () => overviews[chosen],
  prices: () => prices,
  model: () => opened?.model ?? null,
  go: choose,
  makeList: virtualList,
});

/* ---------------------------------------------------------------- opening */

async function open(name: string, bytes: Uint8Array): Promise<void> {
  if (!worker) return;
  alert("");
  status(`Reading ${name} …`);
  try {
    begin(await worker.open(name, bytes), worker);
  } catch (error) {
    status("");
    alert(error instanceof Error ? error.message : String(error));
  }
}

function begin(what: Opened, from: Source): void {
  opened = what;
  source = from;
  const { file, shape, messages, requests, model, notes, conversations, picked, live } = what;
  byId("start").hidden = true;
  byId("work").hidden = false;
  byId("settings").hidden = !live;
  byId("add").hidden = !live;
  byId("what").textContent = [
    file,
    shape,
    messages > 0 && `${grouped(messages)} messages`,
    `${grouped(requests)} requests`,
    model,
  ]
    .filter(Boolean)
    .join(" · ");
  document.title = `${file} · precis inspector`;
  const pick = byId<HTMLSelectElement>("pick");
  byId("pick-box").hidden = conversations.length < 2 || !worker;
  pick.replaceChildren(...conversations.map((name, value) => h("option", { value }, name)));
  pick.value = String(picked);
  for (const id of ["export-json", "export-html"]) byId<HTMLButtonElement>(id).disabled = false;
  byId("shortened").hidden = !what.shortened;
  byId("shortened").textContent = what.shortened ? leftOut(what.shortened) : "";
  if (notes.length > 0)
    alert([...notes.slice(0, 5), notes.length > 5 ? `… and ${notes.length - 5} more lines.` : ""].join("\n").trim());
  const size = byId<HTMLInputElement>("request");
  size.max = String(Math.max(0, requests - 1));
  variants = [...(what.variants ?? [firstSettings(FIRST_WINDOW), firstSettings(FIRST_WINDOW, "everything")])];
  overviews = [];
  chosen = 0;
  preset = Math.max(0, requests - 1);
  choose(preset);
  layout();
  replan();
}

/** Cards for the variants there are. */
function layout(): void {
  byId("charts").replaceChildren();
  cards = variants.map((_, at) => {
    const title = h("button", { type: "button" });
    title.addEventListener("click", () => select(at));
    const close = h("button", { type: "button", class: "live", "aria-label": `Remove variant ${at + 1}` }, "✕");
    close.hidden = variants.length < 2;
    close.addEventListener("click", () => {
      variants.splice(at, 1);
      overviews.splice(at, 1);
      chosen = Math.min(chosen, variants.length - 1);
      layout();
      replan();
    });
    const plot = h("div", { class: "plot", role: "img" });
    const note = h("p", {});
    const box = h("article", { class: "card" }, h("div", { class: "top" }, title, close), plot, note);
    byId("charts").append(box);
    const chart = contextChart(plot, (one) => {
      select(at);
      choose(one);
    });
    return { box, title, note, chart };
  });
  for (const { chart } of cards) chart.select(request);
  byId<HTMLButtonElement>("add").disabled = variants.length >= MOST_VARIANTS;
  select(chosen);
}

/* ---------------------------------------------------------------- planning */

function replan(): void {
  for (const [at, settings] of variants.entries()) cards[at]?.title.replaceChildren(nameOf(settings));
  showSettings();
  source?.plan(variants, prices, (at, overview, done) => {
    overviews[at] = overview;
    showCard(at, done);
    compare();
    if (at === chosen && done === null) {
      const [first] = overview.compactions;
      if (first && request === preset) choose(first.request);
      preset = -1;
      void shown.refresh();
    }
    status(done === null ? statusOf() : `Playing ${nameOf(overview.settings)}: ${Math.round(done * 100)} %`);
    document.body.dataset.played = String(Number(document.body.dataset.played ?? 0) + Number(done === null));
  });
}

function statusOf(): string {
  const { calculated = 0, sums } = overviews[chosen] ?? {};
  if (calculated === 0 || !sums) return "";
  return `Of ${grouped(sums.requests)} requests ${grouped(sums.requests - calculated)} were played, those around compactions; the others only grow, and their sizes were calculated.`;
}

function showCard(at: number, done: number | null): void {
  const [card, overview] = [cards[at], overviews[at]];
  if (!card || !overview) return;
  const top = Math.max(
    ...overviews.map((one) => (one ? Math.min(one.sums.peak * 1.1, one.settings.window * 4) : 0)),
    overview.settings.window,
  );
  for (const [index, one] of overviews.entries())
    if (one && (index === at || done === null)) cards[index]?.chart.draw(one, top);
  const { mean, peak, tooLong, compactions } = overview.sums;
  card.note.className = (overview.error ?? tooLong > 0) ? "bad" : "";
  card.note.textContent =
    overview.error ??
    `mean ${grouped(mean)} · peak ${grouped(peak)} tokens · ${compactions} compaction${compactions === 1 ? "" : "s"}${tooLong > 0 ? ` · ${grouped(tooLong)} requests too long` : ""}`;
  card.box
    .querySelector('[role="img"]')
    ?.setAttribute(
      "aria-label",
      `${nameOf(overview.settings)}: ${card.note.textContent}. The table below and the request slider give the figures.`,
    );
}

function showSettings(): void {
  const settings = variants[chosen];
  if (!settings || !opened) return;
  byId("settings-of").textContent = nameOf(settings);
  form.show(settings, opened.tools, prices, opened.shape === "recording");
}

function select(at: number): void {
  chosen = at;
  for (const [index, { box, title }] of cards.entries()) {
    box.classList.toggle("chosen", index === at);
    title.setAttribute("aria-pressed", String(index === at));
    title.textContent = variants[index] ? nameOf(variants[index]) : "";
  }
  showSettings();
  facts();
  void shown.refresh();
}

/* ---------------------------------------------------------------- one request */

function choose(one: number): void {
  request = Math.max(0, one);
  const slider = byId<HTMLInputElement>("request");
  slider.value = String(request);
  slider.setAttribute("aria-valuetext", `Request ${request + 1}`);
  byId("request-number").textContent = grouped(request + 1);
  byId("request-of").textContent = `of ${grouped(opened?.requests ?? 0)}`;
  for (const { chart } of cards) chart.select(request);
  facts();
  void shown.refresh();
}

function facts(): void {
  const overview = overviews[chosen];
  const here = overview?.compactions.find((one) => one.request === request);
  const last = overview?.compactions.findLast((one) => one.request < request);
  const said = here
    ? `Compacted here (${here.rung ?? here.outcome}): ${grouped(here.before)} → ${grouped(here.after)} tokens. ${here.reason}`
    : last
      ? `Goes on from the compaction at request ${grouped(last.request + 1)}.`
      : "Nothing has been compacted yet.";
  byId("facts").textContent = overview ? said : "";
}

function step(forward: boolean): void {
  const all = overviews[chosen]?.compactions ?? [];
  const found = forward ? all.find((one) => one.request > request) : all.findLast((one) => one.request < request);
  if (found) choose(found.request);
}

/* ---------------------------------------------------------------- side by side */

function compare(): void {
  facts();
  const head = [
    "",
    "mean",
    "peak",
    "too long",
    "compactions",
    "rewrites",
    "forgets",
    ...(prices ? ["bill", "uncached"] : []),
  ];
  const rows = variants.map((settings, at) => {
    const sums = overviews[at]?.sums;
    if (!sums) return h("tr", {}, h("th", { scope: "row", class: "long" }, nameOf(settings)));
    const paid = prices && costs(sums, prices);
    const cells = [sums.mean, sums.peak, sums.tooLong, sums.compactions, sums.rewrites, sums.forgets].map(grouped);
    return h(
      "tr",
      {},
      h("th", { scope: "row", class: "long" }, nameOf(settings)),
      ...[...cells, ...(paid ? [money(paid.bill), money(paid.uncached)] : [])].map((cell) => h("td", {}, cell)),
    );
  });
  byId("compare").replaceChildren(
    h("thead", {}, h("tr", {}, ...head.map((title) => (title ? h("th", { scope: "col" }, title) : h("td", {}))))),
    h("tbody", {}, ...rows),
  );
  byId("compare-note").textContent =
    `mean, peak: tokens of a request. too long: requests over the window. rewrites: requests that begin otherwise than the one before. forgets: requests without what was asked last.${prices ? " bill: with prompt caching; uncached: without." : " Set prices to see the bill."}`;
  shown.bill();
}

/* ---------------------------------------------------------------- the page */

function legend(): void {
  byId("legend").replaceChildren(
    ...PARTS.map((part) => {
      const swatch = h("span", { class: "swatch" });
      swatch.style.background = `var(--part-${part})`;
      return h("span", { class: "key" }, swatch, PART_NAMES[part]);
    }),
    h("span", { class: "key soft" }, "▾ compaction · solid line: window · dashed: where compaction starts"),
  );
}

function listen(): void {
  byId("previous").addEventListener("click", () => step(false));
  byId("next").addEventListener("click", () => step(true));
  const slider = byId<HTMLInputElement>("request");
  slider.addEventListener("input", () => choose(Number(slider.value)));
  byId("export-json").addEventListener("click", () => exported("json", (json) => json()));
  byId("export-html").addEventListener("click", () => exported("html", reportOf));
  byId("add").addEventListener("click", () => {
    variants.push({ ...(variants[chosen] ?? firstSettings(FIRST_WINDOW)) });
    chosen = variants.length - 1;
    layout();
    replan();
  });
  const restyle = () => {
    for (const { chart } of cards) chart.restyle();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width !== innerWidth) restyle();
    width = innerWidth;
  });
}

async function exported(
  ending: "json" | "html",
  make: (json: (most?: number) => Promise<string>) => Promise<string>,
): Promise<void> {
  if (!source || !opened) return;
  const from = source;
  const name = `${opened.file.replace(/^.*[/\\]/, "").replace(/\.\w+(\.gz)?$/, "") || "chat"}-precis.${ending}`;
  download(
    name,
    ending === "json" ? "application/json" : "text/html",
    await make((most) => from.exported(prices, most)),
  );
  status(`${name} was made.`);
}

function takeFiles(): void {
  const input = byId<HTMLInputElement>("file");
  const take = async (file: File | null | undefined) => {
    if (!file) return;
    try {
      await open(file.name, new Uint8Array(await file.arrayBuffer()));
    } catch (error) {
      alert(`${file.name} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  input.addEventListener("change", () => take(input.files?.[0]));
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    void take(event.dataTransfer?.files[0]);
  });
  byId<HTMLSelectElement>("pick").addEventListener("change", async ({ target }) => {
    if (!worker) return;
    const what = await worker.pick(Number((target as HTMLSelectElement).value));
    begin(what, worker);
  });
}

interface Sample {
  readonly name: string;
  readonly file: string;
  readonly gzip: string;
}

function takeSamples(): void {
  const samples: readonly Sample[] = JSON.parse(byId("sample-files").textContent ?? "[]");
  const load = ({ file, gzip }: Sample) =>
    open(
      file,
      Uint8Array.from(atob(gzip), (one) => one.charCodeAt(0)),
    );
  const select = byId<HTMLSelectElement>("sample");
  select.append(...samples.map(({ name }, value) => h("option", { value }, name)));
  select.addEventListener("change", () => {
    const sample = samples[select.selectedIndex - 1];
    if (sample) void load(sample);
  });
  byId("samples").append(
    ...samples.map((sample) => {
      const button = h("button", { type: "button" }, sample.name);
      button.addEventListener("click", () => load(sample));
      return button;
    }),
  );
}

async function showReport(data: string): Promise<void> {
  document.body.classList.add("report");
  const read = await documentIn(data);
  prices = read.prices;
  const { file, name, shape, model } = read;
  begin(
    {
      ...{
        file,
        name,
        shape,
        model,
        notes: [],
        tools: [],
        conversations: [name],
        picked: 0,
        live: false,
        variants: read.variants.map(({ settings }) => settings),
      },
      messages: read.messages.length,
      requests: read.requests.length,
      ...(read.shortened && { shortened: read.shortened }),
    },
    reportSource(read),
  );
  byId("export-html").hidden = true;
}

legend();
listen();
const isReady = () => {
  document.body.dataset.ready = "yes";
};
if (report)
  showReport(report.textContent ?? "").then(isReady, (error: unknown) =>
    alert(`This report cannot be read (${String(error)}). It needs a browser of 2023 or newer.`),
  );
else {
  takeFiles();
  takeSamples();
  isReady();
}
