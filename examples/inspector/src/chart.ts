import uPlot from "uplot";
import { PARTS, type Part } from "../../../js/src/cli/inspector/document.ts";
import { short } from "./dom.ts";
import type { Overview } from "./protocol.ts";

/** What the parts are called. */
export const PART_NAMES: Readonly<Record<Part, string>> = {
  system: "system",
  tools: "tools",
  summary: "summary",
  user: "user",
  assistant: "assistant",
  toolResults: "tool results",
  media: "media",
};

export interface ContextChart {
  /** Shows an overview; `top` is the end of the scale, shared by all charts. */
  draw(overview: Overview, top: number): void;
  select(request: number): void;
  /** Colours and width as they are now. */
  restyle(): void;
}

const HEIGHT = 190;

/** The context over time: parts in stacked areas, the window and the trigger as lines, compactions as marks. */
export function contextChart(box: HTMLElement, picked: (request: number) => void): ContextChart {
  let plot: uPlot | undefined;
  let shown: { overview: Overview; top: number } | undefined;
  let request = 0;
  let scheduled = false;

  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const width = () => Math.max(220, box.clientWidth);

  function make(): uPlot {
    const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false } };
    const series: uPlot.Series[] = [
      {},
      // The highest sum first: each area is painted over the one below it.
      ...[...PARTS].reverse().map((part) => ({
        label: PART_NAMES[part],
        fill: colour(`part-${part}`),
        stroke: colour(`part-${part}`),
        width: 0,
        points: { show: false },
      })),
      { label: "window", stroke: colour("bad"), width: 1.5, points: { show: false } },
      { label: "compaction starts", stroke: colour("soft"), width: 1, dash: [4, 4], points: { show: false } },
    ];
    const made = new uPlot(
      {
        ...{ width: width(), height: HEIGHT, series, legend: { show: false } },
        padding: [10, 6, 0, 0],
        scales: { x: { time: false }, y: { range: () => [0, (shown?.top ?? 1) * 1.02] } },
        axes: [
          { ...axis, size: 28, values: (_, ticks) => ticks.map((one) => (Number.isInteger(one) ? String(one) : "")) },
          { ...axis, size: 46, values: (_, ticks) => ticks.map(short) },
        ],
        cursor: { y: false, points: { show: false }, drag: { setScale: false, x: false, y: false } },
        hooks: { draw: [marks] },
      },
      [[], ...series.slice(1).map(() => [])] as unknown as uPlot.AlignedData,
      box,
    );
    made.over.addEventListener("click", () => {
      const at = made.cursor.idx;
      const column = at === null || at === undefined ? undefined : shown?.overview.columns.request[at];
      if (column !== undefined) picked(column);
    });
    return made;
  }

  function marks(u: uPlot): void {
    const { ctx } = u;
    const { top, height } = u.bbox;
    ctx.save();
    const line = (at: number, stroke: string, width: number, dash: number[]) => {
      const x = Math.round(u.valToPos(at + 1, "x", true));
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width * devicePixelRatio;
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, top + height);
      ctx.stroke();
      return x;
    };
    for (const { request } of shown?.overview.compactions ?? []) {
      const x = line(request, colour("mark"), 1, [2, 3]);
      ctx.fillStyle = colour("mark");
      ctx.beginPath();
      const size = 4 * devicePixelRatio;
      ctx.moveTo(x - size, top - size);
      ctx.lineTo(x + size, top - size);
      ctx.lineTo(x, top + size);
      ctx.fill();
    }
    line(request, colour("text"), 1.5, []);
    ctx.restore();
  }

  function draw(): void {
    scheduled = false;
    if (!shown) return;
    plot ??= make();
    const { columns, settings } = shown.overview;
    const { request: at, parts, trigger } = columns;
    const sums: number[][] = [];
    for (const part of PARTS) {
      const below = sums.at(-1);
      sums.push(parts[part].map((own, column) => own + (below?.[column] ?? 0)));
    }
    plot.setData([
      at.map((one) => one + 1),
      ...sums.reverse(),
      at.map(() => settings.window),
      [...trigger],
    ] as uPlot.AlignedData);
  }

  return {
    draw(overview, top) {
      shown = { overview, top };
      if (scheduled) return;
      scheduled = true;
      requestAnimationFrame(draw);
    },
    select(one) {
      request = one;
      plot?.redraw(false);
    },
    restyle() {
      plot?.destroy();
      plot = undefined;
      draw();
    },
  };
}
