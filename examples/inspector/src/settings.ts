import { type Policy, type Settings, WAYS, type Way } from "../../../js/src/cli/inspector/document.ts";
import { h, short } from "./dom.ts";
import type { Prices } from "./protocol.ts";

/** The least and the largest window of the slider. */
const WINDOWS = [2_000, 2_000_000] as const;
const STEPS = 300;
/** More tools are in too few chats. */
const MOST_TOOLS = 30;

/** What a million tokens cost, by who is asked; to begin with. */
const PRICES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  "3 / 0.3 / 3.75 / 15": [3, 0.3, 3.75, 15],
  "1.25 / 0.125 / 1.25 / 10": [1.25, 0.125, 1.25, 10],
  "0.3 / 0.03 / 0.3 / 2.5": [0.3, 0.03, 0.3, 2.5],
};
const PRICE_NAMES = {
  input: "input",
  cached: "input from the cache",
  write: "input written to the cache",
  output: "output",
};

export function nameOf({ way, window, trigger, turns, prefer, pays, policies }: Settings): string {
  const more = [
    trigger !== undefined && `from ${Math.round(trigger * 100)} %`,
    turns !== undefined && `${turns} turns kept`,
    prefer === "summarize" && "summarize first",
    pays && "where it pays",
    policies && "policies",
  ].filter(Boolean);
  return [WAYS[way], short(window), ...more].join(" · ");
}

export interface Form {
  show(settings: Settings, tools: readonly string[], prices: Prices | null, isRecording: boolean): void;
}

/** The form for one variant, and the prices for all. Every change is said at once. */
export function settingsForm(
  form: HTMLFormElement,
  changed: (settings: Settings) => void,
  priced: (prices: Prices | null) => void,
): Form {
  let own: Settings | undefined;
  let fields: { update(): void } | undefined;
  let built = "";

  const set = (more: Partial<Settings>) => {
    if (!own) return;
    own = Object.fromEntries(
      Object.entries({ ...own, ...more }).filter(([, value]) => value !== undefined),
    ) as unknown as Settings;
    changed(own);
  };
  form.addEventListener("submit", (event) => event.preventDefault());

  return {
    show(settings, tools, prices, isRecording) {
      own = settings;
      // Fields stay where they are while one of them is in use.
      const key = JSON.stringify([tools, isRecording]);
      if (built !== key) {
        fields = build(form, tools, isRecording, () => own, set, priced, prices);
        built = key;
      }
      fields?.update();
    },
  };
}

function build(
  form: HTMLFormElement,
  tools: readonly string[],
  isRecording: boolean,
  own: () => Settings | undefined,
  set: (more: Partial<Settings>) => void,
  priced: (prices: Prices | null) => void,
  prices: Prices | null,
): { update(): void } {
  const updates: ((settings: Settings) => void)[] = [];
  const slider = h("input", { type: "range", min: 0, max: STEPS, id: "window", "aria-describedby": "window-number" });
  const number = h("input", {
    type: "number",
    min: 256,
    step: 1,
    id: "window-number",
    "aria-label": "Context window, tokens",
  });
  slider.addEventListener("input", () => set({ window: windowAt(Number(slider.value)) }));
  number.addEventListener(
    "change",
    () => number.value && set({ window: Math.max(256, Math.round(Number(number.value))) }),
  );
  updates.push(({ window }) => {
    slider.value = String(stepOf(window));
    slider.setAttribute("aria-valuetext", `${short(window)} tokens`);
    if (document.activeElement !== number) number.value = String(window);
  });

  const choice = (label: string, name: keyof Settings, options: readonly (readonly [string, string])[]) => {
    const select = h("select", { id: `set-${name}` }, ...options.map(([value, text]) => h("option", { value }, text)));
    select.addEventListener("change", () => set({ [name]: select.value || undefined }));
    updates.push((settings) => {
      select.value = String(settings[name] ?? "");
    });
    return h("label", {}, label, select);
  };
  const count = (label: string, name: keyof Settings, scale = 1, more: Record<string, number> = {}) => {
    const input = h("input", { type: "number", min: 0, ...more, id: `set-${name}`, placeholder: "default" });
    input.addEventListener("change", () =>
      set({ [name]: input.value === "" ? undefined : Number(input.value) / scale }),
    );
    updates.push((settings) => {
      const value = settings[name] as number | undefined;
      if (document.activeElement !== input) input.value = value === undefined ? "" : String(Math.round(value * scale));
    });
    return h("label", {}, label, input);
  };
  const pays = h("input", { type: "checkbox", id: "set-pays" });
  pays.addEventListener("change", () => set({ pays: pays.checked || undefined }));
  updates.push((settings) => {
    pays.checked = settings.pays === true;
  });
  const ways = Object.entries(WAYS).filter(([way]) => way !== "recorded" || isRecording);

  form.replaceChildren(
    h("div", { class: "window" }, h("label", { for: "window" }, "Context window"), h("span"), slider, number),
    choice("Strategy", "way", ways),
    count("Reply limit, tokens", "reply"),
    choice("What goes first", "prefer", [
      ["", "default"],
      ["clear", "old tool results"],
      ["summarize", "the past, by a summary"],
    ]),
    count("Compaction starts at, % of the window", "trigger", 100, { min: 1, max: 100 }),
    count("Newest turns that stay", "turns"),
    h("label", { class: "check" }, pays, "compact where it pays"),
    ...(tools.length > 0 ? [policies(tools, own, set, updates)] : []),
    priceFields(prices, priced),
  );
  return {
    update() {
      const settings = own();
      if (!settings) return;
      for (const one of updates) one(settings);
      const isOurs = !["everything", "newest", "cleared", "recorded"].includes(settings.way);
      for (const field of form.querySelectorAll<HTMLInputElement>("input, select"))
        if (/^(set-(?!way)|policy-)/.test(field.id))
          field.disabled = !isOurs || (settings.way === "contextguard" && field.id !== "set-reply");
    },
  };
}

function policies(
  tools: readonly string[],
  own: () => Settings | undefined,
  set: (more: Partial<Settings>) => void,
  updates: ((settings: Settings) => void)[],
): HTMLElement {
  const change = (tool: string, more: Policy) => {
    const all = { ...own()?.policies };
    const policy = Object.fromEntries(
      Object.entries({ ...all[tool], ...more }).filter(([, value]) => value !== undefined),
    );
    if (Object.keys(policy).length > 0) all[tool] = policy;
    else delete all[tool];
    set({ policies: Object.keys(all).length > 0 ? all : undefined });
  };
  const rows = tools.slice(0, MOST_TOOLS).map((tool, at) => {
    const say = (what: string) => `${what} of ${tool}`;
    const select = h(
      "select",
      { id: `policy-${at}`, "aria-label": say("Results") },
      ...[
        ["", "as others"],
        ["first", "cleared first"],
        ["1", "newest stays"],
        ["3", "newest 3 stay"],
        ["always", "stay"],
        ["exclude", "untouched"],
      ].map(([value = "", text = ""]) => h("option", { value }, text)),
    );
    select.addEventListener("change", () => {
      const none: Policy = { keep: undefined, clear: undefined, exclude: undefined };
      if (select.value === "first") change(tool, { ...none, clear: "first" });
      else if (select.value === "exclude") change(tool, { ...none, exclude: true, clip: undefined });
      else if (select.value === "always") change(tool, { ...none, keep: "always" });
      else change(tool, { ...none, keep: select.value ? Number(select.value) : undefined });
    });
    const clip = h("input", {
      type: "number",
      min: 64,
      id: `policy-clip-${at}`,
      placeholder: "no limit",
      "aria-label": say("Most tokens of a result"),
    });
    clip.addEventListener("change", () =>
      change(tool, { clip: clip.value ? Math.max(64, Number(clip.value)) : undefined }),
    );
    updates.push(({ policies }) => {
      const { keep, clear, exclude, clip: most } = policies?.[tool] ?? {};
      select.value = exclude ? "exclude" : (clear ?? String(keep ?? ""));
      if (document.activeElement !== clip) clip.value = most === undefined ? "" : String(most);
    });
    return h("tr", {}, h("td", { class: "long" }, tool), h("td", {}, select), h("td", {}, clip));
  });
  const head = ["Tool", "Its results", "Most tokens each"].map((text, at) =>
    h("th", { scope: "col", class: at ? null : "long" }, text),
  );
  return h(
    "details",
    {},
    h("summary", {}, "Tool policies"),
    h("div", { class: "wide" }, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows))),
  );
}

function priceFields(prices: Prices | null, priced: (prices: Prices | null) => void): HTMLElement {
  const names = Object.keys(PRICE_NAMES) as (keyof Prices)[];
  const fields = names.map((name) =>
    h("input", { type: "number", min: 0, step: "any", id: `price-${name}`, value: prices?.[name] ?? "" }),
  );
  const say = () => {
    const values = fields.map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    const [input = 0, cached = 0, write = 0, output = 0] = values;
    priced(values.every((one) => one >= 0 && Number.isFinite(one)) ? { input, cached, write, output } : null);
  };
  for (const field of fields) field.addEventListener("change", say);
  const ready = h(
    "select",
    { "aria-label": "Common prices" },
    h("option", { value: "" }, "common prices…"),
    ...Object.keys(PRICES).map((name) => h("option", {}, name)),
  );
  ready.addEventListener("change", () => {
    for (const [at, price] of (PRICES[ready.value] ?? []).entries())
      (fields[at] as HTMLInputElement).value = String(price);
    say();
  });
  const labels = names.map((name, at) => h("label", {}, PRICE_NAMES[name], fields[at]));
  return h(
    "details",
    {},
    h("summary", {}, "Prices of a million tokens, for the bill"),
    h("div", { class: "grid" }, ...labels, h("label", {}, "or", ready)),
  );
}

/** The slider goes by proportion. */
function windowAt(step: number): number {
  const [least, most] = WINDOWS;
  const exact = least * (most / least) ** (step / STEPS);
  const unit = 10 ** Math.max(2, Math.floor(Math.log10(exact)) - 1);
  return Math.round(exact / unit) * unit;
}

function stepOf(window: number): number {
  const [least, most] = WINDOWS;
  return Math.round((STEPS * Math.log(Math.max(least, window) / least)) / Math.log(most / least));
}

export function firstSettings(window: number, way: Way = "tail"): Settings {
  return { way, window };
}
