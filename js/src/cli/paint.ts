type Stream = { readonly isTTY?: boolean };

const isColoured = (stream: Stream): boolean => Boolean(stream.isTTY) && !process.env.NO_COLOR;

/** Colours for a person's terminal; plain text everywhere else. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export function paint(stream: Stream): Paint {
  const coloured = isColoured(stream);
  const code = (start: number, end: number) => (text: string) =>
    coloured ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return { bold: code(1, 22), dim: code(2, 22), good: code(32, 39), warn: code(33, 39), bad: code(31, 39) };
}

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
/** What steers a terminal: colours, the cursor (CSI); the title, links, the clipboard (OSC and its kin). */
const SEQUENCES = `${ESC}\\[[0-9;?]*[ -/]*[@-~]|${ESC}[\\]P_^X][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)?`;
const STEERING = new RegExp(SEQUENCES, "g");
/** The same, single control characters, and what breaks lines unseen or turns the direction of writing; tabs and line ends are text. */
const UNSHOWN = new RegExp(`${SEQUENCES}|(?![\\t\\n])\\p{Cc}|[\\p{Zl}\\p{Zp}\\p{Bidi_Control}]`, "gu");
/** What {@link paint} writes. */
const PAINTED = new RegExp(`^${ESC}\\[(?:1|2|22|31|32|33|39)m$`);

/** A text without what would steer a terminal, but for our own colours where there are any. */
export function withoutSteering(text: string, stream: Stream): string {
  const coloured = isColoured(stream);
  return text.replace(UNSHOWN, (found) => (coloured && PAINTED.test(found) ? found : ""));
}

/** One line of what a transcript holds, without what would steer a terminal. */
export function clean(text: string): string {
  return text
    .replace(STEERING, "")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
}

/** The same of a text of several lines. */
export function cleanLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(STEERING, "").replace(/\p{Cc}+/gu, " "))
    .join("\n");
}

/** The beginning of a text, in so many characters. */
export function fit(text: string, width: number): string {
  const characters = [...clean(text.slice(0, width * 4))];
  const whole = characters.length <= width && text.length <= width * 4;
  return whole ? characters.join("") : `${characters.slice(0, width - 1).join("")}…`;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A bar that is full at 1. */
export function bar(fraction: number, width: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, fraction)) * width * 8);
  return ("█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "")).padEnd(width, "·");
}

/** A whole run in one line: the highest fill of each stretch. */
export function sparkline(fractions: readonly number[], width: number): string {
  const columns = Math.min(width, fractions.length);
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * fractions.length) / columns);
    const to = Math.max(from + 1, Math.floor(((column + 1) * fractions.length) / columns));
    const highest = Math.max(...fractions.slice(from, to));
    return LEVELS[Math.min(LEVELS.length - 1, Math.floor(highest * LEVELS.length))] ?? "";
  }).join("");
}

export function grouped(number: number): string {
  return Math.round(number)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

export function percent(fraction: number): string {
  return `${Math.round(fraction * 100)} %`;
}

/** Cells in columns: the first to the left, figures to the right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, at) => Math.max(all[at] ?? 0, cell.length)), []);
  return rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("   ")
      .trimEnd(),
  );
}
