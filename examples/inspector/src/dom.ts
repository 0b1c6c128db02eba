type Child = Node | string | null | undefined | false;

/** An element. Texts become text nodes, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : String(value));
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element "${id}".`);
  return found as E;
}

export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `32k`, `1.5m`. */
export function short(value: number): string {
  if (value >= 1_000_000) return `${+(value / 1_000_000).toFixed(2)}m`;
  return value >= 1_000 ? `${+(value / 1_000).toFixed(1)}k` : String(Math.round(value));
}

/** Hands a file to the user; it is made here and goes nowhere else. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
